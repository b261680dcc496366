// SPDX-License-Identifier: BSD-3-Clause
// arrivals_test.cc - who is waited for: which calls are compared, and what they say of all

#include <gtest/gtest.h>

#include "arrivals.hpp"

namespace profile {
namespace {

constexpr auto any_of_them = cairn::Function::MPI_Barrier_;

TEST(Arrivals, NothingIsWaitedLongerThanTheCallTook) {
  EXPECT_EQ(waited(10, 5, 13), 3);
  EXPECT_EQ(waited(10, 5, 40), 5);  // clocks that differ
  EXPECT_EQ(waited(10, 5, 10), 0);
  EXPECT_EQ(waited(10, 5, 2), 0);
}

TEST(Arrivals, ARhythmOfTheProgramIsNotMistakenForTheWhole) {
  for (const std::uint64_t period : {2U, 4U, 16U, 100U, 128U}) {
    ArrivalSample sample;
    constexpr std::uint64_t calls = 1'000'000;
    for (std::uint64_t i = 0; i < calls; ++i) sample.add(any_of_them, i, i + (i % period == 0 ? period : 0));
    ASSERT_LE(sample.kept().size(), ArrivalSample::most);
    ASSERT_GE(sample.kept().size(), ArrivalSample::most / 4);
    std::vector<Compared> compared;
    for (const Arrival& call : sample.kept())
      compared.push_back({call.function, static_cast<double>(call.end - call.begin), 0, 0});
    Waiting waiting;
    estimate(compared, sample.count(), waiting);
    EXPECT_NEAR(waiting.time, calls, 3 * waiting.error) << "period " << period;
    EXPECT_LT(waiting.error, 0.25 * calls);
  }
}

TEST(Arrivals, WhereAllCallsAreComparedNothingIsEstimated) {
  const std::vector<Compared> compared = {{any_of_them, 1, 1, 0}, {any_of_them, 2, 1, 1}, {any_of_them, 0.5, 1, 0}};
  Waiting waiting;
  estimate(compared, 3, waiting);
  EXPECT_DOUBLE_EQ(waiting.time, 3.5);
  EXPECT_EQ(waiting.error, 0);
  EXPECT_EQ(waiting.functions, (std::vector<std::pair<std::string, double>>{{"MPI_Barrier", 3.5}}));
}

TEST(Arrivals, TheLateRankIsTheOneWaitedForLongestNotMostOften) {
  std::vector<Compared> compared(9, {any_of_them, 0.001, 0.001, 0});
  compared.push_back({any_of_them, 1, 1, 3});
  Waiting waiting;
  estimate(compared, compared.size(), waiting);
  EXPECT_EQ(waiting.last_ranks.front().first, 0);
  EXPECT_EQ(waiting.causes.front().first, 3);
  EXPECT_EQ(late_rank(waiting, 4), 3);
}

TEST(Arrivals, NoRankIsNamedWhereAllCauseAboutAsMuch) {
  Waiting waiting;
  estimate(std::vector<Compared>{{any_of_them, 1.2, 1, 0}, {any_of_them, 1, 1, 1}, {any_of_them, 1, 1, 2}}, 3, waiting);
  EXPECT_EQ(late_rank(waiting, 3), -1);
  EXPECT_EQ(late_rank(waiting, 100), 0);
}

}  // namespace
}  // namespace profile
