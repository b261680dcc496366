// SPDX-License-Identifier: BSD-3-Clause
// engine.cc - the innermost layer of every stack: the part of Cairn that is compiled for one MPI.
//
// It lets spawned processes have the same stack (spawn.c), has the ranks agree on who has which tools (job/), merges
// the tools' variables into MPI_T (variables/), and has tools leave their parts before MPI_Abort, after which there is
// no time.

#include <mpi.h>

#include "base/environment.hpp"
#include "cairn/services/will.hpp"
#include "cairn/tool.h"
#include "engine.hpp"
#include "variables/registry.hpp"

namespace {

const cairn::Will* will = nullptr;

}  // namespace

int cairn_tool_start(const cairn_tool_instance* self) {
  using namespace cairn::engine;
  start_job_service(self);
  will = static_cast<const cairn::Will*>(self->find(self, cairn::Will::service, cairn::Will::version));
  start_registry(self, cairn::setting_on("CAIRN_SWITCHES"));
  self->publish(self, CAIRN_VARIABLES, CAIRN_VARIABLES_VERSION, &variables_service);
  if (cairn_engine_start_spawn(self) != 0)
    self->warn(self, "spawned processes will run without tools: the command 'cairn' is not where it was installed");
  return 0;
}

extern "C" int MPI_Abort(MPI_Comm comm, int errorcode) {
  if (will != nullptr) will->execute("MPI_Abort");
  return PMPI_Abort(comm, errorcode);
}
