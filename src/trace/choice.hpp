// SPDX-License-Identifier: BSD-3-Clause
// choice.hpp - which calls are written down: by function, duration and time, and while recording is on
//
// Decided when records are taken out of the rings, so that calls cost the same whatever is chosen.
#pragma once

#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cairn/kit/clock.hpp"
#include "trace/format.hpp"

namespace cairn::trace {

class Choice {
 public:
  struct Wishes {
    std::string functions = {};  // globs with '+' between them; "": all
    double shortest_s = 0;
    double from_s = 0;  // since the process's first MPI call
    double until_s = 0;
    bool is_recording = true;  // until it is switched
  };

  explicit Choice(Wishes wishes);

  /// On any thread; of calls that begin from now on.
  void switch_to(bool is_recording);
  bool is_recording() const;

  void begin(const std::vector<Function>& functions);
  /// Before records are taken; on the thread that takes them.
  void refresh();
  bool has(const Record& call) const;
  /// What is chosen, as users write it.
  std::string text() const;

 private:
  struct Switch {
    std::uint64_t ticks;
    bool is_on;
  };

  bool was_on(std::uint64_t ticks) const;

  Wishes wishes_;
  cairn::Clock clock_;
  std::vector<bool> is_left_out_;  // by function
  std::uint64_t shortest_ = 0;     // in ticks
  std::uint64_t from_ = 0;
  std::uint64_t until_ = UINT64_MAX;
  mutable std::mutex lock_;
  std::vector<Switch> switches_;  // the newest last
  std::vector<Switch> seen_;      // as refresh has found them
};

}  // namespace cairn::trace
