// SPDX-License-Identifier: BSD-3-Clause
// guarded_open.hpp - dlopen that outlives a library whose constructor crashes.
#pragma once

#include <string>

namespace cairn {

struct OpenResult {
  void* handle = nullptr;  // null when the library could not be opened at all
  std::string error;       // what the dynamic loader said, or "its constructor crashed (SIGSEGV)"
};

/// Opens a library with the given dlopen. If a constructor ends in SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP or SIGABRT,
/// that constructor is left as if it had returned; the library stays loaded (it may own state by then) and `error` is
/// set. One call at a time per process; the program's own signal handlers are back in place on return.
OpenResult guarded_open(void* (*open)(const char*, int), const std::string& path, int mode);

}  // namespace cairn
