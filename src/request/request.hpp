// SPDX-License-Identifier: BSD-3-Clause
// request.hpp - the stack as the user asked for it, and its form on the command line and in the environment.
//
//   CAIRN_TOOLS="profile,delay=ms:5:calls:MPI_Send,/opt/lib/libtool.so"    outermost layer first
//
// A layer is TOOL[=OPTION:VALUE…][@FILTER:VALUE[+VALUE…]…], with a colon between one pair and the next. The last
// option may have no value, which then is "on". A backslash takes the next character literally, for a sign of these that
// belongs to a path or value.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace cairn {

struct ToolOption {
  std::string name;
  std::string value;
};

/// When the layer sees which calls (filters.hpp says what there is).
struct LayerFilter {
  std::string name;
  std::vector<std::string> values;
};

struct LayerRequest {
  std::string tool;  // a bundled tool's name, a file name, or a path
  std::vector<ToolOption> options;
  std::vector<LayerFilter> filters = {};
};

/// Throws Problem for an option without value, an empty tool name, or a filter that makes no sense.
std::vector<LayerRequest> parse_tools(std::string_view text);

/// The same text again; parse_tools(format_tools(x)) == x.
std::string format_tools(const std::vector<LayerRequest>& layers);

/// 1 for the outermost of several layers of the same tool.
std::uint32_t instance_number(const std::vector<LayerRequest>& layers, std::size_t position);

/// What the environment asks for: CAIRN_TOOLS, else TOOLS (paths separated by colons, as the QMPI thesis has it); under
/// these the names of QMPI tools in MPICH's variables (base/tool_settings.hpp).
/// `source` is set to how the user asked, for messages. Throws Problem.
std::vector<LayerRequest> tools_of_environment(std::string& source);

}  // namespace cairn
