// SPDX-License-Identifier: BSD-3-Clause
// ending.hpp - what a rank's own file says of how the rank ended
#pragma once

#include <string_view>

namespace cairn::formats {

/// Whether the rank came to the end of MPI, but could not bring its results to the others.
inline bool could_not_gather(std::string_view ended_by) {
  return ended_by.starts_with("MPI_Finalize ") || ended_by.starts_with("MPI_Session_finalize ");
}

}  // namespace cairn::formats
