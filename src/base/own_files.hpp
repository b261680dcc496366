// SPDX-License-Identifier: BSD-3-Clause
// own_files.hpp - what /proc tells of this process
#pragma once

#include <unistd.h>

#include <string>

namespace cairn {

/// "exe", "fd", "ns/pid". As the calling thread has it: once the first thread has ended, /proc/self, which is that one, knows
/// none of them. Before Linux 3.17 there is only /proc/self.
inline std::string own_file(const char* name) {
  const char* const folder = access("/proc/thread-self", F_OK) == 0 ? "/proc/thread-self/" : "/proc/self/";
  return std::string(folder) + name;
}

}  // namespace cairn
