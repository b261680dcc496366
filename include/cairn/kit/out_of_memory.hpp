// SPDX-License-Identifier: BSD-3-Clause
// out_of_memory.hpp - what a tool does when a process ends, where the process may have no memory left
#pragma once

#include <new>

namespace cairn::kit {

/// Such work must not change how the process ends. There is no memory to tell the user; the ranks that
/// have some do (kit/ranks.hpp).
template <class Work>
void do_if_memory_allows(Work work) {
  try {
    work();
  } catch (const std::bad_alloc&) {
  }
}

}  // namespace cairn::kit
