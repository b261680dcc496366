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

}  // namespace
}  // namespace vars
