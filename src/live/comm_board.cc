// SPDX-License-Identifier: BSD-3-Clause
// comm_board.cc - the entries of the board of `comm`

#include "live/comm_board.hpp"

#include <algorithm>
#include <cstring>
#include <span>

#include "live/board_reader.hpp"

namespace cairn::live {

namespace comm = formats::comm;

namespace {

void add(CommBoard& board, std::uint32_t what, std::uint64_t number, std::span<const char> content) {
  if (what == static_cast<std::uint32_t>(comm::Published::cell) && content.size() >= sizeof(comm::CellFigures)) {
    std::memcpy(static_cast<void*>(&board.cells.emplace_back()), content.data(), sizeof(comm::CellFigures));
  } else if (what == static_cast<std::uint32_t>(comm::Published::communicator)) {
    comm::Communicator& made = board.communicators[number];
    made.processes = next_text(content);
    made.remote = next_text(content);
  }
}

/// By slot.
using Indices = std::map<std::uint64_t, int>;

bool makes_sense(const comm::CellFigures& cell, const Indices& indices, int ranks) {
  const auto is_known = [&](int slot) { return slot >= 0 && indices.contains(static_cast<std::uint64_t>(slot)); };
  if (cell.kind > comm::Kind::operation) return false;
  if (is_of_communicator(cell.kind)) return is_known(cell.number);
  if (cell.kind != comm::Kind::operation) return cell.number >= -1 && cell.number < ranks;
  const auto what = static_cast<std::size_t>(cell.number % comm::operation_codes / comm::operation_bins);
  return cell.number >= 0 && what < comm::operation_names.size() && is_known(cell.number / comm::operation_codes);
}

}  // namespace

CommBoard read_comm_board(const where::Process& process) {
  const BoardReader reader(process, board::traffic);
  CommBoard board;
  board.is_there = reader.is_there();
  board.lost = reader.lost();
  reader.for_each([&](std::uint32_t what, std::uint64_t number, auto content) { add(board, what, number, content); });
  return board;
}

/// Each region of the program has had cells of its own: those of one kind and number are added up first.
comm::Summary summary_of(const CommBoard& board, int rank, int ranks) {
  comm::Summary summary;
  summary.rank = rank;
  summary.ranks = ranks;
  summary.lost = board.lost != 0;
  Indices index_of;
  for (const auto& [slot, communicator] : board.communicators) {
    index_of[slot] = static_cast<int>(summary.communicators.size());
    summary.communicators.push_back(communicator);
  }
  std::map<std::pair<comm::Kind, int>, comm::Volume> sums;
  for (const comm::CellFigures& cell : board.cells) {
    if (!makes_sense(cell, index_of, ranks)) continue;
    const comm::CellFigures known =
        with_index(cell, [&](int its) { return index_of.at(static_cast<std::uint64_t>(its)); });
    sums[{known.kind, known.number}].add({known.messages, known.bytes});
  }
  comm::Phase& phase = summary.phases.emplace_back();
  for (const auto& [what, volume] : sums)
    if (volume.messages != 0) add_cell(phase, {what.first, what.second, volume.messages, volume.bytes}, {}, rank);
  return summary;
}

}  // namespace cairn::live
