// SPDX-License-Identifier: BSD-3-Clause
// sizes.hpp - sizes of datatypes and communicators, as the layers below see them
#pragma once

#include <mpi.h>

#include <atomic>
#include <bit>
#include <cstdint>
#include <functional>

namespace profile {

/// Rises whenever a datatype is freed: its handle may come back as another type, so what is remembered is void.
inline std::atomic<std::uint32_t> freed_types{0};

inline std::uint64_t ask_size_of_type(MPI_Datatype type) {
  MPI_Count size = 0;
  return PMPI_Type_size_x(type, &size) == MPI_SUCCESS && size > 0 ? static_cast<std::uint64_t>(size) : 0;
}

/// A few recent answers per thread spare the layers below a call for most messages.
inline std::uint64_t size_of_type(MPI_Datatype type) {
  struct Known {
    MPI_Datatype type;
    std::uint32_t freed;
    bool valid;
    std::uint64_t size;
  };
  if (type == MPI_DATATYPE_NULL) return 0;
  thread_local Known known[16] = {};
  const std::size_t hash = std::hash<MPI_Datatype>{}(type);
  Known& entry = known[(hash ^ hash >> 6U ^ hash >> 12U) % 16];
  const std::uint32_t freed = freed_types.load(std::memory_order_relaxed);
  if (!entry.valid || entry.type != type || entry.freed != freed) entry = {type, freed, true, ask_size_of_type(type)};
  return entry.size;
}

inline std::uint64_t group_size(MPI_Comm comm) {
  int size = 0;
  PMPI_Comm_size(comm, &size);
  return static_cast<std::uint64_t>(size);
}

inline int own_rank(MPI_Comm comm) {
  int rank = 0;
  PMPI_Comm_rank(comm, &rank);
  return rank;
}

/// The processes that a collective call reaches: those of the remote group on an inter-communicator.
inline std::uint64_t peers(MPI_Comm comm) {
  int between_groups = 0;
  PMPI_Comm_test_inter(comm, &between_groups);
  if (between_groups == 0) return group_size(comm);
  int size = 0;
  PMPI_Comm_remote_size(comm, &size);
  return static_cast<std::uint64_t>(size);
}

/// On an inter-communicator the root's group gives MPI_ROOT; a rank there is one of the other group's.
inline bool is_root(int root, MPI_Comm comm) {
  if (root == MPI_ROOT) return true;
  int between_groups = 0;
  PMPI_Comm_test_inter(comm, &between_groups);
  return between_groups == 0 && own_rank(comm) == root;
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

}  // namespace profile
