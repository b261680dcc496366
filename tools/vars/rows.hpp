// SPDX-License-Identifier: BSD-3-Clause
// rows.hpp - the figures of all variables by function, region and place of the call. One thread at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

#include "cairn/functions.hpp"
#include "cairn/kit/flat_table.hpp"
#include "cairn/kit/regions.hpp"
#include "changes.hpp"

namespace vars {

struct Row {
  cairn::Regions::Number region = 0;
  cairn::Function function{};
  const void* place = nullptr;  // null: not asked for, or one of too many
  std::uint64_t samples = 0;
  std::vector<Cell> cells{};  // by variable
};

class Rows {
 public:
  static constexpr std::size_t limit = 50000;

  /// Made at the first time, with room for `variables`. Beyond the limit, calls count for no place.
  Row& at(cairn::Regions::Number region, cairn::Function function, const void* place, std::size_t variables) {
    while (region >= by_region_.size()) [[unlikely]] by_region_.emplace_back(slots_at_first);
    Row& row = find_or_add(region, function, place);
    if (row.cells.size() < variables) [[unlikely]]
      row.cells.resize(variables);
    return row;
  }

  const std::deque<Row>& all() const { return rows_; }

 private:
  static constexpr std::size_t slots_at_first = 64;

  /// Addresses have 48 bits. Never 0.
  static std::uint64_t key_of(cairn::Function function, const void* place) {
    return reinterpret_cast<std::uintptr_t>(place) ^ ((static_cast<std::uint64_t>(function) + 1) << 48U);
  }

  Row& find_or_add(cairn::Regions::Number region, cairn::Function function, const void* place) {
    return *by_region_[region].find_or_add(key_of(function, place), [&] { return &add(region, function, place); });
  }

  [[gnu::noinline, gnu::cold]] Row& add(cairn::Regions::Number region, cairn::Function function, const void* place) {
    if (rows_.size() >= limit && place != nullptr) return find_or_add(region, function, nullptr);
    Row& row = rows_.emplace_back(Row{region, function, place});
    by_region_[region].add(key_of(function, place), &row);
    return row;
  }

  std::deque<Row> rows_;
  std::vector<cairn::FlatTable<Row>> by_region_;
};

}  // namespace vars
