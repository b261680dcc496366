// SPDX-License-Identifier: BSD-3-Clause
// engine.cc - the innermost layer of every stack: the part of Cairn that is compiled for one MPI.
//
// It lets spawned processes have the same stack (spawn.c), tells the stack the rank (world_rank.c), and merges the
// tools' variables into MPI_T (variables/).

#include <cstdlib>
#include <cstring>

#include "cairn/tool.h"
#include "engine.hpp"
#include "variables/registry.hpp"

namespace {

bool setting_on(const char* name) {
  const char* const text = std::getenv(name);
  return text != nullptr && *text != '\0' && std::strcmp(text, "0") != 0;
}

}  // namespace

int cairn_tool_start(const cairn_tool_instance* self) {
  using namespace cairn::engine;
  cairn_engine_tell_world_rank(self);
  start_registry(self, setting_on("CAIRN_SWITCHES"));
  self->publish(self, CAIRN_VARIABLES, CAIRN_VARIABLES_VERSION, &variables_service);
  if (cairn_engine_start_spawn(self) != 0)
    self->warn(self, "spawned processes will run without tools: the command 'cairn' is not where it was installed");
  return 0;
}
