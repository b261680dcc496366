// SPDX-License-Identifier: BSD-3-Clause
// neighbours.hpp - the ranks that talk to each other while MPI starts or ends, and a rank's place in their tree
#pragma once

#include <mpi.h>

#include <functional>
#include <vector>

#include "job/tree.hpp"

namespace cairn::engine {

/// The ranks of the job, and over which communicator they talk.
struct JobRanks {
  MPI_Comm comm;
  int rank;
  int size;
  std::function<bool(int rank)> has;  // whether that rank of it has Cairn
};

/// A rank's neighbours in the tree; the first rank is its own parent.
struct Neighbours {
  explicit Neighbours(const JobRanks& ranks) {
    const int first = first_of(ranks.size, ranks.has);
    const Tree tree(first, ranks.size, ranks.has);
    is_first = ranks.rank == first;
    parent = is_first ? first : tree.parent(ranks.rank);
    children = tree.children(ranks.rank);
  }
  bool is_first;
  int parent;
  std::vector<int> children;
};

}  // namespace cairn::engine
