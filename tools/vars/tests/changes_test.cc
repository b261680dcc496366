// SPDX-License-Identifier: BSD-3-Clause
// changes_test.cc - differences by class: growth, integers that come round, resets, watermarks, times

#include "changes.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace vars {
namespace {

template <class T>
Reading read_once(Way way, std::vector<T> last, std::vector<T> before, std::vector<T> after) {
  Reading reading;
  add_handle(way, after.size(), last.data(), before.data(), after.data(), reading);
  return reading;
}

TEST(Changes, AreTheDifferenceOfSumsOverAllElements) {
  const Reading reading = read_once<unsigned long long>(Way::sum, {1, 10}, {2, 10}, {5, 30});
  EXPECT_EQ(reading.change, 23);
  EXPECT_EQ(reading.elsewhere, 1);
  EXPECT_EQ(reading.after, 35);
}

TEST(Changes, GoOnWhereAnUnsignedNumberHasComeRound) {
  EXPECT_EQ(read_once<unsigned>(Way::sum, {4294967290U}, {4294967290U}, {4}).change, 10);
  EXPECT_EQ(read_once<unsigned long long>(Way::sum, {~0ULL}, {~0ULL}, {1}).change, 2);
}

TEST(Changes, BeginAtZeroAfterAReset) {
  const Reading whole = read_once<unsigned>(Way::sum, {1000}, {1000}, {7});
  EXPECT_EQ(whole.change, 7);
  EXPECT_EQ(whole.resets, 1U);
  EXPECT_EQ(read_once<double>(Way::sum, {2.5}, {2.5}, {0.5}).change, 0.5);
}

TEST(Changes, OfWatermarksGoOneWayOnly) {
  EXPECT_EQ(read_once<double>(Way::high_water, {3}, {3}, {5}).change, 2);
  EXPECT_EQ(read_once<double>(Way::high_water, {5}, {5}, {3}).change, 0);
  EXPECT_EQ(read_once<double>(Way::low_water, {5}, {5}, {3}).change, 2);
}

TEST(Cells, KeepLeastMostAndMeanOfLevels) {
  Cell cell;
  for (const double value : {5.0, 1.0, 3.0}) cell.add(Way::level, {.before = 0, .after = value}, 0);
  EXPECT_EQ(cell.least_value, 1);
  EXPECT_EQ(cell.most_value, 5);
  EXPECT_EQ(cell.sum_of_values / static_cast<double>(cell.samples), 3);
  EXPECT_EQ(cell.changed, 3U);
}

TEST(Cells, GiveACallsTimeToTheValueBeforeIt) {
  Cell cell;
  cell.add(Way::state, {.before = 0, .after = 1}, 2);
  cell.add(Way::state, {.before = 1, .after = 0}, 3);
  cell.add(Way::state, {.before = 0, .after = 0}, 4);
  ASSERT_NE(cell.times, nullptr);
  ASSERT_EQ(cell.times->count, 2U);
  EXPECT_EQ(cell.times->known[0].seconds, 6);
  EXPECT_EQ(cell.times->known[1].seconds, 3);
  EXPECT_EQ(cell.changed, 2U);
}

TEST(Cells, TakeTheManyValuesOfASizeTogether) {
  Cell cell;
  for (int i = 0; i < 20; ++i) cell.add(Way::size, {.before = i + 0.0, .after = i + 1.0}, 1);
  EXPECT_EQ(cell.times->count, 16U);
  EXPECT_EQ(cell.times->others.calls, 4U);
  EXPECT_EQ(cell.times->others.seconds, 4);
}

TEST(Cells, AddUpWithTheirTimes) {
  Cell one;
  Cell other;
  one.add(Way::size, {.before = 1, .after = 5}, 2);
  other.add(Way::size, {.before = 5, .after = 3}, 3);
  other.add(Way::size, {.before = 1, .after = 1}, 4);
  one.add(other);
  EXPECT_EQ(one.samples, 3U);
  EXPECT_EQ(one.changed, 2U);
  EXPECT_EQ(one.least_value, 1);
  EXPECT_EQ(one.most_value, 5);
  EXPECT_EQ(one.sum_of_values, 9);
  ASSERT_EQ(one.times->count, 2U);
  EXPECT_EQ(one.times->known[0].calls, 2U);
  EXPECT_EQ(one.times->known[0].seconds, 6);
  EXPECT_EQ(one.times->known[1].seconds, 3);
}

}  // namespace
}  // namespace vars
