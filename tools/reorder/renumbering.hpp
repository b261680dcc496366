// SPDX-License-Identifier: BSD-3-Clause
// renumbering.hpp - makes the communicator that stands for MPI_COMM_WORLD, if all ranks can, and frees it at the end
#pragma once

#include <mpi.h>

#include <string>

#include "cairn/kit/self.hpp"
#include "formats/rank_order.hpp"

namespace reorder {

class Renumbering {
 public:
  explicit Renumbering(const cairn::Self& self) : self_(self) {}

  /// Collective over all ranks with the tool, when MPI_Init has returned. `obstacle`: what speaks against it on this
  /// rank, or "". Tells the user why ranks stay as they are; true if they do not.
  bool start(const std::string& file, const std::string& obstacle);

  /// The program's MPI_COMM_WORLD.
  MPI_Comm world() const { return world_; }
  bool is_active() const { return world_ != MPI_COMM_WORLD; }

  /// Whether a communicator has inherited what MPI_COMM_WORLD has: a duplicate.
  bool is_descendant(MPI_Comm comm) const;
  /// A launcher's rank as the program counts them.
  int renumbered(int rank) const;
  /// Takes the renumbered group in place of one that has all processes in the launcher's order.
  void renumber(MPI_Group& group) const;

 private:
  void agree(const std::string& file, std::string obstacle);
  std::string make(const cairn::formats::RankOrder& order, int rank);
  void equip();
  void free();

  cairn::Self self_;
  MPI_Comm world_ = MPI_COMM_WORLD;
  int heir_ = MPI_KEYVAL_INVALID;  // attribute of MPI_COMM_WORLD, which its duplicates get
};

}  // namespace reorder
