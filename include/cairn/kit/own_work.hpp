// SPDX-License-Identifier: BSD-3-Clause
// own_work.hpp - marks calls that a tool makes for itself
//
//   {
//     const cairn::OwnWork own;                 // calls of this thread to the end of the block are the tool's own,
//     PMPI_Comm_size(comm, &size);              // such as gathering results or querying objects
//   }
//
// Layers below see such calls too. A tool that counts the program's calls asks `if (cairn::is_tools_call())`; the mark
// is visible through any layers in between. finish() is marked automatically, and cairn::World bypasses all layers. Do
// not mark calls that a tool makes in place of the program's call.
#pragma once

#include <cstddef>

namespace cairn {

namespace kit {

/// Set when the tool starts (services/tool_calls.hpp); 0: this Cairn does not have the service.
[[gnu::visibility("hidden")]] inline std::ptrdiff_t tool_calls_place = 0;

inline int& tool_calls() {
  return *reinterpret_cast<int*>(static_cast<char*>(__builtin_thread_pointer()) + tool_calls_place);
}

}  // namespace kit

/// Takes four instructions. For tools that list the service in their Needs (kit/about.hpp).
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
