// SPDX-License-Identifier: BSD-3-Clause
// vars_board.hpp - what `vars` had read in a process that was killed, from its board
#pragma once

#include <cstdint>

#include "cli/report/section.hpp"
#include "where/jobs.hpp"
#include "where/places.hpp"

namespace cairn::report {

struct VarsOnBoard {
  /// As the tool's own part would be, but for what no board tells: values at the end, time in each value, objects and
  /// elements. Null if the process has no board, or had read nothing.
  Json file;
  std::uint64_t lost = 0;  // rows and variables for which there was no room
};

/// Throws Problem: it is damaged, or one of another version.
VarsOnBoard vars_on_board(const where::Process& killed, where::Places& places);

}  // namespace cairn::report
