// SPDX-License-Identifier: BSD-3-Clause
// job.hpp - this process's place in its job, from what launchers put into the environment (MPI need not be started).
//
// Header only and free of the C++ library: the preload library uses it too.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdlib>

#include "base/environment.hpp"

namespace cairn {

// What launchers put there: Open MPI's mpirun, PMIx, Hydra and Slurm's PMI-1/2, Slurm itself. Slurm's own word comes
// last: under a launcher within a batch job its rank is 0 for every process.
inline constexpr const char* rank_variables[] = {"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK", "SLURM_PROCID"};
inline constexpr const char* size_variables[] = {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_STEP_NUM_TASKS"};
inline constexpr const char* rank_on_node_variables[] = {"OMPI_COMM_WORLD_LOCAL_RANK", "MPI_LOCALRANKID",
                                                         "SLURM_LOCALID"};
inline constexpr const char* ranks_on_node_variables[] = {"OMPI_COMM_WORLD_LOCAL_SIZE", "MPI_LOCALNRANKS",
                                                          "SLURM_NTASKS_PER_NODE"};

/// The first that is a number; null: none is.
template <std::size_t Count>
const char* numeric_variable(const char* const (&names)[Count]) {
  for (const char* const name : names)
    if (const char* text = std::getenv(name); text != nullptr && *text >= '0' && *text <= '9') return name;
  return nullptr;
}
/// Of that one; -1: there is none.
template <std::size_t Count>
long number_in_environment(const char* const (&names)[Count]) {
  const char* const name = numeric_variable(names);
  return name == nullptr ? -1 : std::strtol(std::getenv(name), nullptr, 10);
}

/// The rank in the job, or -1 where no launcher says so.
inline long job_rank() { return number_in_environment(rank_variables); }
/// How many ranks the job has, or -1.
inline long job_size() { return number_in_environment(size_variables); }
/// The number of this process among those of the job on this node, or -1.
inline long job_rank_on_node() { return number_in_environment(rank_on_node_variables); }
/// How many ranks of the job are on this node, or -1; of Slurm where it is the same on all.
inline long job_ranks_on_node() { return number_in_environment(ranks_on_node_variables); }

/// Who speaks, once the ranks have told each other who has Cairn (1: this process); before that -1.
inline std::atomic<int> known_speaker{-1};

/// Messages appear once per job: the first rank with Cairn speaks, or a process that is in no job.
inline bool speaks_for_job() {
  const int known = known_speaker.load(std::memory_order_relaxed);
  return known < 0 ? job_rank() <= 0 : known != 0;
}

}  // namespace cairn
