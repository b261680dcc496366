// SPDX-License-Identifier: BSD-3-Clause
// timeline_levels.hpp - which function takes most of each part of the time of a row, in several levels of detail
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace cairn::report {

/// Cells of two bytes: the function with most time, from 1 (0: none), and how much of the cell is in MPI, of 255.
class TimelineLevels {
 public:
  struct Level {
    std::size_t bins;
    std::string cells;  // of all rows
  };

  /// `length`: of the time that is divided into `bins`, a power of two.
  TimelineLevels(std::size_t rows, std::size_t functions, std::int64_t length, std::size_t bins);

  /// The next row: `add`, then `take`.
  class Row {
   public:
    explicit Row(const TimelineLevels& levels);
    void add(std::size_t function, std::int64_t from, std::int64_t to);

   private:
    friend TimelineLevels;
    std::size_t functions_;
    double width_;  // of a bin
    std::size_t bins_;
    std::vector<float> times_;  // [bin][function]
  };
  void take(std::size_t number, Row row);

  const std::vector<Level>& levels() const { return levels_; }

 private:
  std::size_t functions_;
  double length_;
  std::vector<Level> levels_;  // the finest first
};

}  // namespace cairn::report
