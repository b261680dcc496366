// SPDX-License-Identifier: BSD-3-Clause
// tool_settings.hpp - the environment variables that ask for tools; the first that is not empty counts, the site's last
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

/// Paths separated by colons, as the thesis's QMPI reads them.
inline constexpr const char* thesis_setting = "TOOLS";

inline constexpr const char* tool_settings[] = {"CAIRN_TOOLS",      stack_setting,      thesis_setting,
                                                qmpi_tool_lists[0], qmpi_tool_lists[1], qmpi_tool_lists[2]};

/// What a site puts under all jobs. It counts where the user has asked for nothing and has not opted out, and its layers
/// are not to be noticed: no message mentions them.
inline constexpr const char* site_setting = "CAIRN_SITE_TOOLS";
inline constexpr const char* opt_out_setting = "CAIRN_OPT_OUT";

/// "" where a site puts tools under all jobs: users who know nothing of it have something else by so common a name.
inline const char* thesis_tools() { return *environment(site_setting) != '\0' ? "" : environment(thesis_setting); }

/// What the user asks for tools with; "" if with nothing.
inline const char* users_tools() {
  for (const char* const name : tool_settings)
    if (const char* const tools = name == thesis_setting ? thesis_tools() : environment(name); *tools != '\0')
      return tools;
  return "";
}

/// "" if they do not count.
inline const char* sites_tools() {
  return *users_tools() != '\0' || setting_on(opt_out_setting) ? "" : environment(site_setting);
}

/// What asks for tools; "" if nothing does.
inline const char* requested_tools() {
  const char* const users = users_tools();
  return *users != '\0' ? users : sites_tools();
}

}  // namespace cairn
