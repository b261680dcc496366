// SPDX-License-Identifier: BSD-3-Clause
// clock_table.hpp - the clocks of a job, and what round trips between two of them tell
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace cairn::engine {

struct ClockRow {
  std::uint64_t clock = 0;
  std::int64_t rank = 0;  // the first that has it: it speaks for all of them
  std::int64_t offset_ns = 0;
  std::int64_t error_ns = 0;
};

/// By their first ranks.
class ClockTable {
 public:
  ClockTable() = default;
  explicit ClockTable(std::vector<ClockRow> rows) : rows_(std::move(rows)) {}

  const std::vector<ClockRow>& rows() const { return rows_; }
  std::size_t size() const { return rows_.size(); }
  /// Null: it is not there.
  const ClockRow* of(std::uint64_t clock) const {
    const auto found = std::ranges::find(rows_, clock, &ClockRow::clock);
    return found == rows_.end() ? nullptr : &*found;
  }

  void add(const ClockRow& row) { add(ClockTable({row})); }
  void add(const ClockTable& more) {
    rows_.insert(rows_.end(), more.rows_.begin(), more.rows_.end());
    const auto by_clock = [](const ClockRow& row) { return std::pair(row.clock, row.rank); };
    std::ranges::sort(rows_, {}, by_clock);
    const auto is_same = [](const ClockRow& one, const ClockRow& other) { return one.clock == other.clock; };
    rows_.erase(std::unique(rows_.begin(), rows_.end(), is_same), rows_.end());
    std::ranges::sort(rows_, {}, &ClockRow::rank);
  }

  std::string to_bytes() const {
    return {reinterpret_cast<const char*>(rows_.data()), rows_.size() * sizeof(ClockRow)};
  }
  static ClockTable from_bytes(std::string_view bytes) {
    ClockTable table;
    table.rows_.resize(bytes.size() / sizeof(ClockRow));
    if (!table.rows_.empty()) std::memcpy(table.rows_.data(), bytes.data(), table.rows_.size() * sizeof(ClockRow));
    return table;
  }

 private:
  std::vector<ClockRow> rows_;
};

/// Questions that the other clock has answered: the shortest way there and back tells most.
class RoundTrips {
 public:
  /// Moments on this clock, and between them one on the other.
  void add(std::int64_t asked, std::int64_t answered, std::int64_t heard) {
    const std::int64_t took = std::max<std::int64_t>(0, heard - asked);
    if (took >= least_) return;
    least_ = took;
    offset_ = asked + took / 2 - answered;
  }
  /// Added to the other clock's moments, they are this one's.
  std::int64_t offset_ns() const { return offset_; }
  /// However the way was split.
  std::int64_t error_ns() const { return least_ / 2 + least_ % 2; }

 private:
  std::int64_t least_ = INT64_MAX;
  std::int64_t offset_ = 0;
};

}  // namespace cairn::engine
