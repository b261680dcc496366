// SPDX-License-Identifier: BSD-3-Clause
// last_will.hpp - leaving results behind when a process does not come to MPI_Finalize
//
//   will_.begin([this](const std::string& end) { write_part(end); });   // after MPI_Init
//   will_.end();                                                        // in finish()
//
// The process ends as it would have ended: by the same signal or exit code, with what the MPI library or the program
// does at a signal done after ours. Nothing is written where a process is killed at once (SIGKILL, _exit).
#pragma once

#include <functional>
#include <string>

namespace shared {

/// One per tool.
class LastWill {
 public:
  /// `write` is called once, with how the process ends ("SIGTERM", "exit without MPI_Finalize"): at exit, or on a
  /// thread of our own at a signal, while the thread that got it waits some seconds at most. It must not call MPI.
  void begin(std::function<void(const std::string& end)> write);
  /// The run ended well, or what there is to write has been written: nothing is done from here on.
  void end();
};

}  // namespace shared
