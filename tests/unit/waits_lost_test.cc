// SPDX-License-Identifier: BSD-3-Clause
// waits_lost_test.cc - records that came too fast: what is before the first of them is as if nothing had been lost

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <random>
#include <set>
#include <tuple>

#include "waits/cut.hpp"
#include "waits/packing.hpp"
#include "waits/reduce.hpp"
#include "waits/wording.hpp"
#include "waits_run.hpp"

namespace cairn::waits {
namespace {

std::vector<RankRecords> reduced(const std::vector<Process>& run, int losing = -1, std::size_t from = 0,
                                 std::size_t until = 0) {
  std::vector<RankRecords> all;
  for (int rank = 0; rank < static_cast<int>(run.size()); ++rank)
    all.push_back(run[static_cast<std::size_t>(rank)].reduced(rank == losing ? from : 0, rank == losing ? until : 0));
  return all;
}

/// By where and when their calls began.
using Moment = std::pair<int, std::int64_t>;
using Links = std::map<std::pair<Moment, Moment>, std::pair<bool, bool>>;  // whether each end was seen to complete
Moment moment_of(const Graph& graph, Index node) { return {graph.rank(node), graph.nodes[node].entry}; }

Links links_of(const Graph& graph) {
  Links links;
  for (const Link& link : graph.links)
    links[{moment_of(graph, link.send_begin), moment_of(graph, link.receive_begin)}] = {link.send_end != none,
                                                                                        link.receive_end != none};
  return links;
}

std::map<Moment, std::int64_t> waits_of(const Graph& graph) {
  const Waits waits(graph);
  std::map<Moment, std::int64_t> all;
  for (Index node = 0; node < graph.nodes.size(); ++node)
    if (graph.function(node) != "MPI_Finalize") all[moment_of(graph, node)] = waits.ns(graph, node);
  return all;
}

TEST(WaitsLost, MessagesBeforeAreMatchedAsIfNothingWereLostAndNoneAfterIs) {
  std::size_t shifted = 0;
  std::size_t compared = 0;
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    std::mt19937_64 random(seed + 1000);
    const std::vector<Process> run = random_run(seed);
    const Graph whole(reduced(run));
    const Links all = links_of(whole);
    const std::map<Moment, std::int64_t> waits = waits_of(whole);
    EXPECT_EQ(all.size(), whole.counts.sends);
    std::map<std::pair<int, int>, std::int64_t> latest;  // MPI keeps messages of two ranks in order
    for (const auto& [link, ends] : all) {
      std::int64_t& before = latest[{link.first.first, link.second.first}];
      EXPECT_LE(before, link.second.second) << seed;
      before = link.second.second;
    }
    const auto losing = static_cast<int>(random() % 3);
    const std::size_t records = run[static_cast<std::size_t>(losing)].records.size();
    const std::size_t from = 1 + random() % (records - 2);
    const std::size_t until = std::min(records - 1, from + 1 + random() % 12);
    std::vector<RankRecords> left = reduced(run, losing, from, until);
    const std::int64_t end = common_end(left);
    ASSERT_LE(end, static_cast<std::int64_t>(run[static_cast<std::size_t>(losing)].now())) << seed;
    EXPECT_EQ(left[static_cast<std::size_t>(losing)].lost, until - from);
    cut_alike(left);
    for (const RankRecords& one : left) EXPECT_EQ(unpacked(packed(one)), one);
    const Graph graph(left);
    for (const Node& node : graph.nodes) EXPECT_LT(node.entry, end);
    const Links known = links_of(graph);
    for (const auto& [link, ends] : known) {
      const auto found = all.find(link);
      ASSERT_NE(found, all.end()) << "seed " << seed << ": a message with a wrong partner";
      EXPECT_LE(ends.first, found->second.first);
      EXPECT_LE(ends.second, found->second.second);
    }
    for (const Link& link : whole.links) {
      if (link.send_end == none || link.receive_end == none) continue;
      const std::int64_t over = std::max(whole.nodes[link.send_end].exit, whole.nodes[link.receive_end].exit);
      if (over <= end) {
        EXPECT_TRUE(known.contains({moment_of(whole, link.send_begin), moment_of(whole, link.receive_begin)})) << seed;
      } else {
        ++shifted;
      }
    }
    if (Waits(graph).sends.eager.within == 0) continue;  // too little is left to tell that sends need no receiver
    ++compared;
    for (const auto& [node, ns] : waits_of(graph))
      if (const auto wait = waits.find(node); ns != 0 && wait != waits.end()) {
        EXPECT_EQ(ns, wait->second) << "seed " << seed << " rank " << node.first << " at " << node.second;
      }
  }
  EXPECT_GT(shifted, 1000U);
  EXPECT_GT(compared, 40U);
}

TEST(WaitsLost, HowMuchOfTheRunThatLeavesIsTold) {
  const std::vector<Process> run = random_run(7);
  const std::size_t half = run[1].records.size() / 2;
  const Summary summary = summarize(reduced(run, 1, half, half + 5), line_of);
  const auto& coverage = summary.coverage;
  EXPECT_NEAR(coverage.whole_run, 1e-9 * static_cast<double>(run[0].now()), 1e-9);
  EXPECT_GT(coverage.analysed, 0.2 * coverage.whole_run);
  EXPECT_LT(coverage.analysed, 0.8 * coverage.whole_run);
  EXPECT_LE(summary.run_time, coverage.analysed);
  ASSERT_EQ(coverage.left_out.size(), 2U);
  EXPECT_EQ(coverage.left_out[0].why, "calls after the last moment at which all ranks' calls are known");
  EXPECT_EQ(coverage.left_out[0].ranks, (std::vector<int>{0, 1, 2}));
  EXPECT_EQ(coverage.left_out[1].why, "records came faster than they were read and are lost");
  EXPECT_EQ(coverage.left_out[1].ranks, std::vector<int>{1});
  EXPECT_EQ(coverage.left_out[1].count, 5U);
  formats::waits::Coverage quarter;
  quarter.analysed = 2;
  quarter.whole_run = 8;
  EXPECT_EQ(analysed_text(quarter),
            "these figures cover the first 2 s of the run's 8 s; the last 75.0 % is left out: not all ranks' calls are "
            "known there");
  EXPECT_NE(text_of(summary).find("\n  these figures cover the first "), std::string::npos);
  EXPECT_EQ(text_of(summarize(reduced(run), line_of)).find("these figures"), std::string::npos);
}

/// From rank 0, which works before each, to rank 1, which waits.
std::vector<Process> late_messages(int count) {
  std::vector<Process> run;
  for (int rank = 0; rank < 2; ++rank) run.emplace_back(rank, 2);
  for (int i = 0; i < count; ++i) {
    run[0].work(100);
    run[0].call(send, 1, 5, 0);
    run[1].detail(page::message_received, run[1].call(receive, 0, 105, 0), 0, 0);
  }
  for (Process& one : run) one.call(finalize, -1, 1, 0);
  return run;
}

/// A send tells all by itself.
TEST(WaitsLost, WhatIsKnownEndsWithTheLastCallThatIsWhole) {
  const std::vector<Process> run = late_messages(3);
  EXPECT_EQ(common_end(reduced(run, 0, 2, 3)), static_cast<std::int64_t>(run[0].records[1].exit));
  EXPECT_EQ(common_end(reduced(run, 1, 3, 4)), static_cast<std::int64_t>(run[1].records[1].entry));
}

/// The first one's message is lost with its detail; without it all later ones would be matched with the one before.
TEST(WaitsLost, ACallWhoseDetailsAreLostIsNotKnown) {
  const std::vector<Process> run = late_messages(10);
  const std::vector<RankRecords> left = reduced(run, 1, 4, 5);  // init, call, detail, call, detail
  EXPECT_EQ(common_end(left), static_cast<std::int64_t>(run[1].records[3].entry));
  EXPECT_EQ(left[1].calls.size(), 2U);
  EXPECT_EQ(left[1].cut, 10U);  // nine more, and the last one
  const Summary summary = summarize(left, line_of);
  EXPECT_EQ(summary.coverage.matched, 1U);
  EXPECT_EQ(summary.coverage.receives, 1U);
}

/// As where memory ran out: what came between the last record and MPI_Finalize is not work.
TEST(WaitsLost, RecordsWithoutAnEndAreKnownUntilTheLastOfThem) {
  const std::vector<Process> run = late_messages(3);
  const trace::File file = run[1].file(0, 0, false);
  const auto last = static_cast<std::int64_t>(std::ranges::max(run[1].records, {}, &Record::exit).exit);
  Reduction own(file, {}, {.ticks = static_cast<std::uint64_t>(last + 1'000'000)});
  EXPECT_EQ(own.known_until(), last);
  own.end_at(own.known_until());
  EXPECT_TRUE(own.fill(SIZE_MAX));
  const RankRecords records = own.take({});
  EXPECT_EQ(records.over, last + 1'000'000);
  EXPECT_EQ(records.until, last);
  const std::string text = text_of(summarize({records}, line_of));
  EXPECT_NE(text.find("records end before the run does"), std::string::npos) << text;
}

TEST(WaitsLost, AClockThatJumpsIsReported) {
  std::vector<Process> run = late_messages(3);
  run[1].moments = {{5, 5, 5}, {6, 2, 6}};  // the second one goes back
  std::vector<RankRecords> all;
  for (const Process& one : run) all.push_back(unpacked(packed(reduce(one.file()))));
  EXPECT_EQ(all[0].jumps, 0U);
  EXPECT_EQ(all[1].jumps, 1U);
  const Summary summary = summarize(all, line_of);
  EXPECT_EQ(summary.coverage.matched, 3U);
  const std::string text = text_of(summary);
  EXPECT_NE(text.find("rank 1: readings of a clock that jumped or ran backwards (1)"), std::string::npos) << text;
}

/// All wait for all others in turn.
TEST(WaitsLost, PairsBeyondTheDearestAreCounted) {
  constexpr int size = 102;
  Job job(size);
  for (int late = 0; late < size; ++late) {
    std::vector<std::int64_t> entries(size, (10 * late + 1) * ms);
    entries[static_cast<std::size_t>(late)] = (10 * late + 5) * ms;
    job.all("MPI_Barrier", 20, entries, (10 * late + 6) * ms);
  }
  job.finalize(10 * size * ms);
  const Summary summary = summary_of(job);
  EXPECT_EQ(summary.pairs.size(), 10'000U);
  EXPECT_EQ(summary.pairs_left_out, std::uint64_t{size * (size - 1) - 10'000});
  EXPECT_NE(file_text(summary).find("\"pairs_left_out\": 302"), std::string::npos);
}

TEST(WaitsLost, WhereNoCallIsLeftTheReasonIsTold) {
  const std::vector<Process> run = late_messages(3);
  std::vector<RankRecords> left;
  for (const Process& one : run) left.push_back(unpacked(packed(one.reduced(0, one.records.size()))));
  const Summary summary = summarize(left, line_of);
  EXPECT_EQ(summary.ranks, 2);
  EXPECT_EQ(summary.coverage.calls, 0U);
  EXPECT_EQ(summary.coverage.missing, (std::vector<int>{0, 1}));
  ASSERT_EQ(summary.coverage.left_out.size(), 1U);
  EXPECT_EQ(summary.coverage.left_out[0].count, run[0].records.size() + run[1].records.size());
  EXPECT_TRUE(std::isnan(summary.run_time));
  EXPECT_TRUE(std::isnan(summary.efficiency.parallel));
  EXPECT_EQ(text_of(summary).find("  nothing is known: there are no records of calls\n"), 0U);
  EXPECT_NE(text_of(summary).find("ranks 0-1: records came faster than they were read and are lost"),
            std::string::npos);
  EXPECT_NE(file_text(summary).find("\"parallel\": null"), std::string::npos);
}

TEST(WaitsLost, TheEndIsTheSameForAllOnOneNodeWhateverTimeOfDayEachHasRead) {
  Job job(2);
  job.all("MPI_Barrier", 10, {10 * ms, 20 * ms}, 30 * ms);
  job.call(0, "MPI_Iprobe", 11, 50 * ms + 50, 50 * ms + 80);
  job.call(1, "MPI_Iprobe", 11, 45 * ms, 46 * ms);
  job.finalize(60 * ms);
  job.of(0).shift_ns = 900 * ms;
  job.of(1).shift_ns = 900 * ms + 100;
  job.of(1).until = 50 * ms;
  for (RankRecords& one : job.ranks) one.over = 61 * ms;
  const Summary summary = summary_of(job);
  EXPECT_DOUBLE_EQ(summary.coverage.analysed, 0.050);
  EXPECT_DOUBLE_EQ(summary.run_time, 0.045) << "without the call that began later";
}

}  // namespace
}  // namespace cairn::waits
