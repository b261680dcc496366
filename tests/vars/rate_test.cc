// SPDX-License-Identifier: BSD-3-Clause
// rate_test.cc - how many calls are read as reading costs more or less of the run

#include "rate.hpp"

#include <gtest/gtest.h>

namespace vars {
namespace {

/// Of so many calls of one function, how many are read.
int due_of(const Rate& rate, Rate::Thread& mine, int calls) {
  int due = 0;
  for (int i = 0; i < calls; ++i) due += rate.is_due(mine, 1000) ? 1 : 0;
  return due;
}

TEST(Rate, ReadsEveryCallWhileThatIsCheap) {
  Rate rate(2);
  Rate::Thread mine;
  EXPECT_EQ(due_of(rate, mine, 1000), 1000);
}

TEST(Rate, ReadsEveryCallWithoutABudget) {
  Rate rate(0);
  Rate::Thread mine;
  rate.adapt(1, 1);
  EXPECT_EQ(due_of(rate, mine, 1000), 1000);
}

TEST(Rate, ReadsFewerCallsWhenTheyCostTooMuch) {
  Rate rate(2);
  Rate::Thread mine;
  for (int i = 0; i < 4; ++i) rate.adapt(0.03, 1);
  EXPECT_EQ(rate.every(), 16U);
  const int due = due_of(rate, mine, 16000);
  EXPECT_GT(due, 800);
  EXPECT_LT(due, 1200);
}

TEST(Rate, ReadsMoreAgainWhenThereIsRoom) {
  Rate rate(2);
  for (int i = 0; i < 4; ++i) rate.adapt(0.03, 1);
  for (int i = 0; i < 10; ++i) rate.adapt(0.03, 10);
  EXPECT_EQ(rate.every(), 1U);
  rate.adapt(0.15, 10);  // within the budget, but not half of it: as it is
  EXPECT_EQ(rate.every(), 1U);
}

TEST(Rate, AlwaysReadsTheFirstCallsOfAFunction) {
  Rate rate(2);
  Rate::Thread mine;
  for (int i = 0; i < 30; ++i) rate.adapt(1, 1);
  due_of(rate, mine, 1);
  for (unsigned call = 1; call <= 4; ++call) EXPECT_TRUE(rate.is_due(mine, call));
}

TEST(Rate, DoesNotAlwaysLeaveOutTheSameOfTwoCallsInTurn) {
  Rate rate(2);
  Rate::Thread mine;
  rate.adapt(1, 1);
  int due[2] = {0, 0};
  for (int i = 0; i < 2000; ++i) due[i % 2] += rate.is_due(mine, 1000) ? 1 : 0;
  EXPECT_GT(due[0], 200);
  EXPECT_GT(due[1], 200);
}

}  // namespace
}  // namespace vars
