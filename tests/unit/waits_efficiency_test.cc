// SPDX-License-Identifier: BSD-3-Clause
// waits_efficiency_test.cc - efficiency of regions, windows and nodes, and the strips of ranks over time

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "waits_job.hpp"

namespace cairn::waits {
namespace {

/// Moments of each call on an ideal network, by the words of docs/waits.md: over and over, until nothing changes.
std::vector<std::int64_t> ideal_calls_by_definition(const Graph& graph, const Waits& waits) {
  std::vector<std::int64_t> entry, exit;
  for (const Node& node : graph.nodes) entry.push_back(node.entry), exit.push_back(node.exit);
  const std::vector<Node>& calls = graph.nodes;
  std::vector<std::int64_t> begin(calls.size(), 0), end(calls.size(), 0);
  const auto need = [&](Index node) {
    std::int64_t until = begin[node];
    const auto wait_for = [&](Index other) {
      if (calls[other].entry <= calls[node].exit) until = std::max(until, begin[other]);
    };
    for (Index i = graph.ended_at[node]; i < graph.ended_at[node + 1]; ++i) {
      const Ended& one = graph.ended[i];
      if (one.needs_sender()) wait_for(graph.links[one.which].send_begin);
      if (one.what != Ended::part) continue;
      const Operation& operation = graph.operations[graph.operation_of[one.which]];
      const bool is_root = graph.parts[one.which].rank == operation.root;
      bool is_over = false;  // somebody has come after it had returned
      for (Index part = operation.first; part < operation.first + operation.count; ++part)
        is_over = is_over || calls[graph.parts[part].begin].entry > calls[node].exit;
      for (Index part = operation.first; part < operation.first + operation.count; ++part) {
        if (operation.pattern == Pattern::one_to_n && graph.parts[part].rank != operation.root) continue;
        if (operation.pattern == Pattern::n_to_one && (!is_root || is_over)) continue;
        if (operation.pattern != Pattern::one_to_n && operation.pattern != Pattern::scan && is_over) continue;
        if (operation.pattern == Pattern::scan) {
          if (waits.at[node] != none) wait_for(waits.all[waits.at[node]].culprit);
        } else {
          wait_for(graph.parts[part].begin);
        }
      }
    }
    return until;
  };
  for (bool has_changed = true; has_changed;) {
    has_changed = false;
    for (const Lane& lane : graph.lanes)
      for (Index node = lane.first; node < lane.last; ++node) {
        const bool is_first = node == lane.first;
        const std::int64_t now = is_first ? entry[node] : end[node - 1] + entry[node] - exit[node - 1];
        has_changed = has_changed || now != begin[node];
        begin[node] = now;
        const std::int64_t over = is_first ? exit[node] : need(node);
        has_changed = has_changed || over != end[node];
        end[node] = over;
      }
  }
  std::vector<std::int64_t> lengths;
  for (Index node = 0; node < calls.size(); ++node) lengths.push_back(end[node] - begin[node]);
  return lengths;
}

TEST(Efficiency, OfPartsIsSplitByTheCallsOfAnIdealNetwork) {
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    Job job = random_job(seed);
    for (RankRecords& one : job.ranks) {
      one.regions = {"", "odd"};
      for (std::size_t i = 0; i < one.calls.size(); ++i) one.calls[i].region = one.calls[i].before = i / 3 % 2;
    }
    Figures figures(job.ranks, line_of);
    const Graph& graph = figures.graph;
    const std::vector<std::int64_t> ideal = ideal_calls_by_definition(graph, figures.waits);
    figures.predictions.with(figures.changes.ideal_network());
    const Replay& replay = figures.predictions.last();
    for (Index node = 0; node < graph.nodes.size(); ++node)
      ASSERT_EQ(replay.call_ns(node), ideal[node]) << seed << ' ' << node << ' ' << graph.function(node);
    const Summary summary = summary_of(job);
    for (const auto& part : summary.regions) {
      double longest = 0;
      for (const Lane& lane : graph.lanes) {
        double own = 0;
        for (Index node = lane.first + 1; node < lane.last; ++node)
          if (graph.regions[graph.nodes[node].region] == part.region)
            own += 1e-9 * static_cast<double>(ideal[node] + graph.nodes[node].entry - graph.nodes[node - 1].exit);
        longest = std::max(longest, own);
      }
      EXPECT_NEAR(part.of.transfer, std::min(1.0, longest / part.time), 1e-9) << seed << part.region;
      EXPECT_NEAR(part.of.parallel, part.of.load_balance * part.of.communication, 1e-9);
    }
    double work = 0, calls = 0;  // the longest rank's parts of windows add up to at least its whole
    for (const auto& part : summary.windows) {
      work += part.of.load_balance > 0 ? part.of.parallel / part.of.load_balance * part.time : 0;
      calls += part.of.transfer * part.time;
    }
    EXPECT_GE(calls + 1e-9, std::min(1.0, summary.efficiency.communication) * work) << seed;
  }
}

/// Rank 0 has left no records; ranks 1 and 2 are on another node than 3 and 4.
TEST(Efficiency, OfNodesIsThatOfTheirRanks) {
  Job job(5);
  for (const int rank : {3, 4}) job.of(rank).node = "there";
  job.all("MPI_Barrier", 20, {10 * ms, 10 * ms, 30 * ms, 40 * ms, 40 * ms}, 40 * ms);
  job.finalize(40 * ms);
  job.ranks.erase(job.ranks.begin());
  const Summary summary = summary_of(job);
  ASSERT_EQ(summary.nodes.size(), 2U);
  EXPECT_EQ(summary.nodes[0].node, "here");
  EXPECT_EQ(summary.nodes[0].ranks, (std::vector<int>{1, 2}));
  EXPECT_NEAR(summary.nodes[0].parallel, 0.5, 1e-9);
  EXPECT_NEAR(summary.nodes[0].load_balance, 20.0 / 30, 1e-9);
  EXPECT_NEAR(summary.nodes[0].communication, 0.75, 1e-9);
  EXPECT_EQ(summary.nodes[1].ranks, (std::vector<int>{3, 4}));
  EXPECT_NEAR(summary.nodes[1].parallel, 1, 1e-9);
  EXPECT_NEAR(summary.efficiency.load_balance, 0.75, 1e-9);
  EXPECT_NEAR(summary.efficiency.node_balance, 0.75, 1e-9);
  EXPECT_NEAR(summary.efficiency.balance_in_nodes, 1, 1e-9);
}

/// Two ranks: in "a" one waits for the other one's work, in "b" both move data.
TEST(Efficiency, TellsSerialisationFromTransferInRegions) {
  Job job(2);
  const Index late = job.call(1, "MPI_Send", 20, 40 * ms, 41 * ms);
  const Index early = job.call(0, "MPI_Recv", 21, 10 * ms, 41 * ms);
  job.message(1, late, late, 0, early, early);
  for (int rank = 0; rank < 2; ++rank) {
    job.of(rank).regions = {"", "a", "b"};
    job.of(rank).calls.back().region = job.of(rank).calls.back().before = 1;
  }
  job.all("MPI_Alltoall", 30, {51 * ms, 51 * ms}, 81 * ms);
  for (int rank = 0; rank < 2; ++rank) job.of(rank).calls.back().region = job.of(rank).calls.back().before = 2;
  job.finalize(81 * ms);
  const Summary summary = summary_of(job);
  const auto region = [&](const std::string& name) {
    return std::ranges::find(summary.regions, name, &formats::waits::PartEfficiency::region)->of;
  };
  EXPECT_NEAR(region("a").transfer, 40.0 / 41, 1e-9);
  EXPECT_NEAR(region("a").serialisation, 1, 1e-9);  // the rank with most work has it all: it is load balance
  EXPECT_NEAR(region("a").load_balance, 25.0 / 40, 1e-9);
  EXPECT_NEAR(region("b").transfer, 10.0 / 40, 1e-9);
  EXPECT_NEAR(region("b").serialisation, 1, 1e-9);
}

TEST(Timeline, HasTheCriticalPathAndIsBoundedForManyRanks) {
  const Summary few = summary_of(late_rank("MPI_Barrier"));
  ASSERT_EQ(few.timeline.strips.size(), 4U);
  const auto on_path = [](const formats::waits::Strip& strip) {
    return std::accumulate(strip.path.begin(), strip.path.end(), 0);
  };
  EXPECT_GT(on_path(few.timeline.strips[3]), 90 * 200);
  EXPECT_LT(on_path(few.timeline.strips[0]), 10 * 200);
  Job job(1000);
  std::vector<std::int64_t> entries(1000, 10 * ms);
  job.all("MPI_Barrier", 20, entries, 11 * ms);
  job.finalize(11 * ms);
  const Summary many = summary_of(job);
  ASSERT_EQ(many.timeline.strips.size(), 64U);
  EXPECT_EQ(many.timeline.strips[0].ranks.size(), 16U);
  EXPECT_EQ(many.timeline.strips[0].work.size(), 200U);
}

}  // namespace
}  // namespace cairn::waits
