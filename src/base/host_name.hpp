// SPDX-License-Identifier: BSD-3-Clause
// host_name.hpp - the name of this node, as pages, results and placements have it
#pragma once

#include <unistd.h>

#include <string>

namespace cairn {

/// "" if the system does not tell.
inline std::string host_name() {
  char name[256] = "";
  return gethostname(name, sizeof name - 1) == 0 ? name : "";
}

}  // namespace cairn
