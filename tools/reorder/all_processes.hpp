// SPDX-License-Identifier: BSD-3-Clause
// all_processes.hpp - the group of all processes of the job in the launcher's order, also where there is no MPI_COMM_WORLD
#pragma once

#include <mpi.h>

#include <numeric>
#include <vector>

#include "cairn/kit/own_work.hpp"
#include "cairn/kit/self.hpp"
#include "cairn/services/job.hpp"

namespace reorder {

/// In a program that began with a session; otherwise MPI_GROUP_NULL. It belongs to Cairn.
inline MPI_Group session_world(const cairn::Self& self) {
  const auto* const job = self.find<cairn::Job>();
  return job == nullptr ? MPI_GROUP_NULL : job->session_world();
}

class AllProcesses {
 public:
  explicit AllProcesses(const cairn::Self& self) : group_(session_world(self)), is_own_(group_ == MPI_GROUP_NULL) {
    const cairn::OwnWork own;
    if (is_own_) PMPI_Comm_group(MPI_COMM_WORLD, &group_);
  }
  ~AllProcesses() {
    const cairn::OwnWork own;
    if (is_own_) PMPI_Group_free(&group_);
  }
  AllProcesses(const AllProcesses&) = delete;
  AllProcesses& operator=(const AllProcesses&) = delete;

  /// By rank in an intra-communicator; MPI_UNDEFINED for a process of another job.
  std::vector<int> ranks_of(MPI_Comm comm) const {
    const cairn::OwnWork own;
    int size = 0;
    MPI_Group group = MPI_GROUP_NULL;
    PMPI_Comm_size(comm, &size);
    std::vector<int> ranks(static_cast<std::size_t>(size));
    std::vector<int> processes(ranks.size(), MPI_UNDEFINED);
    std::iota(ranks.begin(), ranks.end(), 0);
    PMPI_Comm_group(comm, &group);
    PMPI_Group_translate_ranks(group, size, ranks.data(), group_, processes.data());
    PMPI_Group_free(&group);
    return processes;
  }

 private:
  MPI_Group group_;
  bool is_own_;
};

}  // namespace reorder
