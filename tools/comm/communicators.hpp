// SPDX-License-Identifier: BSD-3-Clause
// communicators.hpp - what the handlers must know of communicators and windows, by their handles
//
// Figures of communicators are kept by slot. A slot belongs to one communicator at a time, and after it is freed to the
// next with the same processes and name; so there are as many slots as such communicators at once, however many a
// program makes and frees. Of those beyond a number of such kinds all calls are in one slot, and their parts are
// counted pair by pair.
#pragma once

#include <mpi.h>

#include <atomic>
#include <deque>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "cairn/services/frees.hpp"
#include "cairn/services/ranks.hpp"
#include "shared/table.hpp"
#include "summary.hpp"
#include "traffic.hpp"

namespace comm {

/// Of one communicator while it lives.
struct Known {
  int slot;
  int own;                 // this process's rank, in the local group
  int local_size;          // processes of the local group
  int peers;               // processes that ranks in calls refer to: of the remote group where there is one
  bool between;            // an inter-communicator
  const int* worlds;       // [peers]: their world ranks, negative for what is outside
  bool is_merged = false;  // its kind is beyond those that are kept apart: the slot is the others'

  /// Processes that a part for everyone goes to.
  std::uint64_t others() const { return static_cast<std::uint64_t>(between ? peers : peers - 1); }
};

/// Communicators with the same processes and name.
struct CommKind {
  std::string name;
  std::string members;       // as ranks_text has them
  std::string remote;        // of an inter-communicator the group that has not the lowest rank first; "" for others
  std::uint64_t number = 0;  // of communicators that took part in collective calls
  std::vector<int> slots;
  std::vector<int> free_slots;
};

class Communicators {
 public:
  Communicators(const cairn::Ranks& ranks, const cairn::Frees& frees) : ranks_(ranks), frees_(frees) {}

  /// Null for MPI_COMM_NULL and when memory is out. The communicator must exist. Any thread; without lock and MPI but
  /// at a communicator's first call.
  Known* find(MPI_Comm comm);
  /// As it is freed, or because its name changes.
  void forget(MPI_Comm comm);

  /// World ranks that a share of this process in the slot's communicators goes to, or comes from. Any thread.
  std::vector<int> partners(int slot, Reach reach, int rank);

  /// From here on, and what there is already. The board stays where it is.
  void publish(shared::Board& board);

  /// Any thread.
  template <class Visit>
  void for_each_kind(Visit visit) {
    const std::lock_guard lock(lock_);
    for (const CommKind& one : kinds_) visit(one);
  }

 private:
  static constexpr std::size_t most_kinds = 4096;

  Known* ask(MPI_Comm comm, std::atomic<Known*>& place);
  void take_slot(Known& known, const CommKind& described);
  void join_others(Known& known);
  void publish_slot(int slot) const;

  const cairn::Ranks& ranks_;
  const cairn::Frees& frees_;
  services::HandleTable<std::atomic<Known*>, 6> places_;
  std::mutex lock_;  // of all below
  std::deque<CommKind> kinds_;
  std::map<std::string, CommKind*> kind_by_text_;
  CommKind* others_ = nullptr;  // of the kinds beyond most_kinds, with one slot for all
  std::vector<CommKind*> by_slot_;
  shared::Board* board_ = nullptr;
};

/// World ranks of windows' processes.
class Windows {
 public:
  Windows(const cairn::Ranks& ranks, const cairn::Frees& frees) : ranks_(ranks), frees_(frees) {}
  /// Negative for a process outside. The window must exist.
  int world_rank(MPI_Win win, int target);
  void forget(MPI_Win win);

 private:
  const cairn::Ranks& ranks_;
  const cairn::Frees& frees_;
  services::HandleTable<std::atomic<const std::vector<int>*>, 6> places_;
};

}  // namespace comm
