// SPDX-License-Identifier: BSD-3-Clause
// will.hpp - the service "cairn.will": saving results when a process ends without MPI_Finalize
//
// Offered by Cairn itself to every tool. Each tool that registers is called when a signal ends the process, at exit,
// quick_exit and _exit, in MPI_Abort, and when the MPI library ends the process because of an error. The
// process then ends as it would have ended without Cairn. Tools are not called if it is killed at once (SIGKILL, a raw
// system call). kit/will.hpp is the C++ interface.
#pragma once

#include <cstdint>

#include "cairn/tool.h"

namespace cairn {

struct Will {
  static constexpr const char* service = "cairn.will";
  static constexpr std::uint32_t version = 2;

  /// Registers the tool, usually after MPI has started: `write` is called when the process is about to end. `end` tells
  /// how: "SIGTERM", "MPI_Abort", "exit without MPI_Finalize", "_exit without MPI_Finalize". The outermost tool comes
  /// first. `write` runs on a thread of Cairn's while the dying thread waits a few seconds at most. It must not call
  /// MPI, and data that it reads may be changing. If it crashes or hangs, the other tools are called all the same,
  /// and the process ends. `withdraw` deletes what `write` has written: the process lives on (a handler of SIGABRT
  /// jumped out), and `write` may be called again, or the run ends well after all (an exit handler called
  /// MPI_Finalize). Calling begin again replaces the functions. Non-zero: out of memory, or no thread could be created.
  int (*begin)(const cairn_tool_instance* self, void (*write)(void* data, const char* end),
               void (*withdraw)(void* data), void* data);

  /// Unregisters the tool, which has written its results or will not. What `write` has written is withdrawn first.
  void (*end)(const cairn_tool_instance* self);

  /// Announces an end that only the caller knows of; all tools have been called when it returns. The engine uses it in
  /// MPI_Abort.
  void (*execute)(const char* end);
  /// The same on the calling thread, which is well and goes on: in MPI_Finalize, where the ranks cannot gather.
  void (*leave_parts)(const char* end);
};

}  // namespace cairn
