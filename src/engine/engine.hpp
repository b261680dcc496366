/* SPDX-License-Identifier: BSD-3-Clause */
/* engine.hpp - the parts of the engine, each started with it. */
#pragma once

struct cairn_tool_instance;

#ifdef __cplusplus
extern "C" {
#endif

/* Has the stack told the rank, if it wants to know. Within cairn_tool_start. */
void cairn_engine_tell_world_rank(const struct cairn_tool_instance *instance);

/* 0 if spawned processes will get the stack. */
int cairn_engine_start_spawn(const struct cairn_tool_instance *instance);

#ifdef __cplusplus
}
#endif
