// SPDX-License-Identifier: BSD-3-Clause
// running_sums.hpp - what variables of MPI_T read: sums of the cells, kept up to date by the cells that have changed
//
// Whoever reads a variable pays for the cells that have changed since the last reading, whatever their number in all.
// A cell that changes says so once (ChangedCells in traffic.hpp). One that another thread adds to at the very moment
// that it is read is looked at again in the next reading.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "summary.hpp"
#include "traffic.hpp"

namespace comm {

/// What this process has sent to each of the others, or fetched from it, by world rank.
using Row = std::map<int, Volume>;
using Rows = std::array<Row, own_kinds>;

class RunningSums {
 public:
  /// `partners`: of a slot's communicator, the world ranks that a share goes to.
  using Partners = std::function<std::vector<int>(int slot, Reach reach)>;
  RunningSums(ChangedCells& changed, Partners partners) : changed_(changed), partners_(std::move(partners)) {}

  // On any thread.

  Rows rows();
  /// Of the processes in `worlds`: visit(i, volume).
  template <class Visit>
  void read_row(FlowKind kind, const std::vector<int>& worlds, Visit visit) {
    const std::lock_guard lock(lock_);
    take_in();
    for (std::size_t i = 0; i < worlds.size(); ++i) visit(i, volume_in(rows_[kind], worlds[i]));
  }
  /// Of the cells with one key: collective calls of a communicator, or bytes of files.
  Volume of(Key key);
  /// Sizes of the messages to a process, or to all.
  Histogram sizes_to(int world);
  Histogram sizes();

  static Volume volume_in(const Row& row, int world);

 private:
  void take_in();
  void take_in(Cell& cell);
  void add(Key key, const Volume& more);

  ChangedCells& changed_;
  const Partners partners_;
  std::mutex lock_;        // of all below
  Cell* again_ = nullptr;  // taken in by the last reading
  Rows rows_;
  std::map<Key, Volume> by_key_;
  std::map<int, Histogram> sizes_to_;
  Histogram sizes_{};
};

}  // namespace comm
