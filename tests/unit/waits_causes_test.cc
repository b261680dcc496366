// SPDX-License-Identifier: BSD-3-Clause
// waits_causes_test.cc - what waits are charged to, and what mending it would bring, of runs that never were

#include <gtest/gtest.h>

#include <cmath>

#include "waits/wording.hpp"
#include "waits_job.hpp"

namespace cairn::waits {
namespace {

using formats::waits::Cause;

const Cause* cause_before(const Summary& summary, int line) {
  const auto found = std::ranges::find_if(summary.causes, [&](const Cause& one) { return one.to.at.line == line; });
  return found == summary.causes.end() ? nullptr : &*found;
}

/// What the later one had waited before the two met is not why it comes late the next time, though it left 10 us later.
TEST(WaitsCauses, OfRanksThatAreLateInTurnAreWhatEachHasDoneSinceTheyMet) {
  Job job(2);
  job.all("MPI_Barrier", 20, {45 * ms, 5 * ms}, 46 * ms);
  job.of(1).calls.back().exit += ms / 100;
  job.all("MPI_Barrier", 30, {50 * ms, 90 * ms}, 91 * ms);
  job.finalize(91 * ms);
  const Summary summary = summary_of(job);
  ASSERT_NE(cause_before(summary, 20), nullptr);
  ASSERT_NE(cause_before(summary, 30), nullptr);
  EXPECT_NEAR(cause_before(summary, 20)->cost, 0.040, 1e-9);
  EXPECT_NEAR(cause_before(summary, 30)->cost, 0.040, 0.00002);
  EXPECT_EQ(cause_before(summary, 30)->ranks, std::vector<int>{1});
}

/// Ten steps of 15 ms: rank 2 works 14 ms, and 0 and 1 work 4 ms; 0 hears of 2 and tells 1.
TEST(WaitsCauses, OfARootThatHasToWaitAreWhatItHasWaitedFor) {
  Job job(3);
  for (std::uint32_t step = 0; step < 10; ++step) {
    const std::int64_t now = 15 * ms * step;
    const Index send = job.call(2, "MPI_Send", 30, now + 14 * ms, now + 14 * ms);
    const Index receive = job.call(0, "MPI_Recv", 10, now + 4 * ms, now + 14 * ms);
    job.message(2, send, send, 0, receive, receive);
    const Index root = job.call(0, "MPI_Bcast", 11, now + 14 * ms + 1000, now + 15 * ms);
    const Index other = job.call(1, "MPI_Bcast", 11, now + 4 * ms, now + 15 * ms);
    job.together(0, 1000 + step, root, root, 0);
    job.together(1, 1000 + step, other, other, 0);
    job.call(2, "MPI_Comm_size", 31, now + 15 * ms, now + 15 * ms);
  }
  job.finalize(150 * ms);
  const Summary summary = summary_of(job);
  const Cause* const work = cause_before(summary, 30);
  ASSERT_NE(work, nullptr);
  EXPECT_EQ(work->ranks, std::vector<int>{2});
  EXPECT_NEAR(work->cost, 2 * 10 * 0.010, 0.0125) << "it works 1 ms more after another call";
  EXPECT_NEAR(work->predicted_run, 0.050, 1e-4);
}

/// In twenty steps all work 3 ms, but rank 1 works 12 ms longer in all, every other time or every tenth. On levels of a
/// multigrid, 32 ms to 1 ms, it has twice as much of each: that is not seldom.
TEST(WaitsCauses, OfRanksThatHaveMoreWorkNowAndThenAreTold) {
  const auto run_of = [](int steps, auto work_ms, auto more_ms) {
    Job job(3);
    std::int64_t now = 0;
    for (int step = 0; step < steps; ++step) {
      const std::int64_t usual = now + work_ms(step) * ms;
      const std::int64_t late = usual + more_ms(step) * ms;
      job.all("MPI_Allreduce", 20, {usual, late, usual + step % 2 * (ms / 10)}, late + ms);
      now = late + ms;
    }
    job.finalize(now);
    const Summary summary = summary_of(job);
    EXPECT_EQ(summary.causes.at(0).ranks, std::vector<int>{1});
    return summary.causes.at(0).seldom;
  };
  const auto alike = [](int) { return 3; };
  EXPECT_FALSE(run_of(20, alike, [](int) { return 12; }));
  EXPECT_FALSE(run_of(20, alike, [](int step) { return step % 2 == 1 ? 12 : 0; }));
  EXPECT_TRUE(run_of(20, alike, [](int step) { return step % 10 == 9 ? 60 : 0; }));
  const auto level = [](int step) { return 32 >> step % 6; };
  EXPECT_FALSE(run_of(60, level, level));
}

TEST(WaitsCauses, OfARankThatStartsMpiLongerAreTheStart) {
  Job job(2);
  job.of(1).calls[0].exit = 30 * ms;
  job.all("MPI_Barrier", 20, {10 * ms, 40 * ms}, 41 * ms);
  job.finalize(41 * ms);
  const Summary summary = summary_of(job);
  ASSERT_EQ(summary.causes.size(), 1U);
  EXPECT_EQ(summary.causes[0].kind, "start");
  EXPECT_EQ(summary.causes[0].ranks, std::vector<int>{1});
  EXPECT_NEAR(summary.causes[0].cost, 0.030, 1e-9);
  EXPECT_NEAR(summary.causes[0].own, 0.030, 1e-9);
  EXPECT_NEAR(summary.causes[0].elsewhere, 0, 1e-9);
  EXPECT_TRUE(std::isnan(summary.causes[0].predicted_run));
}

/// Rank 1 writes for 30 ms, the others for 5.
TEST(WaitsCauses, OfCallsThatTakeLongOnSomeRanksArePredictedAsOnTheOthers) {
  Job job(3);
  for (int rank = 0; rank < 3; ++rank) job.call(rank, "MPI_File_write", 15, 1 * ms, (rank == 1 ? 31 : 6) * ms);
  job.all("MPI_Barrier", 20, {7 * ms, 32 * ms, 7 * ms}, 33 * ms);
  job.finalize(33 * ms);
  const Summary summary = summary_of(job);
  const Cause& cause = summary.causes.at(0);
  EXPECT_EQ(cause.kind, "communication");
  EXPECT_EQ(cause.from.at.line, 15);
  EXPECT_EQ(cause.ranks, std::vector<int>{1});
  EXPECT_NEAR(cause.cost, 0.050, 1e-9);
  EXPECT_NEAR(cause.own, 0.030, 1e-9);
  EXPECT_NEAR(cause.elsewhere, 0.005, 1e-9);
  EXPECT_NEAR(cause.predicted_run, 0.008, 1e-9);
}

TEST(WaitsCauses, BeyondTheDearestAreNotPredictedAndThatIsTold) {
  Job job(2);
  std::int64_t now = 0;
  for (int line = 1; line <= 8; ++line) {
    job.all("MPI_Barrier", static_cast<std::uint64_t>(line), {now, now + line * ms}, now + line * ms);
    now += line * ms;
  }
  job.finalize(now);
  const Summary summary = summary_of(job);
  ASSERT_EQ(summary.causes.size(), 8U);
  for (std::size_t i = 0; i < 8; ++i) {
    EXPECT_EQ(summary.causes[i].to.at.line, 8 - static_cast<int>(i));
    const double predicted = summary.causes[i].predicted_run;
    EXPECT_EQ(std::isnan(predicted), i >= 6);
    if (i < 6) {
      EXPECT_NEAR(predicted, summary.run_time - summary.causes[i].cost, 1e-9);
    }
  }
  EXPECT_NE(file_text(summary).find("\"predicted_run_s\": null"), std::string::npos);
}

/// A thread of rank 0 comes to MPI for the first time, and late, while the main one has not been there for long.
TEST(WaitsCauses, OfAThreadsFirstCallAreTheProcessesWork) {
  Job job(2);
  job.call(0, "MPI_Comm_size", 5, 2 * ms, 2 * ms);
  job.call(0, "MPI_Finalize", 99, 20 * ms, 20 * ms);
  job.begin_thread(0);
  const Index send = job.call(0, "MPI_Send", 10, 50 * ms, 51 * ms);
  const Index receive = job.call(1, "MPI_Recv", 11, 5 * ms, 51 * ms);
  job.message(0, send, send, 1, receive, receive);
  job.call(1, "MPI_Finalize", 99, 60 * ms, 60 * ms);
  const Summary summary = summary_of(job);
  const Cause& cause = summary.causes.at(0);
  EXPECT_EQ(cause.kind, "work");
  EXPECT_EQ(cause.from.at.line, 5);
  EXPECT_EQ(cause.to.at.line, 10);
  EXPECT_NEAR(cause.cost, 0.045 + 0.040 * 45 / 46, 1e-9);  // of the 40 ms in MPI_Finalize, what is passed on
  EXPECT_NEAR(cause.own, 0.048, 1e-9);
  EXPECT_NEAR(cause.predicted_run, 0.020, 1e-9);
  EXPECT_NEAR(summary.replayed, 0.060, 1e-9);
  EXPECT_NEAR(summary.path.length, 0.060, 1e-9);
  EXPECT_NEAR(summary.path.communication, 0.001, 1e-9);
  EXPECT_EQ(summary.path.pieces.at(0).kind, "work");
  EXPECT_EQ(summary.path.pieces.at(0).to.at.line, 10);
}

/// A thread of rank 0 waits for a message of rank 1 from the start to the end of ten steps, then the main one for it.
TEST(WaitsCauses, AThreadThatWaitsWhileItsProcessGoesOnLosesNothing) {
  Job job(2);
  constexpr std::int64_t end = 100 * ms;
  for (std::int64_t now = 10 * ms; now <= end; now += 10 * ms)
    job.all("MPI_Barrier", 20, {now - ms / 10, now - ms}, now - ms / 10);
  const Index send = job.call(1, "MPI_Send", 10, end, end + ms / 10);
  job.finalize(end + ms);
  job.begin_thread(0);
  const Index receive = job.call(0, "MPI_Recv", 11, ms / 10, end + ms / 10);
  job.message(1, send, send, 0, receive, receive);
  const Summary summary = summary_of(job);
  ASSERT_EQ(summary.causes.size(), 1U);
  EXPECT_EQ(summary.causes[0].to.at.line, 20);
  EXPECT_NEAR(summary.causes[0].cost, 0.009, 1e-9);  // of rank 1, in barriers
  EXPECT_EQ(summary.waits.at(0).kind, "late_sender");
  EXPECT_NEAR(summary.waits.at(0).time, 0.0999, 1e-9);
}

/// Nor does a main thread that waits for another one, which does all the work.
TEST(WaitsCauses, AMainThreadThatWaitsWhileAnotherOneWorksLosesNothing) {
  Job job(1);
  const Index receive = job.call(0, "MPI_Recv", 11, ms, 100 * ms);
  job.finalize(101 * ms);
  job.begin_thread(0);
  for (std::int64_t now = 10 * ms; now < 100 * ms; now += 10 * ms) job.call(0, "MPI_Get_count", 20, now, now + 1);
  const Index send = job.call(0, "MPI_Send", 21, 100 * ms - 1, 100 * ms);
  job.message(0, send, send, 0, receive, receive);
  EXPECT_EQ(summary_of(job).causes.size(), 0U);
}

/// Each step rank 1 works 30 ms, rank 0 10 ms; then a message of rank 1 comes to a thread of rank 0 that only receives, for
/// which the main one waits before the next step. The process waits for it again and again.
TEST(WaitsCauses, AThreadForWhichItsProcessWaitsLosesTime) {
  Job job(2);
  std::vector<std::pair<Index, std::int64_t>> sends;
  constexpr int steps = 10;
  constexpr std::int64_t step = 31 * ms + 1000;
  for (std::int64_t now = 0; now < steps * step; now += step) {
    job.call(0, "MPI_Comm_size", 5, now + 10 * ms, now + 10 * ms + 1);
    sends.emplace_back(job.call(1, "MPI_Send", 10, now + 30 * ms, now + 30 * ms + 100), now);
    job.all("MPI_Barrier", 20, {now + 31 * ms, now + 31 * ms}, now + step);
  }
  job.finalize(steps * step + ms);
  job.begin_thread(0);
  for (const auto& [send, now] : sends) {
    const Index receive = job.call(0, "MPI_Recv", 11, now == 0 ? ms : now - ms, now + 30 * ms + 200);
    job.message(1, send, send, 0, receive, receive);
  }
  const Summary summary = summary_of(job);
  EXPECT_EQ(summary.causes.at(0).ranks, std::vector<int>{1});
  EXPECT_EQ(summary.causes.at(0).to.at.line, 10);
  EXPECT_NEAR(summary.causes.at(0).cost, steps * 0.020, 0.01);
}

/// Both threads of rank 0 wait for the same 20 ms: that is what the process loses.
TEST(WaitsCauses, WhatSeveralThreadsWaitForAtOnceIsLostOnce) {
  Job job(2);
  std::vector<Index> sends;
  for (int thread = 0; thread < 2; ++thread) {
    if (thread != 0) job.begin_thread(0);
    job.call(0, "MPI_Comm_size", 5, 2 * ms, 2 * ms);
    const Index receive = job.call(0, "MPI_Recv", 11, 30 * ms, 50 * ms);
    const Index send = job.call(1, "MPI_Send", 10, 50 * ms + thread, 50 * ms + thread);
    job.message(1, send, send, 0, receive, receive);
    if (thread == 0) job.call(0, "MPI_Finalize", 99, 60 * ms, 60 * ms);
  }
  job.call(1, "MPI_Finalize", 99, 60 * ms, 60 * ms);
  double cost = 0;
  for (const Cause& cause : summary_of(job).causes) cost += cause.cost;
  EXPECT_NEAR(cost, 0.020, 1e-7);
}

/// A thread of each rank and its main one take turns: the thread works, 30 ms on rank 1 and 10 on rank 0, and begins a send
/// and a receive, which the main one then completes. So the thread has gone on after that.
TEST(WaitsCauses, AThreadInStepWithTheMainOneGoesOnAfterItsCalls) {
  constexpr int steps = 10;
  Job job(2);
  std::array<std::vector<Index>, 2> completed, begun;
  const auto step = 31 * ms;
  const auto works = [](int rank) { return (rank == 1 ? 30 : 10) * ms; };
  for (const int rank : {0, 1})
    for (std::int64_t now = 0; now < steps * step; now += step)
      completed[static_cast<std::size_t>(rank)].push_back(
          job.call(rank, "MPI_Waitall", 20, now + works(rank) + 2000, now + step));
  job.finalize(steps * step + 1000);
  for (const int rank : {0, 1}) {
    job.begin_thread(rank);
    for (std::int64_t now = 0; now < steps * step; now += step) {
      begun[static_cast<std::size_t>(rank)].push_back(
          job.call(rank, "MPI_Irecv", 10, now + works(rank), now + works(rank) + 100));
      begun[static_cast<std::size_t>(rank)].push_back(
          job.call(rank, "MPI_Isend", 11, now + works(rank) + 200, now + works(rank) + 300));
    }
  }
  for (std::size_t i = 0; i < steps; ++i)
    for (const auto& [from, to] : {std::pair{0U, 1U}, {1U, 0U}})
      job.message(static_cast<int>(from), begun[from][2 * i + 1], completed[from][i], static_cast<int>(to),
                  begun[to][2 * i], completed[to][i]);
  const Summary summary = summary_of(job);
  const Cause& cause = summary.causes.at(0);
  EXPECT_EQ(cause.ranks, std::vector<int>{1});
  EXPECT_EQ(cause.to.at.line, 10);
  EXPECT_FALSE(cause.in_turn);
  EXPECT_NEAR(cause.cost, steps * 0.020, 1e-4);
  EXPECT_NEAR(summary.replayed, summary.run_time, 1e-9);
  EXPECT_NEAR(cause.predicted_run, summary.run_time - (steps - 1) * 0.020, 1e-3)
      << "the first time comes after MPI_Init";
}

/// Each step one of two works 30 ms, the other one 10.
TEST(WaitsCauses, OfWorkInTurnArePredictedWithoutWaitingForIt) {
  Job job(2);
  std::int64_t now = 0;
  for (int step = 0; step < 10; ++step, now += 31 * ms)
    job.all("MPI_Barrier", 20, {now + (step % 2 == 0 ? 30 : 10) * ms, now + (step % 2 == 0 ? 10 : 30) * ms},
            now + 31 * ms);
  job.finalize(now);
  const Summary summary = summary_of(job);
  const Cause& cause = summary.causes.at(0);
  EXPECT_TRUE(cause.in_turn);
  EXPECT_NEAR(cause.cost, 0.200, 1e-9);
  EXPECT_NEAR(cause.predicted_run, 0.210, 1e-9);
  EXPECT_NE(text_of(summary).find("      if nobody waited there, the run would take 0.21 s\n"), std::string::npos)
      << text_of(summary);
  EXPECT_NE(file_text(summary).find("\"in_turn\": true"), std::string::npos);
}

/// In turn in the first section; in the second one of them has most of the work. Neither replay is of both.
TEST(WaitsCauses, AreNotPredictedFromSomeOfTheirSections) {
  Job first(2);
  first.all("MPI_Barrier", 20, {30 * ms, 10 * ms}, 31 * ms);
  first.all("MPI_Barrier", 20, {41 * ms, 61 * ms}, 62 * ms);
  Job second(2);
  for (RankRecords& one : second.ranks) {
    one.section = 1;
    one.calls.front().entry = one.calls.front().exit = 62 * ms;
  }
  second.all("MPI_Barrier", 20, {72 * ms, 962 * ms}, 963 * ms);
  second.finalize(963 * ms);
  for (RankRecords& one : first.ranks) one.is_last = false;
  Analysis analysis(line_of);
  analysis.add(first.ranks);
  analysis.add(second.ranks);
  const Summary summary = analysis.summary();
  const Cause* const cause = cause_before(summary, 20);
  ASSERT_NE(cause, nullptr);
  EXPECT_FALSE(cause->in_turn);
  EXPECT_TRUE(std::isnan(cause->predicted_run)) << cause->predicted_run;
}

/// Three of four have three times as much work, and each is the last one now and then.
TEST(WaitsCauses, OfMostRanksThatHaveMoreWorkAreNotInTurn) {
  Job job(4);
  std::int64_t now = 0;
  for (int step = 0; step < 9; ++step, now += 32 * ms) {
    std::vector<std::int64_t> entries = {now + 10 * ms, now + 30 * ms, now + 30 * ms, now + 30 * ms};
    entries[static_cast<std::size_t>(1 + step % 3)] += ms / 1000;
    job.all("MPI_Barrier", 20, entries, now + 32 * ms);
  }
  job.finalize(now);
  const Summary summary = summary_of(job);
  const Cause& cause = summary.causes.at(0);
  EXPECT_EQ(cause.ranks, (std::vector<int>{1, 2, 3}));
  EXPECT_FALSE(cause.in_turn);
  EXPECT_NEAR(cause.predicted_run, 9 * 0.012, 0.0001);
}

/// The last one of a pipeline sends to nobody: its work, after the same call, leads to another one, for which all wait.
TEST(WaitsCauses, OfAPipelineAreInTurnThoughTheLastRankSendsNothing) {
  Job job(3);
  const Index first = job.call(0, "MPI_Send", 12, 10 * ms, 11 * ms);
  const Index heard = job.call(1, "MPI_Recv", 11, 0, 11 * ms);
  const Index next = job.call(1, "MPI_Send", 12, 21 * ms, 22 * ms);
  const Index last = job.call(2, "MPI_Recv", 11, 0, 22 * ms);
  job.message(0, first, first, 1, heard, heard);
  job.message(1, next, next, 2, last, last);
  for (const auto& [rank, end] : {std::pair{0, 11}, {1, 22}, {2, 32}})
    job.call(rank, "MPI_Finalize", 99, end * ms, end * ms);
  const Summary summary = summary_of(job);
  const Cause* const cause = cause_before(summary, 12);
  ASSERT_NE(cause, nullptr);
  EXPECT_EQ(cause->ranks, (std::vector<int>{0, 1, 2}));
  EXPECT_EQ(cause_before(summary, 99), nullptr);
  EXPECT_TRUE(cause->in_turn);
  EXPECT_NEAR(cause->predicted_run, 0.012, 1e-9);  // a receive, 10 ms of work and a send
}

/// Each step the ranks take turns with 6 ms each, do 3 ms more, and meet at what the last one has to tell. Only the last one
/// is late there, and it waits for the others at the next turn: which begins when these have heard of it.
TEST(WaitsCauses, OfTurnsThatEndInABroadcastAreTheTurns) {
  Job job(3);
  std::int64_t now = 0;
  for (int step = 0; step < 10; ++step, now += 21 * ms) {
    Index sent = none;
    for (int rank = 0; rank < 3; ++rank) {
      const std::int64_t turn = now + rank * 6 * ms;
      if (rank > 0) {
        const Index heard = job.call(rank, "MPI_Recv", 11, now, turn);
        job.message(rank - 1, sent, sent, rank, heard, heard);
      }
      if (rank < 2) sent = job.call(rank, "MPI_Send", 12, turn + 6 * ms, turn + 6 * ms);
    }
    job.all("MPI_Bcast", 20, {now + 9 * ms, now + 15 * ms, now + 21 * ms}, now + 21 * ms, 2);
  }
  job.finalize(now);
  const Summary summary = summary_of(job);
  const Cause& cause = summary.causes.at(0);
  EXPECT_TRUE(cause.in_turn);
  EXPECT_NEAR(cause.cost, 10 * (0.006 + 0.012 + 0.012 + 0.006), 1e-6);
  EXPECT_NEAR(cause.predicted_run, 10 * 0.009, 1e-6);
}

/// Rank 0 works so long before it sends, rank 1 10 ms after it has received, and then they meet.
Summary summary_of_two_in_turn(std::int64_t first_ms) {
  Job job(2);
  std::int64_t now = 0;
  for (int step = 0; step < 10; ++step) {
    const std::int64_t sent_at = now + first_ms * ms;
    const Index sent = job.call(0, "MPI_Send", 12, sent_at, sent_at);
    const Index heard = job.call(1, "MPI_Recv", 11, now, sent_at);
    job.message(0, sent, sent, 1, heard, heard);
    now = sent_at + 10 * ms;
    job.all("MPI_Barrier", 20, {sent_at, now}, now);
  }
  job.finalize(now);
  return summary_of(job);
}

TEST(WaitsCauses, OfTwoThatTakeTurnsAreOne) {
  const Summary summary = summary_of_two_in_turn(10);
  ASSERT_EQ(summary.causes.size(), 1U);
  EXPECT_TRUE(summary.causes[0].in_turn);
  EXPECT_EQ(summary.causes[0].ranks, (std::vector<int>{0, 1}));
  EXPECT_NEAR(summary.causes[0].cost, 10 * 0.020, 1e-9);
  EXPECT_NEAR(summary.causes[0].predicted_run, 10 * 0.010, 1e-9);
}

/// What could be sent before the work is late.
TEST(WaitsCauses, OfOneThatWorksTwiceAsLongBeforeItSendsAreItsOwn) {
  const Summary summary = summary_of_two_in_turn(20);
  ASSERT_EQ(summary.causes.size(), 2U);
  EXPECT_FALSE(summary.causes[0].in_turn);
  EXPECT_EQ(summary.causes[0].ranks, std::vector<int>{0});
  EXPECT_NEAR(summary.causes[0].sent_first_run, 10 * 0.020, 1e-9);
}

/// Ten steps of 10 ms, of rank 1 30 ms; the compiler has made two calls of one, for each other step.
TEST(WaitsCauses, OfCallsThatTheCompilerHasCopiedAreOne) {
  Job job(2);
  std::int64_t now = 0;
  for (std::uint64_t step = 0; step < 10; ++step, now += 31 * ms)
    job.all("MPI_Allreduce", 200 + step % 2, {now + 10 * ms, now + 30 * ms}, now + 31 * ms);
  job.finalize(now);
  const auto ten_bytes_a_line = [](const std::string& object, std::uint64_t offset) {
    return line_of(object, offset / 10);
  };
  const Summary summary = summarize(job.ranks, ten_bytes_a_line);
  ASSERT_EQ(summary.causes.size(), 1U);
  EXPECT_NEAR(summary.causes[0].cost, 10 * 0.020, 1e-9);
  EXPECT_EQ(summary.causes[0].times, 10U);
  EXPECT_NEAR(summary.causes[0].predicted_run, 10 * 0.011, 1e-9);
  EXPECT_EQ(summary.waits.size(), 1U);
  ASSERT_EQ(summary.free_calls.size(), 1U);
  EXPECT_NEAR(summary.free_calls[0].predicted_run, 10 * 0.030, 1e-9) << "both copies are free";
  EXPECT_EQ(summarize(job.ranks, nullptr).causes.size(), 2U) << "of which nothing is known";
}

/// Two of four work 20 ms longer; one is the last one by chance, always the same.
TEST(WaitsCauses, OfRanksThatAreEquallyLateAreOfAllOfThem) {
  Job job(4);
  std::int64_t now = 0;
  for (int step = 0; step < 10; ++step, now += 31 * ms)
    job.all("MPI_Barrier", 20, {now + 10 * ms, now + 10 * ms, now + 30 * ms, now + 30 * ms + ms / 10}, now + 31 * ms);
  job.finalize(now);
  const Summary summary = summary_of(job);
  ASSERT_FALSE(summary.causes.empty());
  EXPECT_EQ(summary.causes[0].ranks, (std::vector<int>{2, 3}));
  EXPECT_NEAR(summary.causes[0].own, 2 * 10 * 0.030, 0.010);
  EXPECT_NEAR(summary.causes[0].elsewhere, 10 * 0.010, 1e-3);
  EXPECT_NEAR(summary.causes[0].predicted_run, 10 * 0.011, 2e-3);
}

/// One works 20 s before the first of twenty calls, and all 80 ms before each, one or the other a little more.
TEST(WaitsCauses, OfOneLongStepAreNotComparedWithWhatRanksDoByChance) {
  Job job(2);
  std::int64_t now = 0;
  for (int step = 0; step < 20; ++step) {
    const std::int64_t came = now + 80 * ms;
    const std::int64_t late = step == 0 ? 20'000 * ms : (step % 3) * ms / 10;
    job.all("MPI_Allreduce", 20, {came, came + late}, came + late + ms);
    now = came + late + ms;
  }
  job.finalize(now);
  const Summary summary = summary_of(job);
  ASSERT_FALSE(summary.causes.empty());
  EXPECT_EQ(summary.causes[0].ranks, std::vector<int>{1});
  EXPECT_NEAR(summary.causes[0].elsewhere, 0.080, 1e-9);
  EXPECT_NEAR(summary.causes[0].own, 20.080, 1e-9);
}

/// Before 9,000 calls of a microsecond.
TEST(WaitsCauses, AreFoundHowManyCallsThereAreSinceTheTwoMet) {
  Job job(2);
  std::int64_t now = 200 * ms;
  job.call(1, "MPI_Iprobe", 10, now, now + 1000);
  for (int i = 0; i < 9000; ++i) now = now + 2000, job.call(1, "MPI_Irecv", 11, now, now + 1000);
  job.all("MPI_Barrier", 20, {10 * ms, now + 2000}, now + 3000);
  job.finalize(now + 3000);
  const Summary summary = summary_of(job);
  ASSERT_NE(cause_before(summary, 10), nullptr);
  EXPECT_NEAR(cause_before(summary, 10)->cost, 0.198, 0.012);
}

}  // namespace
}  // namespace cairn::waits
