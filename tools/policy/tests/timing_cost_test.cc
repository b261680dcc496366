// SPDX-License-Identifier: BSD-3-Clause
// timing_cost_test.cc - windows with and without timing, on a clock of the test's

#include "policy/timing_cost.hpp"

#include <gtest/gtest.h>

#include "policy/statistics.hpp"

namespace policy {
namespace {

TEST(TimingCost, IsTheDifferenceOfNeighbouringWindows) {
  TimingCost cost;
  TimingCost::Clock::time_point now;
  // A timed call takes 150 ns, another 100 ns; both get slower as time goes on.
  for (int pair = 0; pair < 6; ++pair) {
    const bool first = cost.turn(now);
    for (int half = 0; half < 2; ++half) {
      const bool is_timed = half == 0 ? first : !first;
      now += std::chrono::nanoseconds((is_timed ? 150 : 100) * static_cast<int>(TimingCost::window) +
                                      64 * (2 * pair + half));
      if (pair == 5) cost.looked();  // not this one
      cost.turn(now);
    }
  }
  EXPECT_EQ(cost.differences().count, 5U);
  EXPECT_NEAR(cost.differences().mean, 50, 1);
}

TEST(TimingCost, LeavesMostCallsTimed) {
  TimingCost cost;
  int timed = 0;
  constexpr int calls = 100 * (TimingCost::apart + 2 * TimingCost::window);
  for (int i = 0; i < calls; ++i) timed += cost.next_is_timed() ? 1 : 0;
  EXPECT_EQ(calls - timed, 100 * TimingCost::window);
}

TEST(Differences, AddUpAsOne) {
  Differences one;
  Differences other;
  for (const double each : {1.0, 2.0}) one.add(each);
  for (const double each : {3.0, 6.0}) other.add(each);
  one.add(other);
  EXPECT_EQ(one.count, 4U);
  EXPECT_DOUBLE_EQ(one.mean, 3);
  EXPECT_DOUBLE_EQ(one.squares, 14);
  const auto whole = cairn::policy::mean_interval({1, 2, 3, 6}, 0.05);
  EXPECT_DOUBLE_EQ(cairn::policy::mean_interval(one.mean, one.squares, one.count, 0.05).high, whole.high);
}

}  // namespace
}  // namespace policy
