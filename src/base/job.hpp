// SPDX-License-Identifier: BSD-3-Clause
// job.hpp - this process's place in its job, from what launchers put into the environment (MPI need not be started).
//
// Header only and free of the C++ library: the preload library uses it too.
#pragma once

#include <atomic>
#include <cstdlib>
#include <initializer_list>

namespace cairn {

/// The rank in the job, or -1 where no launcher says so: Open MPI's mpirun, PMIx, Hydra and Slurm's PMI-1/2, Slurm
/// itself. Slurm's own word comes last: under a launcher within a batch job it is 0 for every process.
inline long job_rank() {
  for (const char* name : {"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK", "SLURM_PROCID"})
    if (const char* text = std::getenv(name); text != nullptr && *text >= '0' && *text <= '9')
      return std::strtol(text, nullptr, 10);
  return -1;
}

/// How many ranks of the job are on this node, or -1: Open MPI's mpirun, Hydra, Slurm where it is the same on all.
inline long job_ranks_on_node() {
  for (const char* name : {"OMPI_COMM_WORLD_LOCAL_SIZE", "MPI_LOCALNRANKS", "SLURM_NTASKS_PER_NODE"})
    if (const char* text = std::getenv(name); text != nullptr && *text >= '0' && *text <= '9')
      return std::strtol(text, nullptr, 10);
  return -1;
}

/// Who speaks, once the ranks have told each other who has Cairn (1: this process); before that -1.
inline std::atomic<int> known_speaker{-1};

/// Messages appear once per job: the first rank with Cairn speaks, or a process that is in no job.
inline bool speaks_for_job() {
  const int known = known_speaker.load(std::memory_order_relaxed);
  return known < 0 ? job_rank() <= 0 : known != 0;
}

/// A setting is on unless it is absent, empty or "0".
inline bool setting_on(const char* name) {
  const char* text = std::getenv(name);
  return text != nullptr && *text != '\0' && !(text[0] == '0' && text[1] == '\0');
}

}  // namespace cairn
