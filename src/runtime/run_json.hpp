// SPDX-License-Identifier: BSD-3-Clause
// run_json.hpp - the file that says which run a folder belongs to
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "runtime/run_folder.hpp"

namespace cairn {

/// Its text. `agreed`: null before the ranks have agreed.
std::string run_json(const std::string& identity, const RunFacts& facts, const cairn_job_agreed* agreed);

/// What another run's file says.
struct RunOwner {
  std::string identity;
  bool is_alive = false;  // as far as can be seen from here: its process on this host
  std::vector<std::string> tools;
};
std::optional<RunOwner> read_run_json(const std::string& path);

}  // namespace cairn
