// SPDX-License-Identifier: BSD-3-Clause
// waits_choices_test.cc - how much shorter a run may be than predicted, because other messages would come first

#include <gtest/gtest.h>

#include "waits/figures.hpp"
#include "waits_job.hpp"

namespace cairn::waits {
namespace {

/// Rank 0 receives from the others, by requests; rank 1 sends after 10 ms, rank 2 after 30 ms.
class Choosing {
 public:
  explicit Choosing(const std::string& receives, bool is_of_any = false, int ranks = 3) : job_(ranks) {
    const bool has_requests = receives.starts_with("MPI_Wait") || receives.starts_with("MPI_Test");
    Index begun[3] = {};
    if (has_requests)
      for (int rank = 1; rank < 3; ++rank) begun[rank] = job_.call(0, "MPI_Irecv", 5, 0, 0);
    for (const auto& [rank, moment] : {std::pair{1, 10 * ms}, std::pair{2, 30 * ms}}) {
      const Index taken = job_.call(0, receives, 6, rank == 1 ? 0 : 10 * ms, moment);
      const Index sent = job_.call(rank, "MPI_Send", 7, moment, moment);
      job_.message(rank, sent, sent, 0, has_requests ? begun[rank] : taken, taken);
      job_.of(0).messages.back().is_of_any = is_of_any;
    }
    job_.finalize(30 * ms);
  }

  Job& job() { return job_; }
  /// With the work of rank 2 before its send as long as that.
  Prediction with(std::int64_t work_ns) const {
    Figures section(job_.ranks, line_of);
    Change change;
    change.work = [&](Index node, std::int64_t ns) {
      return section.graph.rank(node) == 2 && section.graph.function(node) == "MPI_Send" ? work_ns : ns;
    };
    return section.predictions.with(change);
  }
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
  EXPECT_NEAR(Choosing("MPI_Recv", true).earlier_s(3 * ms), 0.007, 1e-9);
  EXPECT_NEAR(Choosing("MPI_Wait", true).earlier_s(3 * ms), 0.007, 1e-9);
  EXPECT_EQ(Choosing("MPI_Recv").earlier_s(3 * ms), 0);
}

TEST(WaitsChoices, AreNoneWhereTheOrderStays) {
  for (const std::int64_t work : {10, 20, 30, 40}) EXPECT_EQ(Choosing("MPI_Waitany").earlier_s(work * ms), 0) << work;
  EXPECT_NEAR(Choosing("MPI_Waitany").earlier_s(9 * ms), 0.001, 1e-9);
}

TEST(WaitsChoices, AreNoneAmongMessagesOfDifferentCommunicators) {
  Choosing choosing("MPI_Recv", true);
  for (int rank : {0, 2}) {
    choosing.job().of(rank).comms.push_back({8, "other", 3, {}});
    choosing.job().of(rank).messages.back().comm = 2;
  }
  EXPECT_EQ(choosing.earlier_s(3 * ms), 0);
}

/// Nine more work all the time: 30 ms are less the mean of 9 * 30, 30 and 3 ms.
TEST(WaitsChoices, ARunIsNotShorterThanItsMeanWork) {
  EXPECT_NEAR(Choosing("MPI_Waitany", false, 12).earlier_s(3 * ms), 0.030 - 0.303 / 12, 1e-9);
}

}  // namespace
}  // namespace cairn::waits
