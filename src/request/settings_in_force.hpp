// SPDX-License-Identifier: BSD-3-Clause
// settings_in_force.hpp - what users have set of an MPI library for a run: by environment, `cairn run --set`, mpirun
// --mca (both come as environment), or in Open MPI's parameter files
#pragma once

#include <map>
#include <string>

namespace cairn {

/// By control variable; of UCX and libfabric by environment variable. `mpi`: "Open MPI 4.1.4".
std::map<std::string, std::string> settings_in_force(const std::string& mpi);

}  // namespace cairn
