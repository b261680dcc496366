// SPDX-License-Identifier: BSD-3-Clause
// choice.hpp - which calls are written down: by function, duration and time, in some passes of a region, and while
// recording is on
//
// Decided when records are taken out of the rings, so that calls cost the same whatever is chosen.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "cairn/kit/clock.hpp"
#include "trace/format.hpp"
#include "trace/switches.hpp"

namespace cairn::trace {

/// Of these globs, with '+' between them, those that fit none of the names.
std::vector<std::string> unfitting(std::string_view globs, const std::vector<std::string>& names);

class Choice {
 public:
  struct Wishes {
    std::string functions = {};  // globs with '+' between them; "": all
    double shortest_s = 0;
    double from_s = 0;  // since the process's first MPI call
    double until_s = 0;
    bool is_recording = true;  // until it is switched
    std::string region = {};   // "": whichever
    unsigned nth = 1;          // of its passes, the first of every so many
    double last_s = 0;         // before the end
  };

  explicit Choice(Wishes wishes);

  // On any thread; of calls that begin from now on.

  void switch_to(bool is_recording) { recording_.switch_to(is_recording); }
  /// Switches that came too fast to be known.
  std::uint64_t lost_switches() const { return recording_.lost() + in_pass_.lost(); }
  bool is_recording() const { return recording_.is_on(); }

  /// A thread enters the region: whether this pass is one of those. If so, `end_pass` when it leaves the region.
  bool begin_pass();
  void end_pass();

  void begin(const std::vector<Function>& functions);
  /// Before records are taken; on the thread that takes them.
  void refresh();
  bool has(const Record& call) const;
  double last_s() const { return wishes_.last_s; }
  /// What is chosen, as users write it.
  std::string text() const;

 private:
  Wishes wishes_;
  cairn::Clock clock_;
  std::vector<bool> is_left_out_;  // by function
  std::uint64_t shortest_ = 0;     // in ticks
  std::uint64_t from_ = 0;
  std::uint64_t until_ = UINT64_MAX;
  Switches recording_;
  Switches in_pass_;
  std::atomic<std::uint64_t> passes_{0};
  std::atomic<std::uint32_t> open_passes_{0};
};

}  // namespace cairn::trace
