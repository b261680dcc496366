// SPDX-License-Identifier: BSD-3-Clause
// series_test.cc - values over time: points, twice the time per point when there is no room, series of ranks put
// together

#include "series.hpp"

#include <gtest/gtest.h>

namespace vars {
namespace {

TEST(Spread, IsThatOfAllValuesHoweverTheyArePutTogether) {
  Spread all;
  Spread some;
  Spread others;
  for (const double value : {1e9 + 4, 1e9 + 7, 1e9 + 13, 1e9 + 16}) {
    all.add(value);
    (value < 1e9 + 10 ? some : others).add(value);
  }
  EXPECT_NEAR(all.deviation(), 4.7434165, 1e-6);
  Spread together;
  together.add(some);
  together.add(others);
  together.add(Spread{});
  EXPECT_EQ(together.count, 4U);
  EXPECT_NEAR(together.deviation(), all.deviation(), 1e-6);
  EXPECT_EQ(Spread{}.deviation(), 0);
}

TEST(Series, HasAPointPerStep) {
  Series series(0.5);
  series.add(0.1, 3);
  series.add(0.4, 5);
  series.add(1.7, 9);
  ASSERT_EQ(series.points.size(), 4U);
  EXPECT_EQ(series.points[0].count, 2U);
  EXPECT_EQ(series.points[0].least, 3);
  EXPECT_EQ(series.points[0].mean(), 4);
  EXPECT_EQ(series.points[0].most, 5);
  EXPECT_EQ(series.points[1].count, 0U);
  EXPECT_EQ(series.points[3].least, 9);
}

TEST(Series, HalvesItsResolutionWhenItIsFull) {
  Series series(1);
  const void* const memory = series.points.data();
  for (int i = 0; i < 2000; ++i) series.add(i, i);
  EXPECT_EQ(series.step, 4);
  ASSERT_EQ(series.points.size(), 500U);
  EXPECT_EQ(series.points[10].count, 4U);
  EXPECT_EQ(series.points[10].least, 40);
  EXPECT_EQ(series.points[10].most, 43);
  EXPECT_EQ(series.points.data(), memory);
}

TEST(Series, KeepsAnOddLastPoint) {
  Series series(1);
  for (int i = 0; i < 3; ++i) series.add(i, i);
  series.add(512, 7);
  EXPECT_EQ(series.step, 2);
  ASSERT_EQ(series.points.size(), 257U);
  EXPECT_EQ(series.points[1].count, 1U);
  EXPECT_EQ(series.points[1].most, 2);
}

TEST(Series, HalvedPointsStayOnTheClock) {
  Series series(1);
  for (int i = 7; i < 7 + 600; ++i) series.add(i, i);
  EXPECT_EQ(series.step, 2);
  EXPECT_EQ(series.first, 3);
  EXPECT_EQ(series.points[0].count, 1U);  // 7
  EXPECT_EQ(series.points[1].least, 8);
  EXPECT_EQ(series.points[1].most, 9);
}

TEST(Series, OfRanksArePutTogetherPointByPoint) {
  Series coarse(1);
  for (int i = 0; i < 1000; ++i) coarse.add(100.3 + i, 1);
  Series fine(1);
  for (int i = 0; i < 4; ++i) fine.add(102.7 + i, 5);  // on the ranks' clock: the rank started later
  const double origin = 100.1;
  const double step = std::max(fine.step_from(origin), coarse.step_from(origin));
  fine.align(step, origin);
  coarse.align(step, origin);
  Series all;
  all.add(fine);
  all.add(coarse);
  EXPECT_EQ(all.step, 2);
  ASSERT_EQ(all.points.size(), 500U);
  EXPECT_EQ(all.points[0].count, 2U);  // 100.3, 101.3
  EXPECT_EQ(all.points[1].count, 4U);  // 102.3, 103.3; 102.7, 103.7
  EXPECT_EQ(all.points[1].least, 1);
  EXPECT_EQ(all.points[1].most, 5);
  EXPECT_EQ(all.points[3].most, 1);
}

TEST(Series, OfAVariableThatCameLateHasPointsFromTheOriginOn) {
  Series late(1);
  for (int i = 0; i < 10; ++i) late.add(5000 + i, i);
  EXPECT_EQ(late.step, 1);
  const double step = late.step_from(1000);
  EXPECT_EQ(step, 8);
  late.align(step, 1000);
  ASSERT_EQ(late.points.size(), 502U);
  EXPECT_EQ(late.points[499].count, 0U);
  EXPECT_EQ(late.points[500].count, 8U);
  EXPECT_EQ(late.points[501].count, 2U);
}

TEST(Series, WithoutAStepKeepsNothing) {
  Series none;
  none.add(1, 1);
  EXPECT_TRUE(none.points.empty());
}

}  // namespace
}  // namespace vars
