// SPDX-License-Identifier: BSD-3-Clause
// last_words.hpp - one rank says why a job cannot start, though launchers end a job with its first process
#pragma once

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <string_view>

#include "base/job.hpp"

namespace cairn {

/// A rank that does not speak waits here before it ends, so that the one that speaks is not cut short: a second on an
/// idle node, and the longer the busier it is. Launchers end it as soon as that one is done. Only Hydra (MPICH) lets every
/// process end by itself before MPI has started, and would wait for it.
inline void wait_for_speaker() {
  const char* const told_by = numeric_variable(rank_variables);
  if (std::getenv("HYDI_CONTROL_FD") != nullptr && told_by != nullptr && std::string_view(told_by) == "PMI_RANK")
    return;
  constexpr double most_s = 30;
  const auto processors = static_cast<double>(std::max(1L, sysconf(_SC_NPROCESSORS_ONLN)));
  double load = 0;
  if (getloadavg(&load, 1) != 1) load = 0;
  sleep(static_cast<unsigned>(std::min(most_s, 1 + 2 * load / processors)));
}

}  // namespace cairn
