// SPDX-License-Identifier: BSD-3-Clause
// verdict.hpp - whether a job moves, and if not, who keeps it from moving
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "where/actors.hpp"
#include "where/finding.hpp"
#include "where/places.hpp"

namespace cairn::where {

enum class State {
  over,     // all processes have finalized MPI
  moving,   // something happened a moment ago, or nobody waits
  waiting,  // ranks wait, and there is one that may move: outside MPI, in a call that does not wait, with another thread
            // that works, waiting for another job's processes, or unseen
  stuck,    // nobody can move
  died,     // a process has ended without MPI_Finalize
};
std::string_view name_of(State state);

struct Verdict {
  State state = State::moving;
  std::vector<Finding> findings;  // the most telling first
  /// None of the job's processes that live can move, nor can any come to it; or all are in MPI_Init, where that is as
  /// much as can be known.
  bool is_hopeless = false;
  /// A thread that has never called MPI ran at that moment, and is not known to have used a processor for longer: it may
  /// work, or only have waited for a processor.
  bool rests_on_moment = false;

  /// Whether there is a cause that no rank can take away by going on.
  bool is_certain() const;
};

/// `patience_s`: what has lasted for less is no matter.
Verdict judge(const Job& job, Places& places, double patience_s);

}  // namespace cairn::where
