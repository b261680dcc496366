// SPDX-License-Identifier: BSD-3-Clause
// comm_board.hpp - what the tool `comm` has counted in a process, read from its board while it counts or after its death
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "formats/comm_cells.hpp"
#include "where/page_reader.hpp"

namespace cairn::live {

struct CommBoard {
  bool is_there = false;
  std::uint64_t lost = 0;  // entries for which there was no room
  std::vector<formats::comm::CellFigures> cells;
  std::map<std::uint64_t, formats::comm::Communicator> communicators;  // by slot
};

/// Of a damaged board, what makes sense. Throws Problem: it is one of another version.
CommBoard read_comm_board(const where::Process& process);

/// As the tool's own snapshot of the process would be, but for what no board tells: regions and sizes of messages.
formats::comm::Summary summary_of(const CommBoard& board, int rank, int ranks);

}  // namespace cairn::live
