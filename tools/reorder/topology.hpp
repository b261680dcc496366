// SPDX-License-Identifier: BSD-3-Clause
// topology.hpp - better ranks for a topology that a program creates and allows to be reordered
#pragma once

#include <mpi.h>

#include <optional>
#include <vector>

#include "formats/matrix_market.hpp"
#include "measured.hpp"

namespace reorder {

using Edges = std::vector<cairn::formats::MatrixEntry>;  // between ranks of the old communicator

// What this process knows of a topology's edges; none if arguments make no sense, which the library will say.
std::optional<Edges> edges_of_grid(MPI_Comm comm, int dimensions, const int* sizes, const int* periods);
/// All processes know all of it; only rank 0 tells.
std::optional<Edges> edges_of_graph(MPI_Comm comm, int vertices, const int* index, const int* neighbors);
std::optional<Edges> edges_of_distributed_graph(MPI_Comm comm, int sources, const int* source, const int* degrees,
                                                const int* destinations, const int* weights);

/// The processes of a communicator in a better order; none if they should stay as they are.
struct Reordered {
  MPI_Comm comm = MPI_COMM_NULL;
  std::vector<int> ranks;  // the new rank of each process, by its old one

  explicit operator bool() const { return comm != MPI_COMM_NULL; }
};

/// Collective over an intra-communicator; `processes`: their numbers in the job, by rank.
/// What was measured counts, if anything was on some process; otherwise the edges.
/// Processes stay where they are if some process has no edges to tell, for whatever reason.
Reordered reorder_processes(MPI_Comm comm, const std::vector<int>& processes, std::optional<Edges> edges,
                            const Measured& measured);

/// What MPI_Dist_graph_create_adjacent takes.
struct Adjacency {
  int in = 0;
  const int* sources = nullptr;
  const int* source_weights = nullptr;
  int out = 0;
  const int* destinations = nullptr;
  const int* destination_weights = nullptr;
};

/// Each process tells its own neighbors, and gets those of the rank that it has now. Collective over `reordered`.
class ExchangedAdjacency {
 public:
  ExchangedAdjacency(const Reordered& reordered, const Adjacency& own);
  Adjacency get() const;

 private:
  bool is_weighted_ = false;
  int in_ = 0;
  int out_ = 0;
  std::vector<int> numbers_;  // sources, destinations, and both kinds of weights
};

}  // namespace reorder
