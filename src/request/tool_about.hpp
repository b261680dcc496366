// SPDX-License-Identifier: BSD-3-Clause
// tool_about.hpp - what a tool says about itself in `cairn_tool_about` (include/cairn/tool.h).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "request/request.hpp"

namespace cairn {

struct ToolAbout {
  struct Option {
    std::string name;
    std::string default_value;
    std::string help;
  };
  struct Need {
    std::string service;
    std::uint32_t version = 0;
  };
  unsigned abi = 0;  // 0: the tool says nothing about itself
  std::string summary;
  std::vector<Option> options;
  std::vector<Need> needs;         // services without which it cannot work
  std::vector<Need> offers;        // services that it says to publish
  std::vector<std::string> wraps;  // functions that it wraps without exporting them
  bool obeys_levels = false;       // MPI_Pcontrol(0) and (1) turn its switch, unless filters say otherwise
  bool knows_handles = false;      // what it offers goes by MPI's handles as they are at its place
  bool outermost = false;          // it must see all of the program's calls, and no other tool's
};

/// Lines of an unknown kind are skipped: a newer tool may say more.
ToolAbout parse_tool_about(std::string_view text);

/// Throws Problem, naming the options there are, if the layer asks for one that is not among them.
void check_options(const LayerRequest& layer, const ToolAbout& about);

/// Throws Problem if the tool must be the outermost, and others come before it or filters keep calls from it. `place`:
/// among the layers that are asked for.
void check_place(const LayerRequest& layer, std::size_t place, const ToolAbout& about);

}  // namespace cairn
