// SPDX-License-Identifier: BSD-3-Clause
// sizes.hpp - sizes of datatypes and communicators, as the layers below see them
#pragma once

#include <mpi.h>

#include <atomic>
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

inline std::uint64_t out_neighbors(MPI_Comm comm) {
  int kind = MPI_UNDEFINED;
  int count = 0;
  int unused = 0;
  PMPI_Topo_test(comm, &kind);
  if (kind == MPI_CART) {
    PMPI_Cartdim_get(comm, &count);
    count *= 2;
  } else if (kind == MPI_GRAPH) {
    PMPI_Graph_neighbors_count(comm, own_rank(comm), &count);
  } else if (kind == MPI_DIST_GRAPH) {
    int in_count = 0;
    PMPI_Dist_graph_neighbors_count(comm, &in_count, &count, &unused);
  }
  return static_cast<std::uint64_t>(count);
}

}  // namespace profile
