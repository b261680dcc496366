// SPDX-License-Identifier: BSD-3-Clause
// loaded_mpi.hpp - the MPI library of this process.
#pragma once

#include <string>

#include "request/mpi_family.hpp"

namespace cairn {

/// The family whose library is loaded in this process; null when it is none that Cairn knows.
const MpiFamily* find_loaded_mpi();

/// "Open MPI 4.1.4", from the library's own words. `get_library_version` is its PMPI_Get_library_version, or null.
std::string describe_mpi(const MpiFamily& family, void* get_library_version);

}  // namespace cairn
