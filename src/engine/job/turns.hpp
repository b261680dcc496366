// SPDX-License-Identifier: BSD-3-Clause
// turns.hpp - instances finish in one order on all ranks, wherever they stand in the ranks' stacks
//
// Where the stacks are alike that is the order in which MPI_Finalize reaches the layers, and each finishes there. Else
// one that comes too early finishes when those before it have, at the latest at the foot of the stack. Of sessions only
// the foot knows which is the last: there all finish.
#pragma once

#include <cstdint>
#include <vector>

namespace cairn::engine {

class Turns {
 public:
  /// The levels of this rank's instances in the order of all ranks. Without it all finish at once.
  void set_order(const std::vector<std::uint32_t>& levels) {
    for (const std::uint32_t level : levels) waiting_.push_back({level});
  }
  /// Nobody finishes before run_rest().
  void hold() { held_ = true; }

  void take(std::uint32_t level, void (*finish)(void*), void* argument) {
    for (Turn& turn : waiting_)
      if (turn.level == level) {
        turn.finish = finish;
        turn.argument = argument;
        return held_ ? void() : run_ready();
      }
    finish(argument);
  }

  /// Nobody further takes a turn.
  void run_rest() {
    for (; next_ < waiting_.size(); ++next_) run(waiting_[next_]);
  }

 private:
  struct Turn {
    std::uint32_t level = 0;
    void (*finish)(void*) = nullptr;
    void* argument = nullptr;
  };

  void run_ready() {
    while (next_ < waiting_.size() && waiting_[next_].finish != nullptr) run(waiting_[next_++]);
  }
  static void run(const Turn& turn) {
    if (turn.finish != nullptr) turn.finish(turn.argument);
  }

  bool held_ = false;
  std::vector<Turn> waiting_;
  std::size_t next_ = 0;
};

}  // namespace cairn::engine
