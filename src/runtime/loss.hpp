// SPDX-License-Identifier: BSD-3-Clause
// loss.hpp - the message that a dying process cannot write what it has
#pragma once

#include <string>
#include <string_view>

#include "base/job.hpp"
#include "will/will.hpp"

namespace cairn {

/// The first rank speaks for all, as always; others when they die for a reason of their own.
inline bool speaks_of_loss() {
  const char* const end = end_under_way();
  const std::string_view how = end == nullptr ? "" : end;
  const bool is_own =
      how == "MPI_Abort" || (how.starts_with("SIG") && how != "SIGTERM" && how != "SIGINT" && how != "SIGHUP");
  return is_own || speaks_for_job();
}

/// To be added to the message; "" while the process lives.
inline std::string what_is_lost() {
  const char* const end = end_under_way();
  if (end == nullptr) return "";
  const long rank = job_rank();
  return "; what " + (rank < 0 ? "the process" : "rank " + std::to_string(rank)) + " had when it ended (" + end +
         ") is lost";
}

}  // namespace cairn
