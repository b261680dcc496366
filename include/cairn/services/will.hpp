// SPDX-License-Identifier: BSD-3-Clause
// will.hpp - the service "cairn.will": leaving results behind when a process ends without MPI_Finalize
//
// Of Cairn itself, one for the process, whatever number of tools take part: each writes its part when a signal ends the
// process, at exit, quick_exit and _exit, at MPI_Abort, and when the MPI library ends the process for an error. The
// process then ends as it would have ended. Nothing comes where it is killed at once (SIGKILL, a raw system call).
// kit/will.hpp puts C++ on top.
#pragma once

#include <cstdint>

#include "cairn/tool.h"

namespace cairn {

struct Will {
  static constexpr const char* service = "cairn.will";
  static constexpr std::uint32_t version = 1;

  /// From now on, `write` is called when the process is about to end; after a successful MPI_Init as a rule. `end` is
  /// how: "SIGTERM", "MPI_Abort", "exit without MPI_Finalize", "_exit without MPI_Finalize". The outermost tool comes
  /// first. `write` runs on a thread of Cairn's own while the dying one waits a few seconds at most; it must not call
  /// MPI, and whatever it reads may just be written. One that crashes or hangs stops neither the other tools nor the
  /// end. `withdraw` takes back what `write` has left: the process lives on (a handler of SIGABRT jumped out), and
  /// `write` may be called again, or comes to `end` after all (a handler at exit called MPI_Finalize). Again: replaces
  /// the functions. Not 0: memory is out, or the system gives no thread.
  int (*begin)(const cairn_tool_instance* self, void (*write)(void* data, const char* end),
               void (*withdraw)(void* data), void* data);

  /// The tool has written its results, or will not: nothing is called from here on. What was written is withdrawn
  /// first.
  void (*end)(const cairn_tool_instance* self);

  /// Tells that the process is about to end in a way that only the caller knows: all parts are written before it
  /// returns. The engine does so in MPI_Abort.
  void (*execute)(const char* end);
};

}  // namespace cairn
