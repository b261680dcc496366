// SPDX-License-Identifier: BSD-3-Clause
// rate_test.cc - which calls are read as time passes, and that this never costs more than its budget

#include "rate.hpp"

#include <gtest/gtest.h>

namespace vars {
namespace {

/// A thread whose calls come at equal distances, and whose readings cost the same.
struct Simulated {
  Rate rate{2};
  Rate::Thread mine{};
  double now = 0;
  double cost = 0;
  int read = 0;
  int looks = 0;

  void call(double pause, double reading, std::uint64_t calls_of_function = 1000) {
    now += pause;
    if (!rate.is_due(mine, calls_of_function)) return;
    ++looks;
    if (!rate.can_pay(mine, cost, now)) return;
    now += reading;
    cost += reading;
    ++read;
    rate.learn(reading);
  }
};

TEST(Rate, ReadsEveryCallWithoutABudget) {
  Simulated run{.rate = Rate(0)};
  for (int i = 0; i < 1000; ++i) run.call(1e-7, 1e-3);
  EXPECT_EQ(run.read, 1000);
}

TEST(Rate, HasTimeForOtherThingsWithinTheBudget) {
  EXPECT_TRUE(Rate(2).has_time_for(0.01, 0.01, 1));
  EXPECT_FALSE(Rate(2).has_time_for(0.02, 0.01, 1));
  EXPECT_TRUE(Rate(0).has_time_for(5, 5, 1));
}

TEST(Rate, ReadsEveryCallWhileThatIsCheap) {
  Simulated run;
  for (int i = 0; i < 1000; ++i) run.call(1e-3, 1e-6);
  EXPECT_EQ(run.read, 1000);
  EXPECT_EQ(run.rate.every(), 1U);
}

TEST(Rate, NeverCostsMoreThanItsBudgetFromTheFirstCallOn) {
  for (const double pause : {1e-8, 1e-7, 1e-6, 1e-5})
    for (const double reading : {5e-7, 5e-6, 1e-4}) {
      Simulated run;
      for (int i = 0; i < 100000; ++i) {
        run.call(pause, reading, static_cast<std::uint64_t>(i / 20 + 1));
        // What one costs is not known before the first ones.
        ASSERT_LE(run.cost, 0.0201 * run.now + (run.read < 10 ? reading : 0)) << pause << ' ' << reading << ' ' << i;
      }
    }
}

TEST(Rate, UsesWhatItMayCost) {
  Simulated run;
  for (int i = 0; i < 1000000; ++i) run.call(1e-7, 1e-6);
  EXPECT_GT(run.cost, 0.013 * run.now);
  EXPECT_GT(run.rate.every(), 100U);
}

TEST(Rate, LooksAtTheClockSeldomWhereLittleCanBeRead) {
  Simulated run;
  for (int i = 0; i < 1000000; ++i) run.call(1e-8, 1e-6);
  EXPECT_LT(run.looks, 1000);
}

TEST(Rate, IsThereWhenACallComesAfterLongWork) {
  Simulated run;
  for (int i = 0; i < 100000; ++i) run.call(1e-7, 1e-6);
  const int before = run.read;
  run.now += 10;
  for (int i = 0; i < 2000; ++i) run.call(1e-7, 1e-6);
  EXPECT_GT(run.read, before + 500);
}

TEST(Rate, ReadsTheFirstCallsOfAFunctionBeforeTheirTurn) {
  Simulated run;
  for (int i = 0; i < 100000; ++i) run.call(1e-7, 1e-6);
  run.now += 1;
  const int before = run.read;
  for (unsigned call = 1; call <= 4; ++call) run.call(1e-7, 1e-6, call);
  EXPECT_EQ(run.read, before + 4);
}

TEST(Rate, DoesNotAlwaysLeaveOutTheSameOfTwoCallsInTurn) {
  Simulated run;
  int of[2] = {0, 0};
  for (int i = 0; i < 1000000; ++i) {
    const int before = run.read;
    run.call(1e-7, 1e-6);
    of[i % 2] += run.read - before;
  }
  EXPECT_GT(of[0], 300);
  EXPECT_GT(of[1], 300);
}

}  // namespace
}  // namespace vars
