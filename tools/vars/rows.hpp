// SPDX-License-Identifier: BSD-3-Clause
// rows.hpp - the figures of all variables by function, region and place of the call. One thread at a time.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "cairn/functions.hpp"
#include "cairn/kit/flat_table.hpp"
#include "cairn/kit/regions.hpp"
#include "changes.hpp"

namespace vars {

class Row;
/// Makes cells where others can read them (published.hpp), for ever; null: there is no room.
using CellRoom = std::function<Cell*(const Row&, std::size_t count)>;

class Row {
 public:
  Row(cairn::Regions::Number of_region, cairn::Function of_function, const void* from)
      : region(of_region), function(of_function), place(from) {}
  Row(const Row&) = delete;
  Row& operator=(const Row&) = delete;
  ~Row() { leave_room(); }

  void grow(std::size_t count, const CellRoom& room) {
    Cell* made = room ? room(*this, count) : nullptr;
    std::unique_ptr<Cell[]> own;
    if (made == nullptr) {
      own = std::make_unique<Cell[]>(count);
      made = own.get();
    }
    std::ranges::move(cells, made);
    leave_room();
    own_ = std::move(own);
    cells = {made, count};
  }

  cairn::Regions::Number region;
  cairn::Function function;
  const void* place;  // null: not asked for, or one of too many
  std::uint64_t samples = 0;
  std::span<Cell> cells;  // by variable

 private:
  void leave_room() {
    if (own_ == nullptr) std::ranges::destroy(cells);
  }

  std::unique_ptr<Cell[]> own_;  // null: they are elsewhere
};

class Rows {
 public:
  static constexpr std::size_t limit = 50000;

  void lie_in(CellRoom room) { room_ = std::move(room); }

  /// Made at the first time, with room for `variables`. Beyond the limit, calls count for no place.
  Row& at(cairn::Regions::Number region, cairn::Function function, const void* place, std::size_t variables) {
    while (region >= by_region_.size()) [[unlikely]] by_region_.emplace_back(slots_at_first);
    Row& row = find_or_add(region, function, place);
    if (row.cells.size() < variables) [[unlikely]]
      row.grow(variables, room_);
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
    Row& row = rows_.emplace_back(region, function, place);
    by_region_[region].add(key_of(function, place), &row);
    return row;
  }

  CellRoom room_;
  std::deque<Row> rows_;
  std::vector<cairn::FlatTable<Row>> by_region_;
};

}  // namespace vars
