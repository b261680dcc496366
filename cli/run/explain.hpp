// SPDX-License-Identifier: BSD-3-Clause
// explain.hpp - what `cairn run` would do, and who said so
#pragma once

#include <string>
#include <vector>

namespace cairn::cli {

struct Explained {
  std::string what;
  std::string value;
  std::string origin;
};

/// Adds the control variables that the environment sets; `mpi` may be empty, as none is known.
void add_environment(std::vector<Explained>& rows, const std::string& mpi);

/// As a table.
std::string explanation(const std::vector<Explained>& rows);

}  // namespace cairn::cli
