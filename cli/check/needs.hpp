// SPDX-License-Identifier: BSD-3-Clause
// needs.hpp - who would give a tool the services that it needs, found out without running anything.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "request/tool_file.hpp"

namespace cairn::cli {

/// A layer that would be loaded.
struct KnownLayer {
  std::size_t number;
  std::string tool;
  ToolAbout about;
};

/// A line for each need of a tool. `below`: the layers under it, the nearest first. Throws Problem, in the runtime's
/// words, where a service is sure to be missing.
std::vector<std::string> show_needs(const ToolAbout& about, std::span<const KnownLayer> below, const TargetMpi& mpi,
                                    const std::string& bundled);

}  // namespace cairn::cli
