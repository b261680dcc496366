// SPDX-License-Identifier: BSD-3-Clause
// waits_predictions_test.cc - what replays predict for runs that never were

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "waits/figures.hpp"
#include "waits_job.hpp"

namespace cairn::waits {
namespace {

/// As where a triangle is cut into strips, 5 to 35 ms of work; and where all but one have as much, 10 ms.
TEST(WaitsPredictions, AreOfWorkThatAllHaveTheSameAmountOfWhereTheOthersDiffer) {
  const auto run_of = [](std::initializer_list<std::int64_t> work) {
    Job job(static_cast<int>(work.size()));
    std::int64_t now = 0;
    for (int step = 0; step < 10; ++step) {
      std::vector<std::int64_t> entries;
      for (const std::int64_t one : work) entries.push_back(now + one * ms);
      now = std::ranges::max(entries) + 1 * ms;
      job.all("MPI_Allreduce", 20, entries, now);
    }
    job.finalize(now);
    return summary_of(job);
  };
  const Summary graded = run_of({5, 15, 25, 35});
  EXPECT_EQ(graded.causes.at(0).ranks, std::vector<int>{3});
  EXPECT_NEAR(graded.causes.at(0).predicted_run, 10 * (0.020 + 0.001), 1e-9);
  EXPECT_NEAR(run_of({10, 10, 10, 30}).causes.at(0).predicted_run, 10 * (0.010 + 0.001), 1e-9);
  EXPECT_NEAR(run_of({1, 2, 1, 30}).causes.at(0).predicted_run, 10 * (0.002 + 0.001), 1e-9) << "its own work";
}

/// Only ranks 1 and 2 have two neighbors, so the same work comes after other calls at the edges, as does what all do once.
TEST(WaitsPredictions, AreOfTheSameWorkWhateverCameBeforeIt) {
  Job job(4);
  const std::vector<std::int64_t> work = {5, 15, 25, 35};
  std::int64_t now = 100 * ms;  // all, before the first step
  job.all("MPI_Allreduce", 20, std::vector<std::int64_t>(4, now), now + 1 * ms);
  now += 1 * ms;
  for (int step = 0; step < 10; ++step) {
    std::vector<std::int64_t> entries;
    for (int rank = 0; rank < 4; ++rank) {
      job.call(rank, "MPI_Sendrecv", rank == 0 ? 10 : rank == 3 ? 12 : 11, now, now);
      entries.push_back(now + work[static_cast<std::size_t>(rank)] * ms);
    }
    now = std::ranges::max(entries) + 1 * ms;
    job.all("MPI_Allreduce", 20, entries, now);
  }
  job.finalize(now);
  const Summary summary = summary_of(job);
  EXPECT_NEAR(summary.causes.at(0).own, 0.35, 1e-9);
  EXPECT_NEAR(summary.causes.at(0).elsewhere, 0.15, 1e-9);
  EXPECT_NEAR(summary.causes.at(0).predicted_run, 0.101 + 10 * (0.020 + 0.001), 1e-9);
}

/// After a reduction 10 ms of work, on rank 2 30 ms; every fifth time another reduction comes next. What it does before the
/// last one, 15 ms longer than the others, is other work.
TEST(WaitsPredictions, AreOfTheSameWorkWhicheverCallComesNext) {
  Job job(3);
  std::int64_t now = 0;
  const auto meet = [&](std::uint64_t line, std::int64_t own) {
    job.all("MPI_Allreduce", line, {now + 10 * ms, now + 10 * ms, now + own * ms}, now + (own + 1) * ms);
    now += (own + 1) * ms;
  };
  meet(20, 10);
  for (int step = 1; step <= 10; ++step) meet(step % 5 == 0 ? 21 : 20, 30);
  meet(20, 10);  // after line 21
  meet(22, 25);
  job.finalize(now);
  const Summary summary = summary_of(job);
  ASSERT_EQ(summary.causes.size(), 2U);
  EXPECT_EQ(summary.causes[0].to.at.line, 20);
  EXPECT_EQ(summary.causes[0].times, 20U);
  EXPECT_NEAR(summary.causes[0].cost, 2 * 10 * 0.020, 1e-9);
  EXPECT_NEAR(summary.causes[0].predicted_run, summary.run_time - 10 * 0.020, 1e-9);
  EXPECT_NEAR(summary.causes[1].predicted_run, summary.run_time - 0.015, 1e-9);
}

/// On a communicator of all 3 ms, on one of rank 0 alone 8 ms, at one place; then all meet.
TEST(WaitsPredictions, AreOfEachLevelByItself) {
  Job job(3);
  for (int rank = 0; rank < 3; ++rank) job.of(rank).comms.push_back({8, "coarse", 1, {}});
  std::int64_t now = 0;
  for (std::uint32_t step = 0; step < 10; ++step, now += 11 * ms) {
    for (int rank = 0; rank < 3; ++rank) {
      const Index fine = job.call(rank, "MPI_Allreduce", 10, now + 3 * ms, now + 3 * ms);
      job.together(rank, 2 * step + 1, fine, fine);
      if (rank != 0) continue;
      const Index coarse = job.call(rank, "MPI_Allreduce", 10, now + 11 * ms, now + 11 * ms);
      job.of(rank).together.push_back({2, step + 1, no_root, coarse, coarse});
    }
    for (int rank = 0; rank < 3; ++rank) {
      const Index met = job.call(rank, "MPI_Barrier", 20, now + (rank == 0 ? 11 : 3) * ms, now + 11 * ms);
      job.together(rank, 2 * step + 2, met, met);
    }
  }
  job.finalize(now);
  const Summary summary = summary_of(job);
  EXPECT_EQ(summary.causes.at(0).ranks, std::vector<int>{0});
  EXPECT_NEAR(summary.causes[0].cost, 2 * 10 * 0.008, 1e-9);
  EXPECT_NEAR(summary.causes[0].predicted_run, 10 * 0.003, 1e-9);
}

/// Ten steps of 10 ms of work, on the last of four ranks 30 ms, and 1 ms together.
TEST(WaitsPredictions, AreOfRanksThatAllHaveTheMeanWork) {
  const Summary summary = summary_of(late_rank("MPI_Allreduce"));
  EXPECT_NEAR(predicted(summary, "perfect_balance"), 10 * 0.016, 1e-9);
  EXPECT_NEAR(predicted(summary, "free_collectives"), 0.300, 1e-9);  // what the last rank works
}

/// Of rank 0, which works 10 ms less than the mean, nothing is known.
TEST(WaitsPredictions, AreOfTheMeanWorkOfRanksWithRecords) {
  Job job = late_rank("MPI_Allreduce");
  job.ranks.erase(job.ranks.begin());
  EXPECT_NEAR(predicted(summary_of(job), "perfect_balance"), 10 * (0.050 / 3 + 0.001), 1e-8);
}

/// Rank 0 calls it at one place, the others at another one. Rank 3 is 20 ms late in each of ten steps.
TEST(WaitsPredictions, AreOfCallsThatRanksMakeAtOtherPlaces) {
  Job job = late_rank("MPI_Allreduce");
  for (int rank = 1; rank < 4; ++rank)
    for (Site& site : job.of(rank).sites)
      if (site.function == "MPI_Allreduce") site.offset += 1;
  Figures figures(job.ranks, line_of);
  std::vector<double> predicted;
  for (Index site = 0; site < figures.graph.sites.size(); ++site)
    if (figures.graph.sites[site].function == "MPI_Allreduce")
      predicted.push_back(figures.predictions.with(figures.changes.free_calls(figures.changes.only(site))).run_s);
  ASSERT_EQ(predicted.size(), 2U);
  EXPECT_NEAR(std::ranges::max(predicted), 10 * 0.031, 1e-9) << "rank 3 is as late as before";
  EXPECT_NEAR(std::ranges::min(predicted), 10 * 0.030 + 0.001, 1e-9) << "rank 3 spends no time there, rank 0 does";
}

/// Two ranks, ten steps: the one works 10 ms, the other 30 ms, in turn; then 1 ms in a call of both.
TEST(WaitsPredictions, AreOfCollectiveCallsInWhichNobodyWaits) {
  for (const std::string function : {"MPI_Allreduce", "MPI_Barrier", "MPI_Bcast", "MPI_Reduce"}) {
    Job job(2);
    std::int64_t now = 0;
    for (int step = 0; step < 10; ++step, now += 31 * ms) {
      std::vector<std::int64_t> entries(2, now + 10 * ms);
      entries[static_cast<std::size_t>(step % 2)] = now + 30 * ms;
      job.all(function, 20, entries, now + 31 * ms,
              function == "MPI_Bcast" || function == "MPI_Reduce" ? step % 2 : -1);
    }
    job.finalize(now);
    const Summary summary = summary_of(job);
    EXPECT_NEAR(summary.replayed, summary.run_time, 1e-9) << function;
    EXPECT_NEAR(predicted(summary, "free_collectives"), 0.200, 1e-9) << function;
    ASSERT_EQ(summary.free_calls.size(), 1U) << function;
    EXPECT_NEAR(summary.free_calls[0].predicted_run, 0.200, 1e-9) << function;
  }
}

/// Two ranks, ten steps: 1 ms of work, then a message that takes 9 ms to send and to receive.
TEST(WaitsPredictions, AreOfTheRunWithoutTheCallsOfAPlace) {
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

/// Ten steps: rank 0 comes 20 ms late to a reduction that does not block; all work 8 ms before they complete it, and what the
/// library does of it in rank 0 comes last.
TEST(WaitsPredictions, AreOfOperationsThatGoOnInTheCallThatCompletesThem) {
  Job job(3);
  std::int64_t now = 0;
  for (std::uint32_t step = 0; step < 10; ++step) {
    const std::int64_t over = now + 28 * ms + 50'000;
    for (int rank = 0; rank < 3; ++rank) {
      const std::int64_t begins = now + (rank == 0 ? 20 * ms : 0);
      const Index begin = job.call(rank, "MPI_Iallreduce", 10, begins, begins);
      const Index end = job.call(rank, "MPI_Wait", 11, begins + 8 * ms, over);
      job.together(rank, step + 1, begin, end);
    }
    now = over;
  }
  job.finalize(now);
  const Summary summary = summary_of(job);
  ASSERT_EQ(summary.causes.size(), 1U);
  EXPECT_EQ(summary.causes[0].to.at.line, 10);
  EXPECT_EQ(summary.causes[0].ranks, std::vector<int>{0});
  EXPECT_NEAR(summary.causes[0].cost, 2 * 10 * 0.020, 1e-9);
  EXPECT_NEAR(summary.causes[0].predicted_run, 10 * 0.00805, 1e-9);
}

/// Ten steps: two communicators are made, 2 ms and 3 ms, and one from the first, 4 ms; all are used, and freed, 1 ms each.
TEST(WaitsPredictions, OfCallsThatMakeCommunicatorsAreWithThoseThatTheyEntail) {
  Job job(2);
  std::int64_t now = 0;
  const auto meet = [&](Index comm, std::uint32_t number, const std::string& function, std::uint64_t line,
                        std::int64_t length) {
    for (int rank = 0; rank < 2; ++rank) {
      const Index node = job.call(rank, function, line, now, now + length);
      job.of(rank).together.push_back({comm, number, no_root, node, node});
    }
    now += length;
  };
  for (int rank = 0; rank < 2; ++rank)
    for (std::uint64_t made = 0; made < 30; ++made) job.of(rank).comms.push_back({100 + made, "", 2, {}});
  for (std::uint32_t step = 0; step < 10; ++step) {
    const Index row = 2 + 3 * step;
    meet(1, 2 * step, "MPI_Comm_split", 10, 2 * ms);
    meet(1, 2 * step + 1, "MPI_Comm_dup", 11, 3 * ms);
    for (const Index comm : {row, row + 1}) meet(comm, 0, "MPI_Allreduce", 12, 5 * ms);
    meet(row, 1, "MPI_Cart_sub", 14, 4 * ms);
    meet(row + 2, 0, "MPI_Allreduce", 12, 5 * ms);
    for (const Index comm : {row + 1, row + 2, row}) meet(comm, 2, "MPI_Comm_free", 13, 1 * ms);
  }
  job.finalize(now);
  const Summary summary = summary_of(job);
  const auto of = [&](const std::string& function) {
    return *std::ranges::find(summary.free_calls, function, [](const auto& one) { return one.place.function; });
  };
  EXPECT_NEAR(of("MPI_Comm_split").time, 2 * 0.020, 1e-9);
  EXPECT_NEAR(of("MPI_Comm_split").entailed, 2 * (0.010 + 0.040 + 0.010), 1e-9);
  EXPECT_NEAR(of("MPI_Comm_split").predicted_run, summary.run_time - 0.080, 1e-9);
  EXPECT_NEAR(of("MPI_Cart_sub").entailed, 2 * 0.010, 1e-9);
  EXPECT_NEAR(of("MPI_Cart_sub").predicted_run, summary.run_time - 0.050, 1e-9);
  EXPECT_NEAR(of("MPI_Comm_dup").entailed, 2 * 0.010, 1e-9);
  EXPECT_NEAR(of("MPI_Comm_dup").predicted_run, summary.run_time - 0.040, 1e-9);
  EXPECT_NEAR(of("MPI_Comm_free").entailed, 0, 0);
  EXPECT_NEAR(of("MPI_Comm_free").predicted_run, summary.run_time - 0.030, 1e-9);
}

/// Twelve steps of 10 ms; each time another of four ranks works 30 ms.
TEST(WaitsPredictions, AreOfEachTimeByItselfWhereAnotherRankIsLateEachTime) {
  Job job(4);
  std::int64_t now = 0;
  for (std::size_t step = 0; step < 12; ++step, now += 31 * ms) {
    std::vector<std::int64_t> entries(4, now + 10 * ms);
    entries[step % 4] = now + 30 * ms;
    job.all("MPI_Allreduce", 20, entries, now + 31 * ms);
  }
  job.finalize(now);
  const Summary summary = summary_of(job);
  EXPECT_EQ(summary.causes[0].ranks, (std::vector<int>{0, 1, 2, 3}));
  EXPECT_NEAR(summary.causes[0].predicted_run, 12 * 0.016, 1e-9);
}

/// A function is called twice in each step: after 10 ms of all, and after 30 ms of rank 3, 10 ms of others.
TEST(WaitsPredictions, OfAPlaceThatIsReachedTwiceAreOfTheTimeThatIsUneven) {
  Job job(4);
  std::int64_t now = 0;
  for (int step = 0; step < 10; ++step) {
    job.all("MPI_Allreduce", 20, std::vector<std::int64_t>(4, now + 10 * ms), now + 11 * ms);
    std::vector<std::int64_t> entries(4, now + 21 * ms);
    entries[3] = now + 41 * ms;
    job.all("MPI_Allreduce", 20, entries, now + 42 * ms);
    now += 42 * ms;
  }
  job.finalize(now);
  const Summary summary = summary_of(job);
  EXPECT_EQ(summary.causes[0].ranks, std::vector<int>{3});
  EXPECT_NEAR(summary.causes[0].predicted_run, 0.220, 1e-9);
}

/// Ten steps: rank 3 works 15 ms and the others 3 ms; rank 2 passes on what 3 brings, 1 returns at once.
TEST(WaitsPredictions, AreOfTreesInWhichOneRankWaitsForAnother) {
  Job job(4);
  std::int64_t ahead = 0;
  std::int64_t now = 0;
  for (std::uint32_t step = 1; step <= 10; ++step, now += 15 * ms, ahead += 3 * ms) {
    const std::int64_t late = now + 15 * ms;
    const auto reduce = [&](int rank, std::int64_t entry, std::int64_t exit) {
      const Index call = job.call(rank, "MPI_Reduce", 10, entry, exit);
      job.together(rank, 1000 + step, call, call, 0);
    };
    reduce(0, now + 3 * ms, late + 2);
    reduce(1, ahead + 3 * ms, ahead + 3 * ms);
    reduce(2, now + 3 * ms, late + 1);
    reduce(3, late, late);
  }
  job.all("MPI_Barrier", 20, {now, ahead, now, now}, now);
  job.finalize(now);
  const Summary summary = summary_of(job);
  EXPECT_EQ(summary.causes[0].ranks, std::vector<int>{3});
  EXPECT_NEAR(summary.causes[0].cost, 2 * 10 * 0.012 + 9 * 0.012, 1e-7) << "1 waits at the barrier";
  EXPECT_NEAR(summary.causes[0].predicted_run, 10 * 0.003, 1e-7);
}

/// Rank 1's thread sends a message every 30 ms, and its main thread waits for the thread's end, or makes its next call by
/// chance after that, and much later; rank 0 works 10 ms before each receive.
TEST(WaitsPredictions, AreOfAThreadWhoseEndIsWaitedFor) {
  for (const bool is_joined : {true, false}) {
    Job job(2);
    const std::int64_t last = is_joined ? 302 * ms : 400 * ms;
    std::vector<Index> receives;
    for (int step = 0; step < 10; ++step)
      receives.push_back(job.call(0, "MPI_Recv", 10, (30 * step + 10) * ms, (30 * step + 30) * ms));
    job.all("MPI_Barrier", 20, {302 * ms, last}, last);
    job.finalize(last);
    job.begin_thread(1);
    for (int step = 0; step < 10; ++step) {
      const Index send = job.call(1, "MPI_Send", 30, (30 * step + 30) * ms, (30 * step + 30) * ms);
      const Index receive = receives[static_cast<std::size_t>(step)];
      job.message(1, send, send, 0, receive, receive);
    }
    const Summary summary = summary_of(job);
    EXPECT_NEAR(summary.replayed, summary.run_time, 1e-9);
    const auto cause = std::ranges::find_if(summary.causes, [](const Cause& one) { return one.to.at.line == 30; });
    ASSERT_NE(cause, summary.causes.end());
    EXPECT_NEAR(cause->predicted_run, is_joined ? 0.102 : 0.400, 1e-9);
    double on_path = 0;
    for (const auto& piece : summary.path.pieces) on_path += piece.to.at.line == 30 ? piece.time : 0;
    EXPECT_NEAR(on_path, is_joined ? 0.300 : 0, 1e-9);
  }
}

/// Ten steps: rank 1's thread works 30 ms before each of two sends, which rank 0 waits for, and is waited for; then all meet.
/// Another thread of rank 1 makes a call each 7 ms, and nobody waits for it.
TEST(WaitsPredictions, AreOfThreadsThatAreWaitedForAgainAndAgain) {
  Job job(2);
  std::vector<Index> receives;
  const auto step_begins = [](int step) { return std::int64_t{step} * 62 * ms; };
  for (int step = 0; step < 10; ++step) {
    const std::int64_t now = step_begins(step);
    for (const int moment : {30, 60})
      receives.push_back(job.call(0, "MPI_Recv", 10, now + (moment - 20) * ms, now + moment * ms));
    job.all("MPI_Barrier", 20, {now + 60 * ms, now + 60 * ms + ms / 10}, now + 61 * ms);
  }
  job.finalize(step_begins(10));
  job.begin_thread(1);
  for (int step = 0; step < 10; ++step)
    for (const int half : {0, 1}) {
      const std::int64_t sent = step_begins(step) + (30 + 30 * half) * ms;
      const Index send = job.call(1, "MPI_Send", 30, sent, sent);
      const Index receive = receives[static_cast<std::size_t>(2 * step + half)];
      job.message(1, send, send, 0, receive, receive);
    }
  job.begin_thread(1);
  for (std::int64_t now = 5 * ms; now < step_begins(8); now += 7 * ms) job.call(1, "MPI_Comm_size", 40, now, now);
  const Summary summary = summary_of(job);
  EXPECT_NEAR(summary.replayed, summary.run_time, 1e-9);
  EXPECT_EQ(summary.causes.at(0).ranks, std::vector<int>{1});
  EXPECT_EQ(summary.causes[0].to.at.line, 30);
  EXPECT_LT(summary.causes[0].predicted_run, 0.400);
}

/// The answers are those of one replay after the other, and come in the order of the questions.
TEST(WaitsPredictions, AreTheSameOnAnyNumberOfThreads) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const Job job = random_job(seed);
    Figures figures(job.ranks, line_of);
    std::vector<double> alone;
    std::vector<double> together;
    std::vector<Question> questions;
    for (int round = 0; round < 4; ++round)
      for (const NamedChange& one : named_changes)
        if (auto change = one.of(figures.changes)) {
          alone.push_back(figures.predictions.with(*change).run_s);
          questions.push_back({std::move(*change), [&](const Prediction& of) { together.push_back(of.run_s); }});
        }
    figures.predictions.answer(questions, 5);
    EXPECT_EQ(together, alone) << seed;
    figures.predictions.answer({}, 5);
  }
}

/// Every receive waits for another rank's send, at random, so that none can go on: forced ones must not cost a look at
/// all ranks.
TEST(WaitsPredictions, OfDamagedRecordsOfManyRanksComeToAnEnd) {
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
  const Dependencies dependencies(graph, waits);
  Replay replay(dependencies);
  EXPECT_GT(replay.run({}), 0);
  EXPECT_GT(dependencies.order().forced(), 10'000U);
}

}  // namespace
}  // namespace cairn::waits
