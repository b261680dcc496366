// SPDX-License-Identifier: BSD-3-Clause
// renumbering.hpp - makes the communicator that stands for MPI_COMM_WORLD, if all ranks can, and frees it at the end
#pragma once

#include <mpi.h>

#include <string>
#include <vector>

#include "cairn/kit/self.hpp"
#include "callbacks.hpp"
#include "formats/rank_order.hpp"

namespace reorder {

class Renumbering {
 public:
  explicit Renumbering(const cairn::Self& self) : self_(self) {}

  /// Collective over all ranks with the tool, when MPI_Init or the first MPI_Session_init has returned. `obstacle`: what
  /// speaks against it on this rank, or "". Tells the user why ranks stay as they are.
  void start(const std::string& file, const std::string& obstacle);
  /// When MPI_Init has returned, there is an MPI_COMM_WORLD to stand for.
  void stand_for_world();
  /// Once; the ranks of groups stay.
  void free();

  /// The program's MPI_COMM_WORLD.
  MPI_Comm world() const { return stand_in == MPI_COMM_NULL ? MPI_COMM_WORLD : made_; }
  bool is_active() const { return made_ != MPI_COMM_NULL; }

  /// Whether a communicator has inherited what MPI_COMM_WORLD has: a duplicate.
  bool is_descendant(MPI_Comm comm) const;
  /// A launcher's rank as the program counts them.
  int renumbered(int rank) const;
  /// Whether groups of all processes have other ranks for the program.
  bool has_order() const { return !process_at_.empty(); }
  /// The renumbered group in place of one that has all of the launcher's processes, `all`, in their order.
  void renumber(MPI_Group& group, MPI_Group all) const;

 private:
  void agree(const std::string& file, std::string obstacle);
  std::string make(const cairn::formats::RankOrder& order);
  MPI_Comm make_of_world(int new_rank, std::string& obstacle);
  MPI_Comm make_of_session(MPI_Group all, std::string& obstacle);
  MPI_Group in_new_order(MPI_Group all) const;

  cairn::Self self_;
  MPI_Comm made_ = MPI_COMM_NULL;
  std::vector<int> process_at_;    // by new rank: the old one; empty if ranks stay as they are
  int heir_ = MPI_KEYVAL_INVALID;  // attribute of MPI_COMM_WORLD, which its duplicates get
};

}  // namespace reorder
