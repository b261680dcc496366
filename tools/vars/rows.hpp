// SPDX-License-Identifier: BSD-3-Clause
// rows.hpp - the figures of all variables by function, region and place of the call. One thread at a time.
#pragma once

#include <mpi.h>

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
  /// Made at the first time, with room for `variables`. Beyond the limit, calls count for no place.
  Row& at(cairn::Regions::Number region, cairn::Function function, const void* place, std::size_t variables) {
    if (rows_.size() >= limit && *find(region, function, place) == nullptr) place = nullptr;
    Row** slot = find(region, function, place);
    if (*slot == nullptr) [[unlikely]] {
      if (2 * (rows_.size() + 1) > slots_.size()) slot = grow(region, function, place);
      *slot = &rows_.emplace_back(Row{region, function, place});
    }
    if ((*slot)->cells.size() < variables) [[unlikely]]
      (*slot)->cells.resize(variables);
    return **slot;
  }

  const std::deque<Row>& all() const { return rows_; }

 private:
  static constexpr std::size_t limit = 50000;

  Row** find(cairn::Regions::Number region, cairn::Function function, const void* place) {
    std::uint64_t hash = reinterpret_cast<std::uintptr_t>(place) ^ (std::uint64_t{region} << 40U);
    hash = cairn::spread(hash + static_cast<std::uint64_t>(function));
    for (std::size_t i = hash >> 32U;; ++i) {
      Row*& slot = slots_[i & (slots_.size() - 1)];
      if (slot == nullptr || (slot->function == function && slot->region == region && slot->place == place))
        return &slot;
    }
  }

  Row** grow(cairn::Regions::Number region, cairn::Function function, const void* place) {
    slots_.assign(2 * slots_.size(), nullptr);
    for (Row& row : rows_) *find(row.region, row.function, row.place) = &row;
    return find(region, function, place);
  }

  std::deque<Row> rows_;
  std::vector<Row*> slots_ = std::vector<Row*>(1024);  // a power of two
};

}  // namespace vars
