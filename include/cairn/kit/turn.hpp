// SPDX-License-Identifier: BSD-3-Clause
// turn.hpp - finishing in the same order on all ranks, whatever their stacks
#pragma once

#include <mpi.h>

#include "cairn/kit/own_work.hpp"
#include "cairn/kit/self.hpp"
#include "cairn/services/job.hpp"

namespace cairn {

/// For what the ranks that have the tool do together in MPI_Finalize: calls tool.*Finish() now or later in it
/// (cairn/services/job.hpp). A tool's finish() is called that way anyhow.
template <auto Finish, class Tool>
void take_turn(const Self& self, Tool& tool) {
  const Job* const job = self.find<Job>();
  const auto finish = [](void* at) {
    const OwnWork own;
    (static_cast<Tool*>(at)->*Finish)();
  };
  if (job != nullptr) job->take_turn(&self.raw(), finish, &tool);
  else finish(&tool);
}

}  // namespace cairn
