// SPDX-License-Identifier: BSD-3-Clause
// comm_cells.cc - what a process has counted, as a part of comm.json

#include "formats/comm_cells.hpp"

#include <algorithm>
#include <utility>

namespace cairn::formats::comm {

namespace {

Calls& calls_in(Phase& phase, std::uint32_t communicator, int rank) {
  const auto found = std::ranges::find(phase.calls, communicator, &Calls::communicator);
  if (found != phase.calls.end()) return *found;
  phase.calls.push_back({communicator, rank, {}, {}, {}});
  return phase.calls.back();
}

Files& files_in(Phase& phase, int rank) {
  if (phase.files.empty()) phase.files.push_back({rank, {}, {}});
  return phase.files.front();
}

}  // namespace

void add_cell(Phase& phase, const CellFigures& cell, Sizes sizes, int process) {
  const Volume volume{cell.messages, cell.bytes};
  const auto number = static_cast<std::uint32_t>(cell.number);
  const auto to = [&](FlowKind kind) { phase.flows[kind].push_back({volume, process, cell.number, std::move(sizes)}); };
  const auto from = [&](FlowKind kind) {
    phase.flows[kind].push_back({volume, cell.number, process, std::move(sizes)});
  };
  switch (cell.kind) {
    case Kind::p2p:
      return to(p2p);
    case Kind::put:
      return to(put);
    case Kind::fetched:
      return from(fetched);
    case Kind::coll:
      return to(coll);
    case Kind::from:
      return from(coll);
    case Kind::to_all:
    case Kind::to_later:
    case Kind::from_all: {
      const auto reach = static_cast<Reach>(static_cast<int>(cell.kind) - static_cast<int>(Kind::to_all));
      return phase.shares.push_back({volume, number, reach, process, std::move(sizes)});
    }
    case Kind::one_to_all:
      return calls_in(phase, number, process).one_to_all.add(volume);
    case Kind::all_to_one:
      return calls_in(phase, number, process).all_to_one.add(volume);
    case Kind::all_to_all:
      return calls_in(phase, number, process).all_to_all.add(volume);
    case Kind::direct:
      return to(coll_direct);
    case Kind::operation: {
      const auto what = static_cast<Operation>(cell.number % operation_codes / operation_bins);
      return phase.operations.push_back({volume, number / operation_codes, what, process});
    }
    case Kind::read:
      return files_in(phase, process).read.add(volume);
    case Kind::written:
      return files_in(phase, process).written.add(volume);
  }
}

}  // namespace cairn::formats::comm
