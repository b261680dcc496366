// SPDX-License-Identifier: BSD-3-Clause
// node_store.hpp - a store of files in shared memory, for jobs of Slurm on one node whose key-value store is not ours
// to use
#pragma once

#include "job/store.hpp"

namespace cairn::engine {

/// Before the start; null unless all processes of the job step are on this node.
std::unique_ptr<Store> put_into_node_store(Start how, const char* rank);

}  // namespace cairn::engine
