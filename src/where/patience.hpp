// SPDX-License-Identifier: BSD-3-Clause
// patience.hpp - when a job tells by itself what keeps it
#pragma once

#include "where/verdict.hpp"

namespace cairn::where {

/// Who looks from time to time sees how long the job, or the machine, has been stopped: it was then, too, between two
/// looks or in the middle of one. All times are seconds of one clock.
class Stops {
 public:
  /// `interval_s`: from the end of one look to the begin of the next one.
  explicit Stops(double interval_s) : interval_s_(interval_s) {}

  /// Whether there was a stop since the last look.
  bool begin_look(double now_s);
  /// So much of the look is not its own work: others were asked.
  void set_aside(double seconds) { looking_since_s_ += seconds; }
  /// Whether there was a stop in this look: what it has seen may be of different times.
  bool is_in_look(double now_s) const;
  /// Whether there was one.
  bool end_look(double now_s);
  /// What was before does not matter any more.
  void forget() { sum_s_ = 0; }
  double sum_s() const { return sum_s_; }

 private:
  double interval_s_;
  double looking_since_s_ = 0;
  double last_look_s_ = 0;
  double asleep_since_s_ = -1;  // none yet
  double sum_s_ = 0;
};

/// `hang_s`: what the user has named as too long.
bool is_to_tell(const Job& job, const Verdict& verdict, double hang_s);

}  // namespace cairn::where
