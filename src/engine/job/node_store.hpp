// SPDX-License-Identifier: BSD-3-Clause
// node_store.hpp - a store of files in shared memory, for jobs on one node whose launcher's key-value store is not ours
// to use: of Slurm, and of the mpirun of Open MPI 5 and 6
#pragma once

#include <string>

#include "job/store.hpp"

namespace cairn::engine {

/// Where the ranks of a job put their words; "" unless all of them are on this node.
std::string folder_of_step();   // of Slurm
std::string folder_of_prrte();  // of Open MPI's mpirun

/// Before the start; null without a folder or a rank.
std::unique_ptr<Store> put_into_node_store(Start how, const char* rank, const std::string& folder);

}  // namespace cairn::engine
