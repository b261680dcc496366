// SPDX-License-Identifier: BSD-3-Clause
// waits_clocks_test.cc - moments of several clocks in one time, corrected where they contradict each other

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "waits/wording.hpp"
#include "waits_job.hpp"

namespace cairn::waits {
namespace {

TEST(WaitsClocks, OfMessagesThatWereReceivedBeforeTheyWereSentAreCorrected) {
  Job job(2);
  const Index send = job.call(0, "MPI_Send", 10, 50 * ms, 51 * ms);
  const Index receive = job.call(1, "MPI_Recv", 11, 5 * ms, 40 * ms);
  job.message(0, send, send, 1, receive, receive);
  job.finalize(60 * ms);
  const Summary summary = summary_of(job);
  EXPECT_EQ(summary.clock.corrected, 1U);
  EXPECT_NEAR(summary.clock.largest, 0.010, 1e-9);
  EXPECT_NE(text_of(summary).find("\n  by the records, messages were received before they were sent, or barriers left "
                                  "before all ranks arrived: 1 corrected, by up to 0.01 s\n"),
            std::string::npos)
      << text_of(summary);
  EXPECT_NEAR(find(summary, "late_sender")->time, 0.045, 1e-9);
}

TEST(WaitsClocks, AreCorrectedToTheEndOfTheChain) {
  Job job(3);  // each one's answer was received before it was sent, as soon as its question is
  const Index first = job.call(0, "MPI_Send", 10, 50 * ms, 51 * ms);
  const Index got = job.call(1, "MPI_Recv", 11, 5 * ms, 40 * ms);
  const Index passed = job.call(1, "MPI_Send", 12, 42 * ms, 43 * ms);
  const Index last = job.call(2, "MPI_Recv", 13, 5 * ms, 44 * ms);
  job.message(0, first, first, 1, got, got);
  job.message(1, passed, passed, 2, last, last);
  job.finalize(60 * ms);
  const Graph graph(job.ranks);
  EXPECT_EQ(graph.counts.corrected, 1U);  // the other one follows from it
  for (const Link& link : graph.links)
    EXPECT_GE(graph.nodes[link.receive_end].exit, graph.nodes[link.send_begin].entry);
  EXPECT_EQ(graph.nodes[graph.links[0].receive_end].exit, 50 * ms);
}

/// By the words of docs/waits.md, over and over until nothing changes.
std::vector<Node> corrected_by_definition(const Graph& graph, std::vector<Node> calls) {
  const std::vector<Node> recorded = calls;
  std::vector<std::vector<Index>> sends(calls.size());  // by the call that receives
  for (const Link& link : graph.links)
    if (link.receive_end != none) sends[link.receive_end].push_back(link.send_begin);
  for (bool has_changed = true; has_changed;) {
    has_changed = false;
    for (Index node = 0; node < calls.size(); ++node) {
      const bool is_first = graph.is_first(node);
      const std::int64_t entry = is_first ? recorded[node].entry : std::max(recorded[node].entry, calls[node - 1].exit);
      std::int64_t exit = entry + recorded[node].exit - recorded[node].entry;
      for (const Index send : sends[node]) exit = std::max(exit, calls[send].entry);
      has_changed = has_changed || entry != calls[node].entry || exit != calls[node].exit;
      calls[node].entry = entry;
      calls[node].exit = exit;
    }
  }
  return calls;
}

TEST(WaitsClocks, OfRandomProgramsAreCorrectedAsDefined) {
  std::uint64_t corrected = 0;
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    std::mt19937_64 random(seed);
    const int size = 2 + static_cast<int>(random() % 5);
    Job job(size);
    std::vector<std::int64_t> now(static_cast<std::size_t>(size)), off(static_cast<std::size_t>(size));
    for (std::int64_t& one : off) one = static_cast<std::int64_t>(random() % 3000);
    const auto call = [&](int rank, const std::string& function, std::int64_t entry, std::int64_t exit) {
      const auto own = static_cast<std::size_t>(rank);
      now[own] = exit;
      return job.call(rank, function, 10, entry + off[own], exit + off[own]);
    };
    for (int step = 0; step < 100; ++step) {
      const int from = static_cast<int>(random() % static_cast<std::uint64_t>(size));
      const int to = (from + 1 + static_cast<int>(random() % static_cast<std::uint64_t>(size - 1))) % size;
      const std::int64_t sends = now[static_cast<std::size_t>(from)] + 1 + static_cast<std::int64_t>(random() % 300);
      const std::int64_t asks = now[static_cast<std::size_t>(to)] + 1 + static_cast<std::int64_t>(random() % 300);
      const Index send = call(from, "MPI_Send", sends, sends + 3);
      const Index receive = call(to, "MPI_Recv", asks, std::max(sends, asks) + 5);
      job.message(from, send, send, to, receive, receive);
    }
    for (int rank = 0; rank < size; ++rank)
      call(rank, "MPI_Finalize", *std::ranges::max_element(now) + 1, *std::ranges::max_element(now) + 1);
    const Graph graph(job.ranks);
    std::vector<Node> recorded = graph.nodes;
    for (const RankRecords& one : job.ranks)
      for (Index i = 0; i < one.calls.size(); ++i) {
        Node& node = recorded[graph.lanes[static_cast<std::size_t>(one.rank)].first + i];
        node.entry = one.calls[i].entry;
        if (graph.function(static_cast<Index>(&node - recorded.data())) != "MPI_Finalize")
          node.exit = one.calls[i].exit;
      }
    for (const Lane& lane : graph.lanes) {  // MPI_Finalize lasts until the last one comes
      Node& last = recorded[lane.last - 1];
      for (const Lane& other : graph.lanes) last.exit = std::max(last.exit, recorded[other.last - 1].entry);
    }
    const std::vector<Node> wanted = corrected_by_definition(graph, recorded);
    for (Index node = 0; node < graph.nodes.size(); ++node) {
      ASSERT_EQ(graph.nodes[node].entry, wanted[node].entry) << seed << ' ' << node;
      if (node + 1 < graph.lanes[graph.nodes[node].lane].last) {
        ASSERT_EQ(graph.nodes[node].exit, wanted[node].exit) << seed;
      }
    }
    corrected += graph.counts.corrected;
  }
  EXPECT_GT(corrected, 500U);
}

/// Each message of 200,000 comes 50 ms too early, a microsecond after the one before: a look at all that each of them
/// moves would be one at 10^10 calls.
TEST(WaitsClocks, ThatAreFarApartAreCorrectedAllTheSame) {
  constexpr int messages = 200'000;
  Job job(2);
  for (int i = 0; i < messages; ++i) {
    const std::int64_t now = 100 * ms + 1000 * i;
    const Index send = job.call(0, "MPI_Send", 10, now, now + 300);
    const Index receive = job.call(1, "MPI_Recv", 11, now - 50 * ms, now - 50 * ms + 700);
    job.message(0, send, send, 1, receive, receive);
  }
  job.finalize(100 * ms + 1000 * messages);
  const Graph graph(job.ranks);
  EXPECT_EQ(graph.counts.corrected, static_cast<std::uint64_t>(messages));
  EXPECT_EQ(graph.counts.largest_ns, 50 * ms - 700);
  for (const Link& link : graph.links)
    ASSERT_GE(graph.nodes[link.receive_end].exit, graph.nodes[link.send_begin].entry);
}

/// Ranks of the second node have a clock of their own, which was compared.
Job job_of_two_nodes(std::int64_t exit) {
  Job job(2);
  job.all("MPI_Barrier", 10, {40 * ms, 10 * ms}, 41 * ms);
  job.of(1).calls.back().exit = exit;
  job.finalize(60 * ms);
  job.of(0).clock = {77, 0, 0, true};
  job.of(1).clock = {77, 3'000, -2 * ms, true};
  job.of(1).node = "there";
  job.of(0).shift_ns = job.of(1).shift_ns = 900 * ms;
  return job;
}

TEST(WaitsClocks, ThatWereComparedGiveOneTime) {
  const Summary summary = summary_of(job_of_two_nodes(41 * ms));
  EXPECT_EQ(summary.clock.nodes, 2);
  EXPECT_EQ(summary.clock.compared, "start and end");
  EXPECT_NEAR(summary.clock.error, 3e-6, 1e-12);
  EXPECT_NEAR(summary.clock.drift, 0.002, 1e-12);
  EXPECT_EQ(summary.clock.corrected, 0U);
  EXPECT_NEAR(find(summary, "wait_at_barrier")->time, 0.030, 1e-9);
  EXPECT_NEAR(summary.run_time, 0.060, 1e-9);
  EXPECT_NE(text_of(summary).find(
                "\n  the clocks of 2 nodes were compared at the start and end, times are accurate to 3 us\n"),
            std::string::npos)
      << text_of(summary);
}

TEST(WaitsClocks, ByWhichABarrierWasLeftTooEarlyAreCorrected) {
  const Summary summary = summary_of(job_of_two_nodes(39 * ms));
  EXPECT_EQ(summary.clock.corrected, 1U);
  EXPECT_NEAR(summary.clock.largest, 0.001, 1e-9);
  EXPECT_NEAR(find(summary, "wait_at_barrier")->time, 0.030, 1e-9);
  EXPECT_NE(text_of(summary).find("\n  by the clocks, messages were received before they were sent, or barriers left "
                                  "before all ranks arrived: 1 corrected, by up to 0.001 s\n"),
            std::string::npos)
      << text_of(summary);
}

TEST(WaitsClocks, ThatWereNotComparedGiveTheTimeOfDay) {
  Job job = job_of_two_nodes(41 * ms);
  job.of(1).clock = {};
  for (Call& call : job.of(1).calls) call.entry -= 5'000 * ms, call.exit -= 5'000 * ms;
  job.of(1).shift_ns += 5'000 * ms;
  const Summary summary = summary_of(job);
  EXPECT_EQ(summary.clock.compared, "time of day");
  EXPECT_NEAR(summary.clock.error, 0.001, 1e-12);
  EXPECT_NEAR(find(summary, "wait_at_barrier")->time, 0.030, 1e-9);
}

}  // namespace
}  // namespace cairn::waits
