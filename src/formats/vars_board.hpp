// SPDX-License-Identifier: BSD-3-Clause
// vars_board.hpp - what `vars` samples while a program runs, as it lies on its board (cairn/board.hpp)
#pragma once

#include <atomic>
#include <cstdint>

namespace cairn::formats::vars {

/// What an entry of the board is.
enum class Published : std::uint32_t {
  variable = 1,  // VariableFigures; then its name, class and description, each with a 0
};

struct VariableFigures {
  std::atomic<double> value;  // at the last sample, over all handles and elements; NaN: none yet
  std::uint32_t of_tool;      // in the stack, not of the library
  std::uint32_t grows;        // a sum: the change per time means more than the value
};
static_assert(sizeof(VariableFigures) == 16 && sizeof(std::atomic<double>) == 8);

}  // namespace cairn::formats::vars
