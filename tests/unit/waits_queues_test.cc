// SPDX-License-Identifier: BSD-3-Clause
// waits_queues_test.cc - receives that find their messages among many others, and the run without

#include <gtest/gtest.h>

#include "waits_job.hpp"

namespace cairn::waits {
namespace {

/// 40 messages are sent, and rank 1 receives them, for 5 ms each while more than 16 of them lie there: `short_ms` later.
/// Rank 0 waits for it in a reduction. Where it is asked for by calls that do not return the message, it comes at the end.
Summary summary_of_searching(std::int64_t short_ms, std::uint64_t bytes_of_last, bool is_begun = false) {
  constexpr int messages = 40;
  Job job(2);
  std::vector<Index> sends;
  for (int i = 0; i < messages; ++i) sends.push_back(job.call(0, "MPI_Send", 12, i * ms, i * ms));
  std::int64_t now = 100 * ms;
  std::vector<Index> receives;
  for (int i = 0; i < messages; ++i) {
    const std::int64_t length_ms = messages - i > 16 ? 5 : short_ms;
    receives.push_back(job.call(1, is_begun ? "MPI_Irecv" : "MPI_Recv", 13, now, now + length_ms * ms));
    now += length_ms * ms;
  }
  const Index wait = is_begun ? job.call(1, "MPI_Waitall", 14, now, now) : none;
  for (int i = 0; i < messages; ++i) {
    const auto at = static_cast<std::size_t>(i);
    const Index end = is_begun ? wait : receives[at];
    job.message(0, sends[at], sends[at], 1, receives[at], end, messages - i > 16 ? 8 : bytes_of_last);
  }
  job.all("MPI_Allreduce", 15, {100 * ms, now}, now);
  job.finalize(now);
  return summary_of(job);
}

TEST(WaitsPredictions, AreOfReceivesThatFindFewMessagesWhereTheyFoundMany) {
  for (const bool is_begun : {false, true}) {
    const Summary summary = summary_of_searching(1, 8, is_begun);
    constexpr double excess = 24 * 0.004;
    ASSERT_EQ(summary.searches.size(), 1U);
    const formats::waits::Searches& found = summary.searches[0];
    EXPECT_EQ(found.place.at.line, 13);
    EXPECT_EQ(found.ranks, std::vector<int>{1});
    EXPECT_EQ(found.receives, 24U);
    EXPECT_EQ(found.longest, 40U);
    EXPECT_NEAR(found.time, excess, 1e-9);
    EXPECT_NEAR(found.predicted_run, summary.run_time - excess, 1e-9);
    EXPECT_NEAR(predicted(summary, "expected_messages"), summary.run_time - excess, 1e-9);
  }
}

TEST(WaitsPredictions, AreOfNoSearchWhereItTakesNoLongerOrNobodyKnowsWhatIsUsual) {
  const Summary as_long = summary_of_searching(5, 8);
  EXPECT_TRUE(as_long.searches.empty());
  EXPECT_TRUE(summary_of_searching(4, 8).searches.empty()) << "a quarter longer";
  EXPECT_NEAR(predicted(as_long, "expected_messages"), as_long.run_time, 1e-9);
  EXPECT_TRUE(summary_of_searching(1, 100'000).searches.empty()) << "those that find few are not alike";
}

/// A receive that waits for its message shows what is usual, too.
TEST(WaitsPredictions, AreOfNoSearchIfNoReceiveShowsWhatIsUsual) {
  for (const bool is_known : {true, false}) {
    Job job(2);
    std::int64_t now = 0;
    for (int i = 0; i < (is_known ? 3 : 0); ++i, now += 12 * ms) {
      const Index send = job.call(0, "MPI_Send", 10, now + 10 * ms, now + 10 * ms);
      const Index receive = job.call(1, "MPI_Recv", 11, now, now + 11 * ms);
      job.message(0, send, send, 1, receive, receive);
    }
    std::vector<Index> sends;
    for (int i = 0; i < 40; ++i) sends.push_back(job.call(0, "MPI_Send", 12, now + i * ms, now + i * ms));
    now += 50 * ms;
    job.call(0, "MPI_Finalize", 99, now, now);
    for (int i = 0; i < 40; ++i, now += 5 * ms) {
      const Index receive = job.call(1, "MPI_Recv", 13, now, now + 5 * ms);
      const auto at = static_cast<std::size_t>(i);
      job.message(0, sends[at], sends[at], 1, receive, receive, i < 24 ? 8 : 1000);
    }
    job.call(1, "MPI_Finalize", 99, now, now);
    const Summary summary = summary_of(job);
    ASSERT_EQ(summary.searches.size(), is_known ? 1U : 0U);
    for (const formats::waits::Searches& one : summary.searches)
      EXPECT_NEAR(one.predicted_run, summary.run_time - 24 * 0.004, 1e-9);
  }
}

}  // namespace
}  // namespace cairn::waits
