/* SPDX-License-Identifier: BSD-3-Clause */
/* engine.hpp - the parts of the engine, each started with it. */
#pragma once

struct cairn_tool_instance;

#ifdef __cplusplus
extern "C" {
#endif

/* 0 if spawned processes will get the stack. */
int cairn_engine_start_spawn(const struct cairn_tool_instance* instance);
/* As MPI starts: the folder that all ranks have agreed on, which stays valid, and this rank. */
void cairn_engine_set_spawn_place(const char* folder, int rank);

#ifdef __cplusplus
}

namespace cairn::engine {

/// Offers "cairn.job" (job/job.cc). Within cairn_tool_start.
void start_job_service(const cairn_tool_instance* self);

}  // namespace cairn::engine
#endif
