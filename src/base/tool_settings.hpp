// SPDX-License-Identifier: BSD-3-Clause
// tool_settings.hpp - the environment variables that ask for tools; the first that is not empty counts
//
// Header only and free of the C++ library: the preload library uses it too.
#pragma once

#include "base/environment.hpp"

namespace cairn {

/// Names of QMPI tools separated by colons, as MPICH reads them.
inline constexpr const char* qmpi_tool_lists[] = {"MPIR_CVAR_QMPI_TOOL_LIST", "MPICH_QMPI_TOOL_LIST",
                                                  "MPIR_PARAM_QMPI_TOOL_LIST"};

/// The path of a stack file; where the command has read it, CAIRN_TOOLS has what it says.
inline constexpr const char* stack_setting = "CAIRN_STACK";

inline constexpr const char* tool_settings[] = {"CAIRN_TOOLS",      stack_setting,      "TOOLS",
                                                qmpi_tool_lists[0], qmpi_tool_lists[1], qmpi_tool_lists[2]};

/// What asks for tools; "" if nothing does.
inline const char* requested_tools() {
  for (const char* const name : tool_settings)
    if (const char* const tools = environment(name); *tools != '\0') return tools;
  return "";
}

}  // namespace cairn
