// SPDX-License-Identifier: BSD-3-Clause
// sizes.hpp - sizes of datatypes and communicators
#pragma once

#include <mpi.h>

#include <bit>
#include <cstdint>

#include "cairn/services/datatypes.hpp"
#include "cairn/services/ranks.hpp"

namespace shared {

/// Set when the tool starts.
inline const cairn::Datatypes* datatypes = nullptr;
inline const cairn::Ranks* ranks = nullptr;

inline std::uint64_t size_of_type(MPI_Datatype type) { return datatypes->size(type); }

inline cairn::Members members(MPI_Comm comm) {
  const cairn::Members* const known = ranks->members(comm);
  return known == nullptr ? cairn::Members{} : *known;
}

inline std::uint64_t group_size(MPI_Comm comm) { return static_cast<std::uint64_t>(members(comm).size); }

inline int own_rank(MPI_Comm comm) { return members(comm).rank; }

/// The processes that a collective call reaches: those of the remote group on an inter-communicator.
inline std::uint64_t peers(MPI_Comm comm) { return static_cast<std::uint64_t>(members(comm).peers); }

/// On an inter-communicator the root's group gives MPI_ROOT; a rank there is one of the other group's.
inline bool is_root(int root, MPI_Comm comm) {
  if (root == MPI_ROOT) return true;
  const cairn::Members known = members(comm);
  return known.remote_size == 0 && known.rank == root;
}

/// The entries of a call's arrays per partner, and which of them stand for nobody (MPI_PROC_NULL).
struct Partners {
  std::uint64_t entries;
  std::uint64_t nobody;  // bit i: entry i; only Cartesian grids have such, two per dimension

  bool has(std::uint64_t entry) const { return entry >= 64 || (nobody >> entry & 1U) == 0; }
  std::uint64_t count() const { return entries - static_cast<std::uint64_t>(std::popcount(nobody)); }
};

/// The order of a grid's neighbours: for each dimension the one below, then the one above (MPI-4.1 section 8.6).
inline Partners grid_neighbors(MPI_Comm comm) {
  int dimensions = 0;
  PMPI_Cartdim_get(comm, &dimensions);
  Partners to{static_cast<std::uint64_t>(dimensions) * 2, 0};
  for (int i = 0; i < dimensions && i < 32; ++i) {
    int below = 0;
    int above = 0;
    PMPI_Cart_shift(comm, i, 1, &below, &above);
    to.nobody |= std::uint64_t{below == MPI_PROC_NULL} << (2 * i) | std::uint64_t{above == MPI_PROC_NULL}
                                                                        << (2 * i + 1);
  }
  return to;
}

struct Neighbors {
  Partners in;
  Partners out;
};

inline Neighbors neighbors(MPI_Comm comm) {
  int kind = MPI_UNDEFINED;
  int in = 0;
  int out = 0;
  PMPI_Topo_test(comm, &kind);
  if (kind == MPI_CART) return {grid_neighbors(comm), grid_neighbors(comm)};
  if (kind == MPI_GRAPH) {
    PMPI_Graph_neighbors_count(comm, own_rank(comm), &out);
    in = out;
  } else if (kind == MPI_DIST_GRAPH) {
    int weighted = 0;
    PMPI_Dist_graph_neighbors_count(comm, &in, &out, &weighted);
  }
  return {{static_cast<std::uint64_t>(in), 0}, {static_cast<std::uint64_t>(out), 0}};
}

}  // namespace shared
