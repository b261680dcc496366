// SPDX-License-Identifier: BSD-3-Clause
// patience.hpp - when a job tells by itself what keeps it
#pragma once

#include "where/verdict.hpp"

namespace cairn::where {

/// Who looks from time to time sees how long the job, or the machine, has been stopped: it was then, too. All times are
/// seconds of one clock.
class Stops {
 public:
  /// `interval_s`: from the end of one look to the begin of the next one.
  explicit Stops(double interval_s) : interval_s_(interval_s) {}

  /// Whether there was a stop since the last look.
  bool begin_look(double now_s);
  void end_look(double now_s) { asleep_since_s_ = now_s; }
  /// What was before does not matter any more.
  void forget() { sum_s_ = 0; }
  double sum_s() const { return sum_s_; }

 private:
  double interval_s_;
  double asleep_since_s_ = -1;  // none yet
  double sum_s_ = 0;
};

/// `hang_s`: what the user has named as too long.
bool is_to_tell(const Job& job, const Verdict& verdict, double hang_s);

}  // namespace cairn::where
