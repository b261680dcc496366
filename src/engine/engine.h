// SPDX-License-Identifier: BSD-3-Clause
// engine.h - the parts of the engine, the innermost layer of every stack.
#pragma once

#include "cairn/tool.h"

// Has the stack told the rank, if it wants to know. Within cairn_tool_start.
void tell_world_rank(const struct cairn_tool_instance *instance);
