// SPDX-License-Identifier: BSD-3-Clause
// own_work.hpp - telling the calls that tools make for themselves from the program's
//
//   {
//     const cairn::OwnWork own;                 // what this thread calls from here to the end of the block is the
//     PMPI_Comm_size(comm, &size);              // tool's own: gathering results, asking about objects
//   }
//
// Layers below see such calls too, and what they do with them is their affair: a tool that counts the program's calls
// asks `if (cairn::is_tools_call())`. It holds through whatever layers lie between. What a tool does in finish() is
// marked by itself, and cairn::World goes past all layers; what a tool calls in place of the program's own call is none
// of this.
#pragma once

#include <cstddef>

namespace cairn {

namespace kit {

/// Set when the tool starts (cairn/services/tool_calls.hpp); 0: this Cairn has no such service.
[[gnu::visibility("hidden")]] inline std::ptrdiff_t tool_calls_place = 0;

inline int& tool_calls() {
  return *reinterpret_cast<int*>(static_cast<char*>(__builtin_thread_pointer()) + tool_calls_place);
}

}  // namespace kit

/// Four instructions. For tools that list the service among their Needs (kit/about.hpp).
inline bool is_tools_call() { return kit::tool_calls() != 0; }

class OwnWork {
 public:
  OwnWork() {
    if (kit::tool_calls_place != 0) ++kit::tool_calls();
  }
  ~OwnWork() {
    if (kit::tool_calls_place != 0) --kit::tool_calls();
  }
  OwnWork(const OwnWork&) = delete;
  OwnWork& operator=(const OwnWork&) = delete;
};

}  // namespace cairn
