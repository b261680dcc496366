// SPDX-License-Identifier: BSD-3-Clause
// waits_test.cc - wait states, causes and the critical path of runs that never were: all is known of them

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>

#include "trace/bytes.hpp"
#include "waits/cut.hpp"
#include "waits/packing.hpp"
#include "waits/wording.hpp"
#include "waits_job.hpp"

namespace cairn::waits {
namespace {

TEST(Waits, OfALateRankAreChargedToItsWorkAndItsMendingIsPredicted) {
  for (const auto& [function, kind] :
       {std::pair{"MPI_Barrier", "wait_at_barrier"}, std::pair{"MPI_Allreduce", "wait_at_n_to_n"}}) {
    const Summary summary = summary_of(late_rank(function));
    ASSERT_NE(find(summary, kind), nullptr) << function;
    EXPECT_NEAR(find(summary, kind)->time, 3 * 0.2, 1e-9);
    EXPECT_EQ(find(summary, kind)->communicator, "MPI_COMM_WORLD");
    ASSERT_FALSE(summary.causes.empty());
    const auto& cause = summary.causes[0];
    EXPECT_EQ(cause.kind, "work");
    EXPECT_EQ(cause.ranks, std::vector<int>{3});
    EXPECT_EQ(cause.to.at.line, 20);
    EXPECT_NEAR(cause.cost, 0.6, 1e-9);
    EXPECT_NEAR(cause.predicted_run, 0.110, 1e-6);
    EXPECT_NEAR(summary.run_time, 0.310, 1e-9);
    EXPECT_NEAR(summary.replayed, 0.310, 1e-9);
    EXPECT_NEAR(summary.path.length, 0.310, 1e-9);
    EXPECT_EQ(summary.path.ranks[0].rank, 3);
    EXPECT_NEAR(summary.efficiency.parallel, summary.efficiency.load_balance * summary.efficiency.communication, 1e-9);
    EXPECT_NEAR(summary.efficiency.load_balance, 0.5, 1e-9);
    EXPECT_NEAR(summary.efficiency.transfer, 300.0 / 310, 1e-9);
  }
}

TEST(Waits, OfPersistentAndOfBegunCallsFollowTheSamePattern) {
  for (const std::string suffix : {"", "_init"})
    for (const std::string prefix : {"MPI_", "MPI_I", "MPIX_"}) {
      const auto of = [&](std::string name) {
        if (prefix == "MPI_I") name[0] = static_cast<char>(std::tolower(name[0]));
        return pattern_of(prefix + name + suffix);
      };
      EXPECT_EQ(of("Barrier"), Pattern::barrier);
      EXPECT_EQ(of("Bcast"), Pattern::one_to_n);
      EXPECT_EQ(of("Scatterv"), Pattern::one_to_n);
      EXPECT_EQ(of("Reduce"), Pattern::n_to_one);
      EXPECT_EQ(of("Gather"), Pattern::n_to_one);
      EXPECT_EQ(of("Reduce_scatter"), Pattern::n_to_n);
      EXPECT_EQ(of("Exscan"), Pattern::scan);
      EXPECT_EQ(of("Neighbor_alltoall"), Pattern::neighbors);
    }
}

TEST(Waits, CausesHaveTheFunctionsThatSamplesFoundInTheirWork) {
  Job job = late_rank("MPI_Barrier");
  const auto sample = [&](int rank, Index call, std::uint64_t line, std::int64_t ns) {
    RankRecords& one = job.of(rank);
    one.samples.push_back({call, static_cast<Index>(one.sites.size()), 2, ns});
    one.sites.push_back({"", line < 100 ? "app" : "libm.so", line});
  };
  for (Index step = 1; step <= 10; ++step) {
    sample(3, step, 7, 10 * ms);
    sample(3, step, 8, 5 * ms);
    sample(3, step, 100, 15 * ms);
    sample(1, step, 9, 10 * ms);  // a rank that waits
  }
  for (const RankRecords& one : job.ranks) EXPECT_EQ(unpacked(packed(one)), one);
  const Summary summary = summary_of(job);
  const auto& samples = summary.causes[0].samples;
  ASSERT_EQ(samples.size(), 2U);
  EXPECT_EQ(samples[0].at.line, 7) << "the dearer one of the function's two";
  EXPECT_NEAR(samples[0].time, 0.15, 1e-9);
  EXPECT_EQ(samples[1].at.object, "libm.so");
  EXPECT_NEAR(samples[1].time, 0.15, 1e-9);
  EXPECT_NE(text_of(summary).find("\n      of that time 50.0 % heat.c:7 solve, 50.0 % heat.c:100 solve (60 samples)\n"),
            std::string::npos);
  cut(job.of(3), 100 * ms);
  EXPECT_LT(job.of(3).samples.size(), 15U);
  job.of(3).samples[0].site = static_cast<Index>(job.of(3).sites.size());
  EXPECT_THROW(unpacked(packed(job.of(3))), trace::Damaged);
}

TEST(Waits, TheStartOfMpiIsNobodysInefficiency) {
  Job job = late_rank("MPI_Barrier");
  const auto before = summary_of(job).efficiency;
  for (RankRecords& rank : job.ranks) rank.calls[0].entry -= 500 * ms;  // MPI_Init
  const Summary summary = summary_of(job);
  EXPECT_NEAR(summary.run_time, 0.810, 1e-9);
  EXPECT_NEAR(summary.efficiency.parallel, 0.15 / 0.310, 1e-9);
  EXPECT_NEAR(summary.efficiency.parallel, before.parallel, 1e-9);
  EXPECT_NEAR(summary.efficiency.transfer, before.transfer, 1e-9);
}

TEST(Waits, AtARootAreForItselfOrForTheFirstAndTheLastOfTheOthers) {
  const Summary broadcast = summary_of(late_rank("MPI_Bcast", 3));
  ASSERT_NE(find(broadcast, "wait_at_one_to_n"), nullptr);
  EXPECT_NEAR(find(broadcast, "wait_at_one_to_n")->time, 0.6, 1e-9);
  Job job(3);
  job.all("MPI_Reduce", 30, {10 * ms, 15 * ms, 40 * ms}, 41 * ms, 0);
  job.finalize(41 * ms);
  const Summary reduce = summary_of(job);
  EXPECT_NEAR(find(reduce, "early_reduce")->time, 0.005, 1e-9);
  EXPECT_NEAR(find(reduce, "wait_at_n_to_one")->time, 2 * 0.025, 1e-9);
  EXPECT_EQ(find(reduce, "wait_at_n_to_one")->ranks, (std::vector<int>{0, 1})) << "1 returns just after 2 has come";
}

TEST(Waits, ForALateSenderGoBackToTheBeginningOfTheChain) {
  Job job(3);  // 0 works 50 ms, then 1 after it has heard of it 10 ms, then 2
  const Index first = job.call(0, "MPI_Send", 10, 50 * ms, 51 * ms);
  const Index heard = job.call(1, "MPI_Recv", 11, 5 * ms, 51 * ms);
  const Index next = job.call(1, "MPI_Send", 12, 61 * ms, 62 * ms);
  const Index last = job.call(2, "MPI_Recv", 11, 5 * ms, 62 * ms);
  job.message(0, first, first, 1, heard, heard);
  job.message(1, next, next, 2, last, last);
  for (const auto& [rank, end] : {std::pair{0, 51}, {1, 62}, {2, 63}})
    job.call(rank, "MPI_Finalize", 99, end * ms, end * ms);
  const Summary summary = summary_of(job);
  EXPECT_NEAR(find(summary, "late_sender")->time, 0.045 + 0.056, 1e-9);
  EXPECT_EQ(summary.causes[0].ranks, std::vector<int>{0});
  EXPECT_EQ(summary.causes[0].to.at.line, 10);
  EXPECT_GT(summary.causes[0].cost, 0.085);
  double all = 0;
  for (const auto& cause : summary.causes) all += cause.cost;
  EXPECT_NEAR(all, 0.101 + 0.012 + 0.001, 1e-9);  // with what they wait in MPI_Finalize
  EXPECT_NEAR(summary.replayed, 0.063, 1e-9);
  EXPECT_EQ(summary.path.segments.size(), 3U);
}

TEST(Waits, ForReceiversAndForTransfersThatNeedBothSides) {
  Job job(2);
  const Index send = job.call(0, "MPI_Send", 10, 5 * ms, 41 * ms);  // 1 asks for it at 40
  const Index receive = job.call(1, "MPI_Recv", 11, 40 * ms, 41 * ms);
  job.message(0, send, send, 1, receive, receive, 1'000'000);
  const Index begin = job.call(0, "MPI_Isend", 12, 42 * ms, 43 * ms);  // 0 is back in MPI at 80
  const Index end = job.call(0, "MPI_Wait", 13, 80 * ms, 82 * ms);
  const Index other = job.call(1, "MPI_Recv", 14, 45 * ms, 82 * ms);
  job.message(0, begin, end, 1, other, other, 1'000'000);
  job.finalize(82 * ms);
  const Summary summary = summary_of(job);
  EXPECT_NEAR(find(summary, "late_receiver")->time, 0.035, 1e-9);
  EXPECT_NEAR(find(summary, "late_completion")->time, 0.035, 1e-9);
  const auto overlap = std::ranges::find_if(summary.causes, [](const auto& cause) { return cause.from.at.line == 12; });
  ASSERT_NE(overlap, summary.causes.end());
  EXPECT_EQ(overlap->to.at.line, 13);
  EXPECT_NEAR(overlap->cost, 0.035, 1e-9);
}

/// As in a halo exchange: nothing tells that so small a message needs no receiver.
TEST(Waits, ForATransferThatBeganLateAreForThatFirst) {
  Job job(2);
  const Index asked = job.call(0, "MPI_Irecv", 10, 4 * ms, 5 * ms);
  const Index waiting = job.call(0, "MPI_Wait", 11, 5 * ms, 48 * ms);
  const Index begin = job.call(1, "MPI_Isend", 12, 40 * ms, 41 * ms);
  const Index end = job.call(1, "MPI_Wait", 13, 47 * ms, 48 * ms);
  job.message(1, begin, end, 0, asked, waiting);
  job.finalize(48 * ms);
  const Summary summary = summary_of(job);
  EXPECT_NEAR(find(summary, "late_sender")->time, 0.035, 1e-9);
  EXPECT_NEAR(find(summary, "late_completion")->time, 0.007, 1e-9);
  EXPECT_EQ(summary.causes[0].to.at.line, 12);
  EXPECT_NEAR(summary.causes[0].cost, 0.035, 1e-9);
  EXPECT_EQ(summary.causes[1].to.at.line, 13);
  EXPECT_NEAR(summary.causes[1].cost, 0.007, 1e-9);
}

TEST(Waits, ForAMessageWhileAnotherOneIsThereAreInTheWrongOrder) {
  Job job(3);
  const Index early = job.call(2, "MPI_Send", 10, 1 * ms, 2 * ms);
  const Index late = job.call(1, "MPI_Send", 10, 30 * ms, 31 * ms);
  const Index first = job.call(0, "MPI_Recv", 11, 5 * ms, 31 * ms);
  const Index second = job.call(0, "MPI_Recv", 12, 31 * ms, 32 * ms);
  job.message(1, late, late, 0, first, first);
  job.message(2, early, early, 0, second, second);
  job.finalize(32 * ms);
  EXPECT_NEAR(find(summary_of(job), "wrong_order")->time, 0.025, 1e-9);
}

TEST(Waits, OfIncompleteRecordsAreKnownForTheRestAndWhatIsMissingIsTold) {
  Job job = late_rank("MPI_Barrier");
  job.ranks[1].end = "SIGKILL";
  job.ranks[1].calls.resize(4);
  job.ranks[1].threads[0].count = 4;
  job.ranks[1].together.resize(3);
  job.ranks[2].lost = 17;
  job.ranks.erase(job.ranks.begin());
  const Summary summary = summary_of(job);
  EXPECT_EQ(summary.coverage.missing, std::vector<int>{0});
  ASSERT_EQ(summary.coverage.left_out.size(), 2U);
  EXPECT_EQ(summary.coverage.left_out[0].why, "ended by SIGKILL");
  EXPECT_EQ(summary.coverage.left_out[1].count, 17U);
  EXPECT_NEAR(summary.replayed, summary.run_time, 1e-9);
  EXPECT_EQ(summary.causes[0].ranks, std::vector<int>{3});
  EXPECT_EQ(summarize({}, line_of).ranks, 0);
}

/// Rank 2 has no records: what of a call is waiting for it, and what is transfer, is told of no call that needs it.
TEST(Waits, ForRanksWithoutRecordsAreNeitherWaitingNorTransfer) {
  Job job(3);
  const auto send = [&](int from, int to, std::int64_t begin, std::int64_t end, std::int64_t came,
                        std::uint64_t bytes) {
    const Index sent = job.call(from, "MPI_Send", 10, begin * ms, end * ms);
    const Index received = job.call(to, "MPI_Recv", 11, came * ms, end * ms);
    job.message(from, sent, sent, to, received, received, bytes);
  };
  send(1, 0, 10, 12, 10, 8);  // both have records: transfer
  const Index early = job.call(0, "MPI_Send", 12, 20 * ms, 21 * ms);
  const Index late = job.call(1, "MPI_Recv", 13, 25 * ms, 26 * ms);
  job.message(0, early, early, 1, late, late, 100);                    // such messages need no receiver
  send(2, 0, 30, 45, 30, 8);                                           // 15 ms unknown
  send(0, 2, 50, 53, 50, 8);                                           // transfer
  send(1, 2, 50, 57, 50, 1000);                                        // 7 ms unknown
  job.all("MPI_Bcast", 20, {60 * ms, 60 * ms, 60 * ms}, 62 * ms, 2);   // 2 x 2 ms unknown
  job.all("MPI_Bcast", 21, {62 * ms, 62 * ms, 62 * ms}, 64 * ms, 0);   // transfer
  job.all("MPI_Reduce", 22, {64 * ms, 64 * ms, 64 * ms}, 66 * ms, 2);  // transfer
  job.all("MPI_Reduce", 23, {66 * ms, 66 * ms, 66 * ms}, 69 * ms, 0);  // 3 ms unknown: of the root
  job.all("MPI_Scan", 25, {69 * ms, 69 * ms, 69 * ms}, 70 * ms);       // transfer: 2 comes after both
  job.all("MPI_Barrier", 24, {70 * ms, 80 * ms, 80 * ms}, 81 * ms);  // rank 0 waits 10 ms for rank 1; 2 x 1 ms unknown
  job.finalize(90 * ms);
  const Summary whole = summary_of(job);
  EXPECT_EQ(whole.split.unknown, 0);
  EXPECT_GE(whole.efficiency.transfer, 0);
  EXPECT_EQ(text_of(whole).find("waiting or transfer"), std::string::npos);
  job.ranks.pop_back();
  const Summary summary = summary_of(job);
  EXPECT_NEAR(summary.split.unknown, 0.031, 1e-9);
  EXPECT_NEAR(summary.split.waiting, 0.010, 1e-9);
  EXPECT_NEAR(summary.split.all(), 2 * 0.090, 1e-9);
  EXPECT_NEAR(summary.by_rank[0].split.unknown, 0.021, 1e-9);
  EXPECT_LT(summary.efficiency.transfer, 0);
  EXPECT_LT(summary.windows[0].of.serialisation, 0);
  const auto ideal = std::ranges::find(summary.what_if, "ideal_network", &formats::waits::WhatIf::change);
  EXPECT_GT(ideal->predicted_run, 0.090 - 0.020);  // calls that are unknown stay as long as they were
  EXPECT_NE(text_of(summary).find(" 17.2 % waiting or transfer: there are no records of what was needed\n"),
            std::string::npos)
      << text_of(summary);
  const std::vector<int>& unknown = summary.timeline.strips[0].unknown;
  EXPECT_NEAR(std::accumulate(unknown.begin(), unknown.end(), 0) * summary.timeline.bin, 2.1, 0.05);
}

/// Rank 1's records end in the fourth of ten steps of 31 ms.
TEST(Waits, AreThoseOfTheTimeForWhichAllRanksHaveRecords) {
  Job job = late_rank("MPI_Barrier");
  job.ranks[1].calls.resize(4);
  job.ranks[1].threads[0].count = 4;
  job.ranks[1].together.resize(3);
  job.ranks[1].omitted = 8;
  job.ranks[1].until = 93 * ms;
  const Summary summary = summary_of(job);
  EXPECT_NEAR(find(summary, "wait_at_barrier")->time, 3 * 3 * 0.020, 1e-9);
  EXPECT_EQ(summary.coverage.incomplete, 0U);
  EXPECT_EQ(summary.coverage.collectives, 3U);
  EXPECT_NEAR(summary.replayed, summary.run_time, 1e-9);
  ASSERT_EQ(summary.coverage.left_out.size(), 2U);
  EXPECT_EQ(summary.coverage.left_out[0].why, "calls after the last moment at which all ranks' calls are known");
  EXPECT_EQ(summary.coverage.left_out[0].ranks, (std::vector<int>{0, 2, 3}));
  EXPECT_EQ(summary.coverage.left_out[0].count, 3U * 8);
  EXPECT_EQ(summary.coverage.left_out[1].why, "records beyond the memory limit");
  EXPECT_EQ(summary.coverage.left_out[1].ranks, std::vector<int>{1});
}

// ---------------------------------------------------------- random programs, against the definitions

/// By the words of docs/waits.md, from all calls of all ranks.
std::int64_t wait_by_definition(const Graph& graph, Index node, std::uint64_t eager) {
  const Node& call = graph.nodes[node];
  std::int64_t until = call.entry;
  const auto wait_for = [&](std::int64_t moment) {
    if (moment <= call.exit) until = std::max(until, moment);
  };
  for (const Link& link : graph.links) {
    if (link.receive_end == node) wait_for(graph.nodes[link.send_begin].entry);
    if (link.send_end == node && link.bytes > eager) wait_for(graph.nodes[link.receive_begin].entry);
  }
  const bool is_probe = graph.function(node) == "MPI_Probe";
  const Link* next = nullptr;
  for (const Link& link : graph.links)
    if (is_probe && graph.nodes[link.receive_begin].lane == call.lane && link.receive_begin > node &&
        (next == nullptr || link.receive_begin < next->receive_begin))
      next = &link;
  if (next != nullptr) wait_for(graph.nodes[next->send_begin].entry);
  for (const Operation& operation : graph.operations)
    for (Index own = operation.first; own < operation.first + operation.count; ++own)
      if (graph.parts[own].end == node)
        for (Index i = operation.first; i < operation.first + operation.count; ++i) {
          const Part& other = graph.parts[i];
          const bool is_root = other.rank == operation.root;
          const bool counts = operation.pattern == Pattern::one_to_n   ? is_root
                              : operation.pattern == Pattern::n_to_one ? graph.parts[own].rank == operation.root
                              : operation.pattern == Pattern::scan     ? i < own
                                                                       : true;
          if (counts) wait_for(graph.nodes[other.begin].entry);
        }
  return until - call.entry;
}

TEST(Waits, OfRandomProgramsAreAsDefinedToTheNanosecond) {
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    const Graph graph(random_job(seed).ranks);
    const Waits waits(graph);
    std::int64_t all = 0;
    for (Index node = 0; node < graph.nodes.size(); ++node) {
      ASSERT_EQ(waits.ns(graph, node), wait_by_definition(graph, node, waits.sends.eager.within))
          << seed << ' ' << node;
      all += waits.ns(graph, node);
    }
    double charged = 0;
    for (const CauseSum& cause : causes_of(graph, waits)) charged += cause.cost_ns;
    EXPECT_NEAR(charged, static_cast<double>(all), 1 + 1e-9 * charged) << seed;
    std::int64_t on_path = 0;
    for (const PathStep& step : critical_path(graph, waits)) on_path += step.until - step.from;
    EXPECT_EQ(on_path, graph.end_ns - graph.begin_ns) << seed;
    const Dependencies dependencies(graph, waits);
    Replay replay(dependencies);
    EXPECT_EQ(replay.run({}), graph.end_ns - graph.begin_ns) << seed;
    EXPECT_EQ(dependencies.order().forced(), 0U) << seed;
  }
}

/// How many calls come before something that they need.
std::size_t come_too_early(const Dependencies& run) {
  const Graph& graph = run.graph();
  std::vector<bool> is_entered(graph.nodes.size());
  std::vector<Index> arrived(graph.operations.size());
  std::size_t early = 0;
  const auto enter = [&](Index node) {
    if (is_entered[node]) return;
    is_entered[node] = true;
    for (const Index operation : run.begun(node)) ++arrived[operation];
  };
  for (const Stretch& stretch : run.order().stretches()) {
    enter(stretch.first);
    for (Index node = stretch.first; node < stretch.last; ++node) {
      early += std::ranges::any_of(run.sources(node), [&](const Source& source) {
        if (source.what == Source::all_parts) return arrived[source.of] < graph.operations[source.of].count;
        if (source.what == Source::neighbors) {
          bool is_early = false;
          run.for_all_neighbors(node, source.call, [&](Index call) { is_early = is_early || !is_entered[call]; });
          return is_early;
        }
        return source.what != Source::sender && !is_entered[source.call];
      });
      if (node + 1 < graph.lanes[stretch.lane].last) enter(node + 1);
    }
  }
  return early;
}

void expect_each_call_once_and_after_what_it_needs(const Job& job) {
  const Graph graph(job.ranks);
  const Waits waits(graph);
  const Dependencies dependencies(graph, waits);
  std::vector<Index> next;
  for (const Lane& lane : graph.lanes) next.push_back(lane.first);
  for (const Stretch& stretch : dependencies.order().stretches()) {
    ASSERT_EQ(stretch.first, next[stretch.lane]);
    next[stretch.lane] = stretch.last;
  }
  for (Index lane = 0; lane < graph.lanes.size(); ++lane) EXPECT_EQ(next[lane], graph.lanes[lane].last);
  EXPECT_EQ(come_too_early(dependencies), 0U);
  EXPECT_EQ(dependencies.order().forced(), 0U);
}

TEST(WaitsOrder, HasEachCallOnceAndAfterWhatItNeeds) {
  for (std::uint64_t seed = 0; seed < 40; ++seed) expect_each_call_once_and_after_what_it_needs(random_job(seed));
}

/// The main threads of a ring exchange with neighbors; a second one of each, which begins in the middle, receives from
/// that of the rank before.
TEST(WaitsOrder, HasNeighborsAndThreads) {
  constexpr int size = 5;
  std::mt19937_64 random(1);
  Job job(size);
  const auto moments_after = [&](std::int64_t begin) {
    std::vector<std::int64_t> moments;
    for (int rank = 0; rank < size; ++rank) moments.push_back(begin + static_cast<std::int64_t>(random() % (5 * ms)));
    return moments;
  };
  for (int rank = 0; rank < size; ++rank) job.of(rank).comms[1].sources = {(rank + size - 1) % size, (rank + 1) % size};
  for (int step = 0; step < 20; ++step)
    job.all("MPI_Neighbor_allgather", 10, moments_after(step * 10 * ms), (step * 10 + 6) * ms);
  job.finalize(300 * ms);
  std::vector<Index> sends;
  for (int rank = 0; rank < size; ++rank) {
    job.begin_thread(rank);
    for (int step = 0; step < 5; ++step) {
      sends.push_back(job.call(rank, "MPI_Send", 20, (55 + step * 20) * ms, (56 + step * 20) * ms));
      job.call(rank, "MPI_Recv", 21, (57 + step * 20 - rank) * ms, (60 + step * 20) * ms);
    }
  }
  for (int rank = 0; rank < size; ++rank)
    for (std::size_t step = 0; step < 5; ++step) {
      const int to = (rank + 1) % size;
      const Index send = sends[static_cast<std::size_t>(rank) * 5 + step];
      const Index receive = sends[static_cast<std::size_t>(to) * 5 + step] + 1;
      job.message(rank, send, send, to, receive, receive);
    }
  expect_each_call_once_and_after_what_it_needs(job);
  const Graph graph(job.ranks);
  const Waits waits(graph);
  const Dependencies dependencies(graph, waits);
  EXPECT_EQ(Replay(dependencies).run({}), graph.end_ns - graph.begin_ns);
}

/// Two ranks whose receives wait for what the other one sends afterwards.
TEST(WaitsOrder, GoesOnWithTheCallThatIsFurthestBehindIfAllNeedAnother) {
  Job job(2);
  for (const int rank : {0, 1}) {
    job.call(rank, "MPI_Recv", 10, (10 - rank) * ms, 20 * ms);
    job.call(rank, "MPI_Send", 11, 20 * ms, 21 * ms);
    job.call(rank, "MPI_Finalize", 99, 30 * ms, 30 * ms);
  }
  for (const int rank : {0, 1}) job.message(rank, 2, 2, 1 - rank, 1, 1);
  const Graph graph(job.ranks);
  const Waits waits(graph);
  const Dependencies dependencies(graph, waits);
  const auto& stretches = dependencies.order().stretches();
  const auto after_init = std::ranges::find_if(
      stretches, [&](const Stretch& stretch) { return stretch.last > graph.lanes[stretch.lane].first + 1; });
  ASSERT_NE(after_init, stretches.end());
  EXPECT_EQ(graph.lanes[after_init->lane].rank, 1);
  EXPECT_EQ(dependencies.order().forced(), 1U);
}

TEST(WaitsPacking, GivesBackWhatItTookAndRefusesDamage) {
  Job job = random_job(3);
  job.of(1).clock = {0x8000000000000001, 700, -800, true};
  for (const RankRecords& one : job.ranks) EXPECT_EQ(unpacked(packed(one)), one);
  const std::string whole = packed(job.ranks[0]);
  std::mt19937_64 random(5);
  for (int i = 0; i < 2000; ++i) {
    std::string damaged = whole.substr(0, random() % whole.size());
    if (!damaged.empty()) damaged[random() % damaged.size()] = static_cast<char>(random());
    try {
      summarize({unpacked(damaged)}, line_of);
    } catch (const trace::Damaged&) {
    }
  }
}

}  // namespace
}  // namespace cairn::waits
