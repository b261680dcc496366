// SPDX-License-Identifier: BSD-3-Clause
// comm_cells.hpp - the figures of `comm` while a program runs, as they lie on its board (cairn/board.hpp)
#pragma once

#include <cstdint>

#include "formats/comm.hpp"

namespace cairn::formats::comm {

/// What a cell counts, and what the number beside it is.
enum class Kind : std::uint8_t {
  // a process, by its world rank
  p2p,      // messages to it
  put,      // one-sided data to it
  fetched,  // one-sided data from it
  coll,     // parts of collective calls for it
  from,     // the same from it, where the receiver counts it
  // a communicator, by its slot: parts of the same size, per partner
  to_all,    // for every other process
  to_later,  // for every process with a higher rank
  from_all,  // from every process of the other group
  // a communicator: calls, and what they sent or received in all
  one_to_all,  // where this process was the root
  all_to_one,  // the same
  all_to_all,
  // 0
  read,  // from files
  written,
  // for the model only: a process, by its world rank; an operation in a communicator
  direct,     // the parts of coll that no algorithm changes
  operation,  // calls, and what goes to or comes from one partner
};

/// What an entry of the board is.
enum class Published : std::uint32_t {
  cell = 1,      // begins with CellFigures
  communicator,  // of the slot `number`: its processes as ranks_text has them, a 0, those of the other group, a 0
};

struct CellFigures {
  Kind kind;
  std::int32_t number;
  std::uint64_t messages;
  std::uint64_t bytes;
};
static_assert(sizeof(CellFigures) == 24);

/// The number of a cell of `operation` is made of a slot, an operation and the bin of the size, so that calls of about
/// one size are together.
inline constexpr int operation_bins = 64;
inline constexpr int operation_codes = 16 * operation_bins;

/// Whether the number is that of a communicator.
constexpr bool is_of_communicator(Kind kind) { return kind >= Kind::to_all && kind <= Kind::all_to_all; }
/// The same cell with the index into Summary::communicators in place of the slot.
template <class IndexOfSlot>
CellFigures with_index(CellFigures cell, IndexOfSlot index_of) {
  if (is_of_communicator(cell.kind)) cell.number = index_of(cell.number);
  else if (cell.kind == Kind::operation)
    cell.number = index_of(cell.number / operation_codes) * operation_codes + cell.number % operation_codes;
  return cell;
}
/// Adds what a process has counted; numbers of communicators are indices. There is one cell of each kind and number.
void add_cell(Phase& phase, const CellFigures& cell, Sizes sizes, int process);

}  // namespace cairn::formats::comm
