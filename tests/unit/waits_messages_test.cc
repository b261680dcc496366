// SPDX-License-Identifier: BSD-3-Clause
// waits_messages_test.cc - what replays predict of messages: that are free, begun during other work, sent before it, or waited for

#include <gtest/gtest.h>

#include "waits_job.hpp"

namespace cairn::waits {
namespace {

/// One that is synchronous needs its receiver, however small it is; one that is buffered never does.
TEST(WaitsPredictions, KnowHowAMessageIsSent) {
  for (const auto& [function, is_synchronous] : {std::pair<std::string, bool>{"MPI_Issend", true},
                                                 {"MPI_Ssend_init", true},
                                                 {"MPI_Isend", false},
                                                 {"MPI_Bsend_init", false},
                                                 {"MPI_Ibsend", false},
                                                 {"MPI_Irsend", false},
                                                 {"MPI_Isendrecv", false}}) {
    Job job(2);
    const Index begin = job.call(0, function, 10, 5 * ms, 5 * ms);
    const Index end = job.call(0, "MPI_Wait", 11, 6 * ms, 42 * ms);
    const Index receive = job.call(1, "MPI_Recv", 12, 30 * ms, 42 * ms);
    job.message(0, begin, end, 1, receive, receive, is_synchronous ? 8 : 0);
    job.finalize(50 * ms);
    EXPECT_EQ(find(summary_of(job), "late_receiver") != nullptr, is_synchronous) << function;
  }
}

/// Ranks 0 and 1 send to rank 2, work 10 ms and wait until it takes the message: the first one was fetched while its sender
/// worked, since the receiver was there already.
TEST(WaitsPredictions, KnowThatAMessageWhichIsFetchedNeedsItsReceiver) {
  Job job(3);
  constexpr std::uint64_t large = 480'000;
  const auto send = [&](int rank, std::int64_t now) {
    return std::pair{job.call(rank, "MPI_Isend", 10, now, now), now + 10 * ms};
  };
  std::int64_t now = 1 * ms;
  const auto early = send(0, now);
  const Index heard = job.call(2, "MPI_Recv", 12, 0, now + 1 * ms);
  const Index over = job.call(0, "MPI_Wait", 11, early.second, early.second);
  job.message(0, early.first, over, 2, heard, heard, large);
  now += 12 * ms;
  for (int step = 0; step < 10; ++step, now += 60 * ms)
    for (const int rank : {0, 1}) {
      const auto [begun, waits] = send(rank, now);
      const std::int64_t asks = now + (rank + 1) * 20 * ms;
      const Index receive = job.call(2, "MPI_Recv", 12, asks, asks + 100'000);
      const Index end = job.call(rank, "MPI_Wait", 11, waits, asks + 100'000);
      job.message(rank, begun, end, 2, receive, receive, large);
    }
  job.finalize(now);
  const Summary summary = summary_of(job);
  const auto* const wait = find(summary, "late_receiver");
  ASSERT_NE(wait, nullptr);
  EXPECT_NEAR(wait->time, 10 * (0.010 + 0.030), 1e-9);
}

/// Two ranks, ten steps: a transfer is begun and waited for, 5 ms, then 3 ms of work; once 9 ms.
TEST(WaitsPredictions, AreOfTransfersDuringTheWorkThatFollowsThem) {
  Job job(2);
  job.ranks[1].node = "there";
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

TEST(WaitsPredictions, AreOfMessagesThatNeedNoReceiver) {
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
  EXPECT_NEAR(predicted(summary, "eager_messages"), 0.043, 1e-9);
  EXPECT_EQ(summary.transfers[0].overlapped_run, 0);  // within a node
}

/// Ten steps: rank 0 works 20 ms, makes another call, and sends to the others, who work 20 ms with that; then all meet.
TEST(WaitsPredictions, AreOfMessagesThatAreSentBeforeTheWork) {
  Job job(3);
  std::int64_t now = 0;
  for (int step = 0; step < 10; ++step, now += 41 * ms) {
    job.call(0, "MPI_Cancel", 9, now + 20 * ms, now + 20 * ms);
    for (int rank = 1; rank < 3; ++rank) {
      const Index send = job.call(0, "MPI_Send", 11, now + 20 * ms, now + 20 * ms);
      const Index receive = job.call(rank, "MPI_Recv", 10, now, now + 20 * ms);
      job.message(0, send, send, rank, receive, receive);
    }
    job.all("MPI_Barrier", 20, {now + 20 * ms, now + 40 * ms, now + 40 * ms}, now + 41 * ms);
  }
  job.finalize(now);
  const Summary summary = summary_of(job);
  EXPECT_EQ(summary.causes[0].to.at.line, 9);
  EXPECT_NEAR(summary.causes[0].sent_first_run, 10 * 0.021, 1e-9);
  EXPECT_NEAR(summary.causes[0].sent_first_error, 0.02 * 10 * 0.020, 1e-9);
  EXPECT_NE(text_of(summary).find("\n      with that work after what is sent, the run would take 0.21 s\n"),
            std::string::npos)
      << text_of(summary);
  EXPECT_TRUE(std::isnan(summary_of(late_rank("MPI_Allreduce")).causes[0].sent_first_run)) << "nothing is sent";
}

/// Ten steps: a send of 2 kB is over when its receiver, which works 30 ms, comes to a barrier of its own, and asks for the
/// message 5 ms later.
Job sends_that_need_a_library(bool is_seen_unaided, bool is_blocking) {
  Job job(2);
  job.of(1).comms.push_back({8, "MPI_COMM_SELF", 1, {}});
  std::int64_t now = 1 * ms;
  for (int step = 0; step < 10; ++step, now += 35 * ms) {
    const std::int64_t until = now + (is_seen_unaided && step >= 4 ? 2 : 30) * ms;
    const Index begin = is_blocking ? none : job.call(0, "MPI_Isend", 11, now, now);
    const Index end = job.call(0, is_blocking ? "MPI_Send" : "MPI_Wait", 12, now + 1 * ms, until);
    const Index other = job.call(1, "MPI_Barrier", 13, now + 30 * ms, now + 30 * ms);
    job.of(1).together.push_back({2, static_cast<std::uint32_t>(step + 1), no_root, other, other});
    const Index asks = job.call(1, "MPI_Recv", 14, now + 35 * ms, now + 35 * ms);
    job.message(0, is_blocking ? end : begin, end, 1, asks, asks, 2000);
  }
  job.finalize(now);
  return job;
}

TEST(WaitsPredictions, AreOfSendsThatWaitForTheirReceiversLibrary) {
  for (const bool is_blocking : {false, true}) {
    const Summary summary = summary_of(sends_that_need_a_library(false, is_blocking));
    ASSERT_NE(find(summary, "late_receiver"), nullptr);
    EXPECT_NEAR(find(summary, "late_receiver")->time, 10 * 0.029, 1e-9);
    EXPECT_NEAR(summary.replayed, summary.run_time, 1e-9);
    EXPECT_EQ(find(summary_of(sends_that_need_a_library(true, is_blocking)), "late_receiver"), nullptr);
  }
}

/// Ten steps: a ring of two ranks in which one waits for the other's message, which comes late; whether the same call waited
/// for the other one's library is unknown, but another time it was over without.
TEST(WaitsPredictions, AreOfExchangesThatWaitForTheirReceiversLibraryOnlyIfOthersHave) {
  for (const bool is_unaided : {false, true}) {
    Job job(2);
    job.of(1).comms.push_back({8, "MPI_COMM_SELF", 1, {}});
    std::int64_t now = 0;
    for (int step = 0; step < 10; ++step, now += 40 * ms) {
      const Index call = job.call(0, "MPI_Sendrecv", 10, now, now + 31 * ms);
      const Index send = job.call(1, "MPI_Isend", 11, now + 20 * ms, now + 20 * ms);
      const Index other = job.call(1, "MPI_Barrier", 13, now + 30 * ms, now + 30 * ms);
      job.of(1).together.push_back({2, static_cast<std::uint32_t>(step + 1), no_root, other, other});
      const Index receive = job.call(1, "MPI_Recv", 12, now + 35 * ms, now + 35 * ms);
      job.message(0, call, call, 1, receive, receive, 2000);
      job.message(1, send, job.call(1, "MPI_Wait", 15, now + 36 * ms, now + 36 * ms), 0, call, call, 8);
    }
    for (int step = 0; step < 10 && is_unaided; ++step, now += 40 * ms) {
      const Index send = job.call(0, "MPI_Send", 13, now, now);
      const Index receive = job.call(1, "MPI_Recv", 14, now + 30 * ms, now + 30 * ms);
      job.message(0, send, send, 1, receive, receive, 3000);
    }
    job.finalize(now);
    const Summary summary = summary_of(job);
    const char* const kind = is_unaided ? "late_sender" : "late_fetch";
    ASSERT_NE(find(summary, kind), nullptr) << is_unaided;
  }
}

}  // namespace
}  // namespace cairn::waits
