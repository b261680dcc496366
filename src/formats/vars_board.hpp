// SPDX-License-Identifier: BSD-3-Clause
// vars_board.hpp - what `vars` has of a process while it runs, as it lies on its board (cairn/board.hpp)
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <limits>

namespace cairn::formats::vars {

/// What an entry of the board is.
enum class Published : std::uint32_t {
  variable = 1,  // a sampled one: VariableFigures; then its name, class and description, each with a 0
  about = 2,     // the variable `number` of rows: VariableAbout; then its name and class, each with a 0
  row = 3,       // calls of the function `number`: RowHead, cells, the region with a 0
};

struct VariableFigures {
  std::atomic<double> value;  // at the last sample, over all handles and elements; NaN: none yet
  std::uint32_t of_tool;      // in the stack, not of the library
  std::uint32_t grows;        // a sum: the change per time means more than the value
};
static_assert(sizeof(VariableFigures) == 16 && sizeof(std::atomic<double>) == 8);

struct VariableAbout {
  std::uint32_t of_tool;
  std::uint32_t has_changes;  // Figures::total and most mean something, otherwise the values do
};

/// Calls of one function, in one region and from one place. Where a row has become too small, a larger one with the same
/// function, region and place follows it; of each variable the cell with more samples counts.
struct RowHead {
  std::uint64_t place;      // the address of the code after the call; 0: places are not told apart
  std::uint32_t count;      // of cells, by number of variable
  std::uint32_t cell_size;  // each begins with Figures
};
static_assert(sizeof(RowHead) == 16);

/// Of a variable's readings around calls.
struct Figures {
  std::uint64_t samples = 0;
  std::uint64_t changed = 0;
  double total = 0;  // of all changes
  double most = 0;   // in one call
  double least_value = std::numeric_limits<double>::infinity();
  double most_value = -std::numeric_limits<double>::infinity();
  double sum_of_values = 0;

  void add(const Figures& more) {
    samples += more.samples;
    changed += more.changed;
    total += more.total;
    most = std::max(most, more.most);
    least_value = std::min(least_value, more.least_value);
    most_value = std::max(most_value, more.most_value);
    sum_of_values += more.sum_of_values;
  }
};
static_assert(sizeof(Figures) == 56);

}  // namespace cairn::formats::vars
