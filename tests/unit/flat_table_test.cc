// SPDX-License-Identifier: BSD-3-Clause
// flat_table_test.cc - the kit's table: every key is found again, also when the table has grown

#include "cairn/kit/flat_table.hpp"

#include <gtest/gtest.h>

#include <deque>

namespace cairn {
namespace {

TEST(FlatTable, FindsEveryKeyAgainWhenItHasGrown) {
  FlatTable<std::uint64_t> table(8);
  std::deque<std::uint64_t> items;
  for (int round = 0; round < 2; ++round)
    for (std::uint64_t i = 1; i <= 5000; ++i) {
      const std::uint64_t key = i << (i % 48);  // bits at either end
      const std::uint64_t* const item = table.find_or_add(key, [&] {
        table.add(key, &items.emplace_back(key));
        return &items.back();
      });
      ASSERT_EQ(*item, key);
    }
  EXPECT_EQ(table.size(), items.size());
}

TEST(FlatTable, HandsOnThatThereIsNoItem) {
  FlatTable<int> table(8);
  EXPECT_EQ(table.find_or_add(1, [] { return static_cast<int*>(nullptr); }), nullptr);
  EXPECT_EQ(table.size(), 0U);
}

}  // namespace
}  // namespace cairn
