// SPDX-License-Identifier: BSD-3-Clause
// rows_test.cc - rows by region, function and place of the call

#include "rows.hpp"

#include <gtest/gtest.h>

namespace vars {
namespace {

constexpr auto one = static_cast<cairn::Function>(0);
constexpr auto other = static_cast<cairn::Function>(1);

const void* place(std::uintptr_t address) { return reinterpret_cast<const void*>(address); }

TEST(Rows, AreFoundByRegionFunctionAndPlace) {
  Rows rows;
  Row& first = rows.at(0, one, nullptr, 2);
  EXPECT_EQ(first.cells.size(), 2U);
  for (std::uintptr_t i = 1; i <= 1000; ++i)
    for (const cairn::Regions::Number region : {3U, 0U})
      for (const cairn::Function function : {one, other}) ++rows.at(region, function, place(i), 2).samples;
  EXPECT_EQ(&rows.at(0, one, nullptr, 5), &first);
  EXPECT_EQ(first.cells.size(), 5U) << "variables that have come since";
  ASSERT_EQ(rows.all().size(), 4001U);
  for (const Row& row : rows.all()) EXPECT_EQ(row.samples, row.place == nullptr ? 0U : 1U);
}

TEST(Rows, BeyondTheLimitOnlyTheFunctionIsKept) {
  Rows rows;
  for (std::uintptr_t i = 1; i <= Rows::limit; ++i) rows.at(0, one, place(i), 1);
  EXPECT_EQ(rows.all().size(), Rows::limit);
  Row& rest = rows.at(0, one, place(Rows::limit + 1), 1);
  EXPECT_EQ(rest.place, nullptr);
  EXPECT_EQ(&rows.at(0, one, place(Rows::limit + 2), 1), &rest);
  EXPECT_EQ(rows.at(0, one, place(7), 1).place, place(7));
  EXPECT_EQ(rows.all().size(), Rows::limit + 1);
}

TEST(Rows, CellsThatLieElsewhereKeepTheirFiguresAsTheyBecomeMore) {
  std::vector<std::unique_ptr<std::byte[]>> places;
  bool has_room = true;
  Rows rows;
  rows.lie_in([&](const Row&, std::size_t count) -> Cell* {
    if (!has_room) return nullptr;
    auto* const cells = reinterpret_cast<Cell*>(places.emplace_back(new std::byte[count * sizeof(Cell)]).get());
    std::uninitialized_default_construct_n(cells, count);
    return cells;
  });
  const Reading reading{.before = 1, .after = 4, .change = 3, .handles = 1, .moved = true};
  rows.at(0, one, nullptr, 1).cells[0].add(Way::state, reading, 0.5);
  const auto lies_in = [&](const Row& row, std::size_t place) {
    return static_cast<void*>(row.cells.data()) == places.at(place).get();
  };
  EXPECT_TRUE(lies_in(rows.at(0, one, nullptr, 1), 0));
  EXPECT_TRUE(lies_in(rows.at(0, one, nullptr, 3), 1));
  has_room = false;
  const Row& row = rows.at(0, one, nullptr, 9);
  ASSERT_EQ(row.cells.size(), 9U);
  EXPECT_EQ(row.cells[0].samples, 1U);
  EXPECT_EQ(row.cells[0].most_value, 4);
  ASSERT_NE(row.cells[0].times, nullptr);
  EXPECT_EQ(row.cells[0].times->known[0].seconds, 0.5);
  EXPECT_EQ(row.cells[8].samples, 0U);
}

}  // namespace
}  // namespace vars
