// SPDX-License-Identifier: BSD-3-Clause
// rank_classes_test.cc - when ranks are said to fall into classes by a figure, and when not

#include "formats/rank_classes.hpp"

#include <gtest/gtest.h>

namespace cairn::formats {
namespace {

std::string classes_of(const std::vector<double>& figures) {
  std::vector<std::pair<int, double>> of_ranks;
  for (std::size_t rank = 0; rank < figures.size(); ++rank)
    of_ranks.emplace_back(static_cast<int>(rank), figures[rank]);
  return classes_text(rank_classes(std::move(of_ranks)));
}

TEST(RankClasses, AreWhereFiguresLieTogether) {
  EXPECT_EQ(classes_of({3, 3, 6, 6}), "3 on ranks 0-1, 6 on ranks 2-3");
  EXPECT_EQ(classes_of({6.1, 3, 6, 3.2, 3.1, 6}), "3 to 3.2 on ranks 1,3-4, 6 to 6.1 on ranks 0,2,5");
  EXPECT_EQ(classes_of({0, 0, 0, 9}), "0 on ranks 0-2, 9 on rank 3");
  EXPECT_EQ(classes_of({1, 5}), "1 on rank 0, 5 on rank 1");
  EXPECT_EQ(classes_of({-4, -4, 0, 0, 4, 4}), "-4 on ranks 0-1, 0 on ranks 2-3, 4 on ranks 4-5");
}

TEST(RankClasses, AreNotWhereFiguresAreTheSameOrSpread) {
  EXPECT_EQ(classes_of({}), "");
  EXPECT_EQ(classes_of({7}), "7 on rank 0");
  EXPECT_EQ(classes_of({0, 0, 0}), "0 on ranks 0-2");
  EXPECT_EQ(classes_of({100, 100, 104, 104}), "100 to 104 on ranks 0-3");
  EXPECT_EQ(classes_of({1, 2, 3, 4, 5, 6, 7, 8}), "1 to 8 on ranks 0-7");
  EXPECT_EQ(classes_of({1, 2, 3, 4}), "1 to 4 on ranks 0-3");
}

}  // namespace
}  // namespace cairn::formats
