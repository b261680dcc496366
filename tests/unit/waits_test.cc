// SPDX-License-Identifier: BSD-3-Clause
// waits_test.cc - wait states, causes, the critical path and replays of runs that never were: all is known of them

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

/// Each step all work 10 ms, rank 3 of four 30 ms, before a call of all.
Job late_rank(const std::string& function, int root = -1) {
  Job job(4);
  std::int64_t now = 0;
  for (int step = 0; step < 10; ++step) {
    std::vector<std::int64_t> entries(4, now + 10 * ms);
    entries[3] = now + 30 * ms;
    job.all(function, 20, entries, now + 31 * ms, root);
    now += 31 * ms;
  }
  job.finalize(now);
  return job;
}

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

TEST(Waits, CausesHaveTheFunctionsThatSamplesFoundInTheirWork) {
  Job job = late_rank("MPI_Barrier");
  const auto sample = [&](int rank, Index call, std::uint64_t line, std::int64_t ns) {
    RankRecords& one = job.of(rank);
    one.samples.push_back({call, static_cast<Index>(one.sites.size()), ns});
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
  EXPECT_NE(text_of(summary).find("\n      of that time 50.0 % heat.c:7 solve, 50.0 % heat.c:100 solve\n"),
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
  EXPECT_NEAR(find(reduce, "wait_at_n_to_one")->time, 0.025, 1e-9);
  EXPECT_EQ(find(reduce, "wait_at_n_to_one")->ranks, std::vector<int>{0});
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
  EXPECT_EQ(summary.coverage.left_out[0].why, "calls after the moment from which on not all ranks' calls are known");
  EXPECT_EQ(summary.coverage.left_out[0].ranks, (std::vector<int>{0, 2, 3}));
  EXPECT_EQ(summary.coverage.left_out[0].count, 3U * 8);
  EXPECT_EQ(summary.coverage.left_out[1].why, "records beyond the limit of memory");
  EXPECT_EQ(summary.coverage.left_out[1].ranks, std::vector<int>{1});
}

/// Every receive waits for another rank's send, at random, so that none can go on: forced ones must not cost a look at
/// all ranks.
TEST(Waits, OfDamagedRecordsOfManyRanksAreReplayedToTheEnd) {
  constexpr int size = 10'000;
  constexpr Index calls = 22;
  std::mt19937_64 random(5);
  Job job(size);
  for (int rank = 0; rank < size; ++rank) {
    for (Index i = 0; i < calls; ++i)
      job.call(rank, i % 2 == 0 ? "MPI_Recv" : "MPI_Send", i % 2, static_cast<std::int64_t>(random() % 1000), 1 * ms);
  }
  for (int rank = 0; rank < size; ++rank)
    for (Index i = 1; i < calls; i += 2) {
      const auto from = static_cast<int>(random() % size);
      job.message(from, 1 + static_cast<Index>(random() % calls), none, rank, i, i);
    }
  const Graph graph(job.ranks);
  const Waits waits(graph);
  Replay replay(graph, waits);
  EXPECT_GT(replay.run({}), 0);
  EXPECT_GT(replay.forced(), 10'000U);
}

/// Two ranks, ten steps: 1 ms of work, then a message that takes 9 ms to send and to receive.
TEST(Waits, WithoutTheCallsOfAPlaceTheRunIsPredicted) {
  Job job(2);
  std::int64_t now = 0;
  for (int step = 0; step < 10; ++step, now += 10 * ms) {
    const Index send = job.call(0, "MPI_Send", 10, now + 1 * ms, now + 10 * ms);
    const Index receive = job.call(1, "MPI_Recv", 11, now + 1 * ms, now + 10 * ms);
    job.message(0, send, send, 1, receive, receive);
  }
  job.finalize(now);
  const Summary summary = summary_of(job);
  ASSERT_EQ(summary.free_calls.size(), 2U);
  for (const auto& one : summary.free_calls) {
    EXPECT_NEAR(one.time, 0.090, 1e-9);
    EXPECT_NEAR(one.predicted_run, one.place.function == "MPI_Send" ? 0.010 : 0.100, 1e-9);
  }
}

/// Two ranks, ten steps: a transfer is begun and waited for, 5 ms, then 3 ms of work; once 9 ms.
TEST(Waits, WithTransfersDuringTheWorkThatFollowsThemTheRunIsPredicted) {
  Job job(2);
  std::int64_t now = 0;
  for (int step = 0; step < 10; ++step) {
    Index sends[2], receives[2], waits[2];
    for (int rank = 0; rank < 2; ++rank) {
      receives[rank] = job.call(rank, "MPI_Irecv", 10, now, now);
      sends[rank] = job.call(rank, "MPI_Isend", 11, now, now);
      waits[rank] = job.call(rank, "MPI_Waitall", 12, now, now + 5 * ms);
    }
    job.message(0, sends[0], waits[0], 1, receives[1], waits[1]);
    job.message(1, sends[1], waits[1], 0, receives[0], waits[0]);
    now += 5 * ms + (step == 4 ? 9 : 3) * ms;
  }
  job.finalize(now);
  const Summary summary = summary_of(job);
  ASSERT_EQ(summary.transfers.size(), 2U);
  for (const auto& one : summary.transfers) {
    EXPECT_TRUE(one.place.at.line == 10 || one.place.at.line == 11);
    EXPECT_NEAR(one.time, 2 * 10 * 0.005, 1e-9);
    EXPECT_NEAR(one.overlapped_run, 0.086 - 9 * 0.003 - 0.005, 1e-9);
    EXPECT_NEAR(one.overlapped_error, 0.02 * (9 * 0.003 + 0.005), 1e-9);
    EXPECT_NEAR(one.eager_run, 0.086, 1e-9);
  }
}

TEST(Waits, WithMessagesThatNeedNoReceiverTheRunIsPredicted) {
  Job job(2);
  const Index begin = job.call(0, "MPI_Isend", 10, 5 * ms, 5 * ms);  // 1 asks for it at 40
  const Index end = job.call(0, "MPI_Wait", 11, 6 * ms, 42 * ms);
  const Index receive = job.call(1, "MPI_Recv", 12, 40 * ms, 42 * ms);
  job.message(0, begin, end, 1, receive, receive, 1'000'000);
  job.call(0, "MPI_Finalize", 99, 72 * ms, 72 * ms);
  job.call(1, "MPI_Finalize", 99, 43 * ms, 72 * ms);
  const Summary summary = summary_of(job);
  ASSERT_EQ(summary.transfers.size(), 1U);
  EXPECT_EQ(summary.transfers[0].place.at.line, 10);
  EXPECT_NEAR(summary.transfers[0].eager_run, 0.043, 1e-9);  // when the receiver is done
  EXPECT_NEAR(std::ranges::find(summary.what_if, "eager_messages", &formats::waits::WhatIf::change)->predicted_run,
              0.043, 1e-9);
  EXPECT_NEAR(summary.transfers[0].overlapped_run, 0.070, 1e-9);
}

/// Each of ten receives takes 4 ms more where its message had come before it was asked for.
TEST(Waits, WithReceivesThatArePostedInTimeTheRunIsPredictedIfItIsKnownWhatTheyTake) {
  for (const bool is_known : {true, false}) {
    Job job(2);
    std::int64_t now = 0;
    for (int i = 0; i < (is_known ? 3 : 0); ++i, now += 12 * ms) {
      const Index send = job.call(0, "MPI_Send", 10, now + 10 * ms, now + 10 * ms);
      const Index receive = job.call(1, "MPI_Recv", 11, now, now + 11 * ms);
      job.message(0, send, send, 1, receive, receive);
    }
    std::vector<Index> sends;
    for (int i = 0; i < 10; ++i) sends.push_back(job.call(0, "MPI_Send", 12, now + i * ms, now + i * ms));
    now += 20 * ms;
    job.call(0, "MPI_Finalize", 99, now, now);
    for (const Index send : sends) {
      const Index receive = job.call(1, "MPI_Recv", 13, now, now + 5 * ms);
      job.message(0, send, send, 1, receive, receive);
      now += 5 * ms;
    }
    job.call(1, "MPI_Finalize", 99, now, now);
    const Summary summary = summary_of(job);
    const auto found = std::ranges::find(summary.what_if, "expected_messages", &formats::waits::WhatIf::change);
    ASSERT_EQ(found != summary.what_if.end(), is_known);
    if (!is_known) continue;
    EXPECT_NEAR(found->predicted_run, summary.run_time - 10 * 0.004, 1e-9);
  }
}

TEST(Waits, OfMessagesThatWereReceivedBeforeTheyWereSentAreCorrected) {
  Job job(2);
  const Index send = job.call(0, "MPI_Send", 10, 50 * ms, 51 * ms);
  const Index receive = job.call(1, "MPI_Recv", 11, 5 * ms, 40 * ms);
  job.message(0, send, send, 1, receive, receive);
  job.finalize(60 * ms);
  const Summary summary = summary_of(job);
  EXPECT_EQ(summary.clock.corrected, 1U);
  EXPECT_NEAR(summary.clock.largest, 0.010, 1e-9);
  EXPECT_NE(text_of(summary).find("\n  by the records, messages were received before they were sent, or barriers left "
                                  "before all had come: 1 corrected, by up to 0.01 s\n"),
            std::string::npos)
      << text_of(summary);
  EXPECT_NEAR(find(summary, "late_sender")->time, 0.045, 1e-9);
}

TEST(Waits, AreCorrectedToTheEndOfTheChain) {
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

TEST(Waits, OfRandomProgramsOnSeveralClocksAreCorrectedAsDefined) {
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
TEST(Waits, OfClocksThatAreFarApartAreCorrectedAllTheSame) {
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

TEST(Waits, OfNodesWhoseClocksWereComparedAreInOneTime) {
  const Summary summary = summary_of(job_of_two_nodes(41 * ms));
  EXPECT_EQ(summary.clock.nodes, 2);
  EXPECT_EQ(summary.clock.compared, "start and end");
  EXPECT_NEAR(summary.clock.error, 3e-6, 1e-12);
  EXPECT_NEAR(summary.clock.drift, 0.002, 1e-12);
  EXPECT_EQ(summary.clock.corrected, 0U);
  EXPECT_NEAR(find(summary, "wait_at_barrier")->time, 0.030, 1e-9);
  EXPECT_NEAR(summary.run_time, 0.060, 1e-9);
  EXPECT_NE(text_of(summary).find(
                "\n  the clocks of 2 nodes were compared at the start and end, moments are right within 3 us\n"),
            std::string::npos)
      << text_of(summary);
}

TEST(Waits, AtABarrierThatWasLeftTooEarlyByAnotherClockAreCorrected) {
  const Summary summary = summary_of(job_of_two_nodes(39 * ms));
  EXPECT_EQ(summary.clock.corrected, 1U);
  EXPECT_NEAR(summary.clock.largest, 0.001, 1e-9);
  EXPECT_NEAR(find(summary, "wait_at_barrier")->time, 0.030, 1e-9);
  EXPECT_NE(text_of(summary).find("\n  by the clocks, messages were received before they were sent, or barriers left "
                                  "before all had come: 1 corrected, by up to 0.001 s\n"),
            std::string::npos)
      << text_of(summary);
}

TEST(Waits, OfNodesWhoseClocksWereNotComparedAreByTheTimeOfDay) {
  Job job = job_of_two_nodes(41 * ms);
  job.of(1).clock = {};
  for (Call& call : job.of(1).calls) call.entry -= 5'000 * ms, call.exit -= 5'000 * ms;
  job.of(1).shift_ns += 5'000 * ms;
  const Summary summary = summary_of(job);
  EXPECT_EQ(summary.clock.compared, "time of day");
  EXPECT_NEAR(summary.clock.error, 0.001, 1e-12);
  EXPECT_NEAR(find(summary, "wait_at_barrier")->time, 0.030, 1e-9);
}

// ---------------------------------------------------------- random programs, against the definitions

/// Exchanges, rings and operations of all, each begun and ended at random.
Job random_job(std::uint64_t seed) {
  std::mt19937_64 random(seed);
  const int size = 2 + static_cast<int>(random() % 7);
  Job job(size);
  std::vector<std::int64_t> now(static_cast<std::size_t>(size));
  const auto later = [&](int rank) {
    return now[static_cast<std::size_t>(rank)] += 1 + static_cast<std::int64_t>(random() % 1000);
  };
  for (int step = 0; step < 60; ++step) {
    if (random() % 3 == 0) {
      static constexpr const char* functions[] = {"MPI_Barrier", "MPI_Allreduce", "MPI_Bcast", "MPI_Reduce",
                                                  "MPI_Scan"};
      const std::string function = functions[random() % 5];
      std::vector<std::int64_t> entries;
      for (int rank = 0; rank < size; ++rank) entries.push_back(later(rank));
      const std::int64_t exit = std::ranges::max(entries) + 5;
      const auto root = static_cast<int>(random() % static_cast<std::uint64_t>(size));
      const bool is_rooted = function == "MPI_Bcast" || function == "MPI_Reduce";
      job.all(function, random() % 8, entries, exit, root, is_rooted && random() % 2 == 0 ? (root + 1) % size : -1);
      for (std::int64_t& moment : now) moment = exit;
      continue;
    }
    const int from = static_cast<int>(random() % static_cast<std::uint64_t>(size));
    const int to = (from + 1 + static_cast<int>(random() % static_cast<std::uint64_t>(size - 1))) % size;
    const bool is_large = random() % 2 == 0;
    const std::int64_t sends = later(from);
    std::int64_t asks = later(to);
    if (random() % 3 == 0) {
      const Index probe = job.call(to, "MPI_Probe", 12, asks - 1, std::max(sends, asks));
      job.of(to).probes.push_back({probe, static_cast<Index>(job.of(to).messages.size())});
      now[static_cast<std::size_t>(to)] = asks = std::max(sends, asks);
    }
    const Index receive =
        job.call(to, random() % 2 == 0 ? "MPI_Recv" : "MPI_Irecv", 10, asks, std::max(sends, asks) + 7);
    now[static_cast<std::size_t>(to)] = std::max(sends, asks) + 7;
    const std::int64_t sent = is_large ? std::max(sends, asks) + 7 : sends + 3;
    const Index send = job.call(from, "MPI_Send", 11, sends, sent);
    now[static_cast<std::size_t>(from)] = sent;
    job.message(from, send, send, to, receive, receive, is_large ? 100'000 : 8);
  }
  job.finalize(std::ranges::max(now) + 1);
  return job;
}

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
      ASSERT_EQ(waits.ns(graph, node), wait_by_definition(graph, node, waits.eager.within)) << seed << ' ' << node;
      all += waits.ns(graph, node);
    }
    double charged = 0;
    for (const CauseSum& cause : causes_of(graph, waits)) charged += cause.cost_ns;
    EXPECT_NEAR(charged, static_cast<double>(all), 1 + 1e-9 * charged) << seed;
    std::int64_t on_path = 0;
    for (const PathStep& step : critical_path(graph, waits)) on_path += step.until - step.from;
    EXPECT_EQ(on_path, graph.end_ns - graph.begin_ns) << seed;
    Replay replay(graph, waits);
    EXPECT_EQ(replay.run({}), graph.end_ns - graph.begin_ns) << seed;
    EXPECT_EQ(replay.forced(), 0U) << seed;
  }
}

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
    const Replay& replay = figures.predictions.on_ideal_network();
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
