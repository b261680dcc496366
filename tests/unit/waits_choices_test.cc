// SPDX-License-Identifier: BSD-3-Clause
// waits_choices_test.cc - how much shorter a run may be than predicted, because other messages would come first

#include <gtest/gtest.h>

#include "waits/figures.hpp"
#include "waits_job.hpp"

namespace cairn::waits {
namespace {

/// With the work of rank 2 before that call as long as that.
Prediction with(const std::vector<RankRecords>& ranks, const std::string& function, std::int64_t work_ns) {
  Figures section(ranks, line_of);
  Change change;
  change.work = [&](Index node, std::int64_t ns) {
    return section.graph.rank(node) == 2 && section.graph.function(node) == function ? work_ns : ns;
  };
  return section.predictions.with(change);
}

/// Rank 0 receives from the others, by requests; rank 1 sends after 10 ms, rank 2 after 30 ms.
class Choosing {
 public:
  explicit Choosing(const std::string& receives, std::uint8_t of_any = 0, int ranks = 3) : job_(ranks) {
    const bool has_requests = receives.starts_with("MPI_Wait") || receives.starts_with("MPI_Test");
    Index begun[3] = {};
    if (has_requests)
      for (int rank = 1; rank < 3; ++rank) begun[rank] = job_.call(0, "MPI_Irecv", 5, 0, 0);
    for (const auto& [rank, moment] : {std::pair{1, 10 * ms}, std::pair{2, 30 * ms}}) {
      const Index taken = job_.call(0, receives, 6, rank == 1 ? 0 : 10 * ms, moment);
      const Index sent = job_.call(rank, "MPI_Send", 7, moment, moment);
      job_.message(rank, sent, sent, 0, has_requests ? begun[rank] : taken, taken);
      job_.of(0).messages.back().of_any = of_any;
    }
    job_.finalize(30 * ms);
  }

  Job& job() { return job_; }
  Prediction with(std::int64_t work_ns) const { return waits::with(job_.ranks, "MPI_Send", work_ns); }
  double earlier_s(std::int64_t work_ns) const { return with(work_ns).earlier_s; }

 private:
  Job job_;
};

/// The other one is there after 3 ms; the first is waited for until 10 ms.
TEST(WaitsChoices, AreWhatCallsForSeveralCouldHaveTakenInstead) {
  for (const char* const function : {"MPI_Waitany", "MPI_Waitsome", "MPI_Testany", "MPI_Testsome", "MPI_Test"}) {
    const Prediction predicted = Choosing(function).with(3 * ms);
    EXPECT_NEAR(predicted.run_s, 0.030, 1e-9) << "the rest of the work until the end is as long";
    EXPECT_NEAR(predicted.earlier_s, 0.007, 1e-9) << function;
    EXPECT_NEAR(predicted.error_s, 0.007, 1e-9) << function;
  }
  EXPECT_EQ(Choosing("MPI_Wait").earlier_s(3 * ms), 0) << "of this request only";
}

TEST(WaitsChoices, AreWhatComesFromAnybody) {
  EXPECT_NEAR(Choosing("MPI_Recv", of_any_tag).earlier_s(3 * ms), 0.007, 1e-9);
  EXPECT_NEAR(Choosing("MPI_Wait", of_any_tag).earlier_s(3 * ms), 0.007, 1e-9);
  EXPECT_EQ(Choosing("MPI_Recv").earlier_s(3 * ms), 0);
}

TEST(WaitsChoices, AreNoneWhereTheOrderStays) {
  for (const std::int64_t work : {10, 20, 30, 40}) EXPECT_EQ(Choosing("MPI_Waitany").earlier_s(work * ms), 0) << work;
  EXPECT_NEAR(Choosing("MPI_Waitany").earlier_s(9 * ms), 0.001, 1e-9);
}

TEST(WaitsChoices, AreNoneAmongMessagesOfDifferentCommunicatorsOrTags) {
  const auto elsewhere = [](const char* function) {
    Choosing choosing(function, of_any_tag);
    for (int rank : {0, 2}) {
      choosing.job().of(rank).comms.push_back({8, "other", 3, {}});
      choosing.job().of(rank).messages.back().comm = 2;
    }
    return choosing.earlier_s(3 * ms);
  };
  EXPECT_EQ(elsewhere("MPI_Recv"), 0);
  EXPECT_NEAR(elsewhere("MPI_Waitany"), 0.007, 1e-9) << "one call for both";
  Choosing other_tag("MPI_Recv", 5);
  other_tag.job().of(0).messages.back().of_any = 6;
  EXPECT_EQ(other_tag.earlier_s(3 * ms), 0);
}

/// Rank 0 waits for the first of two sends until 10 ms, and the other one is received after 3.
TEST(WaitsChoices, AreSendsThatNeedTheirReceivers) {
  for (const bool needs_receiver : {true, false}) {
    Job job(3);
    const char* const function = needs_receiver ? "MPI_Issend" : "MPI_Ibsend";
    const Index begun[] = {job.call(0, function, 5, 0, 0), job.call(0, function, 5, 0, 0)};
    for (const auto& [rank, moment] : {std::pair{1, 10 * ms}, std::pair{2, 30 * ms}}) {
      const Index sent = job.call(0, "MPI_Waitany", 6, rank == 1 ? 0 : 10 * ms, moment);
      const Index received = job.call(rank, "MPI_Recv", 7, moment, moment);
      job.message(0, begun[rank - 1], sent, rank, received, received);
    }
    job.finalize(30 * ms);
    EXPECT_NEAR(with(job.ranks, "MPI_Recv", 3 * ms).earlier_s, needs_receiver ? 0.007 : 0, 1e-9);
  }
}

/// As where a message is received last that came long ago, and of which it is not known that it could be no other.
TEST(WaitsChoices, OfTheUnchangedRunAreNone) {
  Choosing choosing("MPI_Recv", of_any_tag);
  std::vector<RankRecords>& ranks = choosing.job().ranks;
  ranks[2].calls[1].entry = ranks[2].calls[1].exit = 1 * ms;
  EXPECT_EQ(choosing.earlier_s(1 * ms), 0);
}

/// Ten times, on communicators of their own: 7 ms each.
TEST(WaitsChoices, OfSeveralCommunicatorsAddUp) {
  Job job(12);  // nine of them work all the time
  for (int rank = 0; rank < 3; ++rank)
    for (Index comm = 0; comm < 10; ++comm) job.of(rank).comms.push_back({8 + comm, "phase", 3, {}});
  std::int64_t now = 0;
  for (Index comm = 2; comm < 12; ++comm) {
    for (const auto& [rank, moment] : {std::pair{1, now + 10 * ms}, std::pair{2, now + 30 * ms}}) {
      const Index taken = job.call(0, "MPI_Recv", 6, rank == 1 ? now : now + 10 * ms, moment);
      const Index sent = job.call(rank, "MPI_Send", 7, moment, moment);
      job.message(rank, sent, sent, 0, taken, taken);
      job.of(rank).messages.back().comm = job.of(0).messages.back().comm = comm;
      job.of(0).messages.back().of_any = 1;
    }
    now += 30 * ms;
    job.all("MPI_Barrier", 8, std::vector<std::int64_t>(12, now), now);
  }
  job.finalize(now);
  const Prediction predicted = with(job.ranks, "MPI_Send", 3 * ms);
  EXPECT_NEAR(predicted.earlier_s, std::min(0.070, predicted.run_s - (9 * 0.3 + 0.3 + 0.03) / 12), 1e-9);
  EXPECT_GT(predicted.earlier_s, 0.04);
}

/// Nine more work all the time: 30 ms are less the mean of 9 * 30, 30 and 3 ms.
TEST(WaitsChoices, ARunIsNotShorterThanItsMeanWork) {
  EXPECT_NEAR(Choosing("MPI_Waitany", 0, 12).earlier_s(3 * ms), 0.030 - 0.303 / 12, 1e-9);
}

}  // namespace
}  // namespace cairn::waits
