// SPDX-License-Identifier: BSD-3-Clause
// monitor.hpp - the whole of one process's record: what handlers add to, and what is read of it at any time
#pragma once

#include <mpi.h>

#include <atomic>
#include <string>
#include <vector>

#include "cairn/kit/handle.hpp"
#include "cairn/kit/per_thread.hpp"
#include "cairn/kit/regions.hpp"
#include "cairn/kit/start.hpp"
#include "cairn/services/ranks.hpp"
#include "communicators.hpp"
#include "running_sums.hpp"
#include "summary.hpp"
#include "traffic.hpp"

namespace comm {

/// This process among the others; known from MPI_Init on.
struct Place {
  int rank = -1;
  int ranks = 0;
  std::string node;
};

/// One thread's.
class Recorded {
 public:
  void thread_ended() { regions = {}; }

  cairn::Regions::Thread regions;
  PhaseTraffic traffic;

 private:
  friend class Monitor;

  /// The cell of a rank in a communicator or window, found before. Null: nothing is counted for it.
  struct KnownCell {
    std::uint64_t object = 0;
    int rank = 0;
    Kind kind = Kind::p2p;
    Cell* cell = nullptr;
  };
  static constexpr std::size_t known_count = 16;

  Traffic* now_ = nullptr;
  std::uint32_t phase_ = 0;
  unsigned handles_ = 0;
  std::array<KnownCell, known_count> known_cells_{};
};

class Monitor {
 public:
  Monitor(const cairn::Ranks& ranks, const cairn::Frees& frees)
      : communicators(ranks, frees),
        windows(ranks, frees),
        sums(changed_, [this](int slot, Reach reach) { return communicators.partners(slot, reach, place_.rank); }),
        ranks_(ranks) {
    frees.listen(&listener_);
  }

  /// Adds to the cell of a process; `world()` gives its world rank if it is not known. Own messages are not counted.
  template <class Handle, class World>
  void add(Kind kind, Handle object, int rank, std::uint64_t bytes, World world) {
    Recorded& mine = recorded_.mine();
    if (!is_up_to_date(mine)) [[unlikely]]
      turn(mine);
    const std::uint64_t bits = cairn::handle_bits(object);
    Recorded::KnownCell& known =
        mine.known_cells_[((bits >> 6U) + static_cast<unsigned>(rank) + 5 * static_cast<unsigned>(kind)) %
                          Recorded::known_count];
    if (known.object != bits || known.rank != rank || known.kind != kind) [[unlikely]]
      known = {bits, rank, kind, cell_of(mine, kind, world())};
    if (known.cell != nullptr) add(*known.cell, bytes);
  }

  /// Adds to any cell.
  void add(Key key, std::uint64_t bytes) {
    Recorded& mine = recorded_.mine();
    if (!is_up_to_date(mine)) [[unlikely]]
      turn(mine);
    Cell* const cell = mine.now_ == nullptr ? nullptr : mine.now_->at(key);
    if (cell != nullptr) add(*cell, bytes);
    else lost_ = true;
  }

  /// A message or collective call of a tool above for itself.
  [[gnu::noinline, gnu::cold]] void add_of_tools(std::uint64_t bytes) {
    tools_messages_.fetch_add(1, std::memory_order_relaxed);
    tools_bytes_.fetch_add(bytes, std::memory_order_relaxed);
  }

  cairn::Regions::Thread& thread_regions() { return recorded_.mine().regions; }
  /// It is freed, or has got another name.
  void forget(MPI_Comm comm) {
    communicators.forget(comm);
    handles_.fetch_add(1, std::memory_order_relaxed);
  }
  /// Something could not be counted.
  void lose() { lost_ = true; }
  void learn_place(cairn::JobPlace place);
  /// For readers outside: between the program's start and end of MPI.
  void publish(unsigned instance);
  void withdraw();
  /// So that MPI_COMM_WORLD is listed in any case, if there is one.
  void find_world();
  const Place& place() const { return place_; }

  /// Any thread, once MPI has started; without MPI.
  Amounts amounts();
  Summary summary(const Amounts& amounts);
  /// World ranks of the processes that ranks in calls mean; the communicator must exist.
  std::vector<int> worlds(MPI_Comm comm) const;

  Communicators communicators;
  Windows windows;
  RunningSums sums;
  cairn::Regions regions;

 private:
  bool is_up_to_date(const Recorded& mine) const {
    return mine.now_ != nullptr && mine.phase_ == regions.current(mine.regions) &&
           mine.handles_ == handles_.load(std::memory_order_relaxed);
  }
  void add(Cell& cell, std::uint64_t bytes) {
    cell.add(bytes);
    changed_.note(cell);
  }
  void turn(Recorded& mine);
  Cell* cell_of(Recorded& mine, Kind kind, int world);

  void forget_win(MPI_Win win) {
    windows.forget(win);
    handles_.fetch_add(1, std::memory_order_relaxed);
  }

  const cairn::Ranks& ranks_;
  cairn::FreeListener listener_{this, [](void* self, MPI_Comm comm) { static_cast<Monitor*>(self)->forget(comm); },
                                [](void* self, MPI_Win win) { static_cast<Monitor*>(self)->forget_win(win); }, nullptr};
  ChangedCells changed_;
  cairn::PerThread<Recorded> recorded_;
  std::atomic<unsigned> handles_{0};  // changes when one may mean another object
  std::atomic<bool> lost_{false};
  std::atomic<std::uint64_t> tools_messages_{0};
  std::atomic<std::uint64_t> tools_bytes_{0};
  Place place_;
  shared::Board& board_ = *new shared::Board;  // never destroyed: cells are on it until the process has ended
};

/// What came after `before`.
Amounts difference(Amounts now, const Amounts& before);

}  // namespace comm
