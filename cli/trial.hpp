// SPDX-License-Identifier: BSD-3-Clause
// trial.hpp - one run of a command: with which environment, for how long at most, and what came of it
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace cairn::cli {

struct Trial {
  double seconds = 0;
  int status = 0;         // as waitpid has it
  std::string output;     // both streams, as they came
  double exceeded_s = 0;  // the limit that it did not keep; 0: it ended by itself, or was interrupted
  bool interrupted = false;

  /// Empty if the command ended with exit code 0, else how it did end and its last words.
  std::string why_failed() const;
};

/// While it lives, SIGINT and SIGTERM end the run that is under way, and nothing else. There is one at a time, and
/// run_trial needs it.
class Interruptible {
 public:
  Interruptible();
  ~Interruptible();
  Interruptible(const Interruptible&) = delete;
  Interruptible& operator=(const Interruptible&) = delete;
};

/// Standard input is empty. Whatever the command has started ends with it where it is still in its process group.
/// Throws Problem if no process can be started.
Trial run_trial(const std::vector<std::string>& command,
                const std::vector<std::pair<std::string, std::string>>& environment, double limit_s);

}  // namespace cairn::cli
