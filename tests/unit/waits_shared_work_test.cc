// SPDX-License-Identifier: BSD-3-Clause
// waits_shared_work_test.cc - ranks that wait for others' share of the work: with none of their own, with other work, or in a line

#include <gtest/gtest.h>

#include <cmath>

#include "waits_job.hpp"

namespace cairn::waits {
namespace {

using formats::waits::Cause;

/// Ten steps: ranks 1 to 3 work 30 ms, the slow one 60 ms, and send to rank 0, which has work of its own or none, and receives
/// from the slow one last; then all meet.
Job collected(int slow, std::int64_t own_work = 0) {
  Job job(4);
  std::int64_t now = 0;
  for (int step = 0; step < 10; ++step) {
    std::vector<int> senders{1, 2, 3};
    std::stable_partition(senders.begin(), senders.end(), [&](int rank) { return rank != slow; });
    std::vector<std::int64_t> entries(4, now);
    entries[0] += own_work;
    for (const int rank : senders) {
      const std::int64_t done = now + (rank == slow ? 60 : 30) * ms;
      const std::int64_t received = std::max(entries[0], done) + 2000;
      const Index send = job.call(rank, "MPI_Send", 30, done, done + 1000);
      const Index receive = job.call(0, "MPI_Recv", 10, entries[0], received);
      job.message(rank, send, send, 0, receive, receive);
      entries[static_cast<std::size_t>(rank)] = done + 1000;
      entries[0] = received;
    }
    now = entries[0] + 1000;
    job.all("MPI_Barrier", 20, entries, now);
  }
  job.finalize(now);
  return job;
}

double cost_of(const Summary& summary, std::string_view kind) {
  double cost = 0;
  for (const Cause& cause : summary.causes) cost += cause.kind == kind ? cause.cost : 0;
  return cost;
}

TEST(WaitsSharedWork, OfHealthyRanksIsNoLossToTheOneThatCollectsIt) {
  const Summary summary = summary_of(collected(0));
  EXPECT_NEAR(cost_of(summary, "usual_work"), 10 * 0.030, 1e-3);
  EXPECT_LT(cost_of(summary, "work"), 1e-3);
  EXPECT_TRUE(std::isnan(summary.causes.at(0).predicted_run));
}

TEST(WaitsSharedWork, OfASlowRankCostsAllWhatItTakesLonger) {
  for (const int slow : {1, 2, 3}) {
    const Summary summary = summary_of(collected(slow));
    const auto cause = std::ranges::find(summary.causes, "work", &Cause::kind);
    ASSERT_NE(cause, summary.causes.end());
    EXPECT_EQ(cause->ranks, std::vector<int>{slow});
    EXPECT_NEAR(cause->cost, 3 * 10 * 0.030, 2e-3);
    EXPECT_NEAR(cause->predicted_run, 10 * 0.030, 2e-3);
    EXPECT_NEAR(cost_of(summary, "usual_work"), 10 * 0.030, 2e-3);
  }
}

/// Half as much as the others have, so that less would be lost if they gave it some of theirs.
TEST(WaitsSharedWork, IsLossToARankThatHasWorkOfItsOwn) {
  const Summary summary = summary_of(collected(0, 15 * ms));
  EXPECT_EQ(cost_of(summary, "usual_work"), 0);
  EXPECT_NEAR(cost_of(summary, "work"), 10 * 0.015, 1e-3);
}

/// With one worker it is unknown what is usual: the two work in turn.
TEST(WaitsSharedWork, OfOneRankIsItsOwn) {
  Job job(2);
  for (int step = 0; step < 10; ++step) {
    const std::int64_t now = step * 30 * ms;
    const Index send = job.call(1, "MPI_Send", 30, now + 29 * ms, now + 29 * ms + 1000);
    const Index receive = job.call(0, "MPI_Recv", 10, now, now + 29 * ms + 2000);
    job.message(1, send, send, 0, receive, receive);
  }
  job.finalize(300 * ms);
  const Summary summary = summary_of(job);
  EXPECT_EQ(summary.causes.at(0).kind, "work");
  EXPECT_EQ(summary.causes.at(0).ranks, std::vector<int>{1});
  EXPECT_EQ(cost_of(summary, "usual_work"), 0);
}

/// Ranks 0 and 2 work 30 ms and send to 1 and 3, which work as long elsewhere, 1 twice as long; these receive only then. All
/// meet at the end.
TEST(WaitsSharedWork, AtAnotherPlaceIsNotWhyARankIsLateThatWaitedBesides) {
  Job job(4);
  std::vector<std::int64_t> now(4);
  for (int step = 0; step < 10; ++step)
    for (const int sender : {0, 2}) {
      const int receiver = sender + 1;
      const auto to = static_cast<std::size_t>(receiver);
      const auto from = static_cast<std::size_t>(sender);
      const std::int64_t ready = now[from] + 30 * ms;
      const std::int64_t asks = now[to] + (receiver == 1 ? 60 : 30) * ms;
      const std::int64_t over = std::max(ready, asks) + 2000;
      const Index send = job.call(sender, "MPI_Ssend", 30, ready, over);
      const Index receive = job.call(receiver, "MPI_Recv", 10, asks, over);
      job.message(sender, send, send, receiver, receive, receive);
      now[from] = now[to] = over;
    }
  for (int turn = 0; turn < 2; ++turn) {  // whichever of the two comes last
    Job last = job;
    std::vector<std::int64_t> entries = now;
    entries[static_cast<std::size_t>(turn)] += 1000;
    last.all("MPI_Barrier", 20, entries, entries[static_cast<std::size_t>(turn)] + 1000);
    last.finalize(entries[static_cast<std::size_t>(turn)] + 1000);
    const Summary summary = summary_of(last);
    EXPECT_EQ(summary.causes.at(0).ranks, std::vector<int>{1});
    EXPECT_EQ(summary.causes.at(0).to.at.line, 10);
    EXPECT_NEAR(summary.causes.at(0).cost, 3 * 0.300, 3e-3);
    EXPECT_NEAR(summary.causes.at(0).predicted_run, 0.300, 3e-3);
  }
}

/// Twenty blocks go through four ranks, each of which works 20 ms on them, rank 2 40 ms; the last one sends nothing on. All
/// meet at the end.
TEST(WaitsSharedWork, InALineIsOfTheSlowRankAlone) {
  Job job(4);
  std::vector<std::int64_t> now(4);
  for (int block = 0; block < 20; ++block) {
    std::int64_t sent = 0;
    Index send = none;
    for (int rank = 0; rank < 4; ++rank) {
      std::int64_t& at = now[static_cast<std::size_t>(rank)];
      if (rank > 0) {
        const std::int64_t received = std::max(at, sent) + 1000;
        const Index receive = job.call(rank, "MPI_Recv", 10, at, received);
        job.message(rank - 1, send, send, rank, receive, receive);
        at = received;
      }
      at += (rank == 2 ? 40 : 20) * ms;
      if (rank == 3) continue;
      send = job.call(rank, "MPI_Send", 30, at, at + 1000);
      sent = at;
      at += 1000;
    }
  }
  const std::int64_t end = std::ranges::max(now);
  job.all("MPI_Barrier", 20, now, end + 1000);
  job.finalize(end + 1000);
  const Summary summary = summary_of(job);
  EXPECT_EQ(summary.causes.at(0).ranks, std::vector<int>{2});
  EXPECT_NEAR(summary.causes.at(0).predicted_run, 23 * 0.020, 3e-3);
}

/// Rank r of four works 25 ms when it is its turn, and puts what it has; all fence after each turn.
TEST(WaitsSharedWork, InTurnBetweenFencesWouldBeAtOnceWithoutThem) {
  Job job(4);
  std::int64_t now = 0;
  for (int turn = 0; turn < 40; ++turn) {
    const std::int64_t done = now + 25 * ms;
    job.call(turn % 4, "MPI_Put", 30, done, done + 1000);
    std::vector<std::int64_t> entries(4, now);
    entries[static_cast<std::size_t>(turn % 4)] = done + 2000;
    now = done + 4000;
    job.all("MPI_Win_fence", 20, entries, now);
  }
  job.finalize(now);
  const Summary summary = summary_of(job);
  EXPECT_TRUE(summary.causes.at(0).in_turn);
  EXPECT_NEAR(summary.causes.at(0).cost, 40 * 3 * 0.025, 0.02);
  EXPECT_NEAR(summary.causes.at(0).predicted_run, 10 * 0.025, 0.005);
}

}  // namespace
}  // namespace cairn::waits
