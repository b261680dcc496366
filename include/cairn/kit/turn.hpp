// SPDX-License-Identifier: BSD-3-Clause
// turn.hpp - finishes tools in the same order on all ranks, whatever their stacks
#pragma once

#include <mpi.h>

#include "cairn/kit/clock.hpp"
#include "cairn/kit/out_of_memory.hpp"
#include "cairn/kit/own_work.hpp"
#include "cairn/kit/self.hpp"
#include "cairn/services/job.hpp"

namespace cairn {

namespace kit {

template <auto Finish, class Tool>
void finish_own_work(void* tool) {
  const OwnWork own;
  do_if_memory_allows([tool] { (static_cast<Tool*>(tool)->*Finish)(); });
}

}  // namespace kit

/// For what the ranks that have the tool do together in MPI_Finalize: calls tool.*Finish() now or later in it
/// (services/job.hpp). A tool's finish() is called this way.
template <auto Finish, class Tool>
void take_turn(const Self& self, Tool& tool) {
  const Job* const job = self.find<Job>();
  if (job != nullptr) job->take_turn(&self.raw(), kit::finish_own_work<Finish, Tool>, &tool);
  else kit::finish_own_work<Finish, Tool>(&tool);
}

/// When the program entered MPI_Finalize, in ticks: tools above may have met there since. Now, if it has not.
inline std::uint64_t run_end(const Self& self) {
  const Job* const job = self.find<Job>();
  const std::uint64_t ticks = job == nullptr ? 0 : job->run_end();
  return ticks == 0 ? ticks_now() : ticks;
}

/// As take_turn, in MPI_Session_finalize: calls tool.*Finish() later in it if this is the last session of a program that
/// began with one.
template <auto Finish, class Tool>
void take_session_turn(const Self& self, Tool& tool) {
  if (const Job* const job = self.find<Job>())
    job->take_session_turn(&self.raw(), kit::finish_own_work<Finish, Tool>, &tool);
}

}  // namespace cairn
