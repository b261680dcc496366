// SPDX-License-Identifier: BSD-3-Clause
// launched.hpp - which processes on this node a launcher has started for a job
#pragma once

#include <unistd.h>

#include <cstdlib>
#include <string>

#include "base/job.hpp"
#include "base/processes.hpp"

namespace cairn {

/// The nearest ancestor that is no rank's itself: the launcher, or its agent on this node. Between it and a rank there may
/// be scripts, whose environment is the rank's; `variable`: in it, tells the rank.
inline int launcher_of(int process, const char* variable) {
  int ancestor = facts_of_task(std::to_string(process)).parent;
  while (ancestor > 1 && !EnvironmentOf(ancestor).value(variable).empty())
    ancestor = facts_of_task(std::to_string(ancestor)).parent;
  return ancestor;
}

/// What is the same for all ranks of this process's job on this node before MPI has started.
inline std::string name_of_own_job() {
  if (const char* const space = std::getenv("PMIX_NAMESPACE"); space != nullptr) return std::string("pmix=") + space;
  if (const char* const variable = numeric_variable(rank_variables); variable != nullptr)
    return "launcher=" + std::to_string(launcher_of(getpid(), variable));
  return "alone=" + std::to_string(getpid());
}

}  // namespace cairn
