// SPDX-License-Identifier: BSD-3-Clause
// patience.cc - programs that are well and slow must be left in peace
//
// A rank that computes, or waits for the file system, keeps others waiting; where all wait and nobody is to blame, as in a
// collective call that all have come to, that may be slow; MPI_Init takes its time where many ranks share a processor; a thread
// that runs at the moment may only have waited for a processor, as on a busy machine. After ten times the time each is worth a
// word; before a job may be ended for it, time for which a rank got no processor does not count. Nor does, ever, that for which
// the job was stopped, as a scheduler does it, or the machine, as where it is a virtual one.

#include "where/patience.hpp"

#include <algorithm>

namespace cairn::where {

namespace {

constexpr double patience = 10;
constexpr double most_delayed = 2.0 / 3;  // ranks that wait in MPI may be ready to run all the time
constexpr double patience_at_start = 2;   // launchers may start processes one after the other

}  // namespace

/// On a busy machine looks come late, too, but not by much.
bool Stops::begin_look(double now_s) {
  looking_since_s_ = now_s;
  const double asleep_s = asleep_since_s_ < 0 ? 0 : now_s - asleep_since_s_;
  if (asleep_s < 2 * interval_s_) return false;
  sum_s_ += asleep_s - interval_s_;
  return true;
}

/// It takes about as long as the one before: on a busy machine all take long, and where much is to be read.
bool Stops::is_in_look(double now_s) const { return now_s - looking_since_s_ >= last_look_s_ + 2 * interval_s_; }

/// A long look after a short one, as the first in which symbols are read, may be taken for a stop: then the job is told of
/// later by that much.
bool Stops::end_look(double now_s) {
  const double took_s = now_s - looking_since_s_;
  const bool is_stop = is_in_look(now_s);
  if (is_stop) sum_s_ += took_s - last_look_s_;
  last_look_s_ = took_s;
  asleep_since_s_ = now_s;
  return is_stop;
}

bool is_to_tell(const Job& job, const Verdict& verdict, double hang_s) {
  const bool is_certain = verdict.is_certain();
  const double delayed_s = std::min(job.delayed_s, most_delayed * job.idle_s());
  const double idle_s = job.idle_s() - (verdict.is_hopeless ? delayed_s : 0);
  const auto is_idle_for = [&](double times) { return idle_s >= times * hang_s; };
  switch (verdict.state) {
    case State::died:
      return true;
    case State::stuck:
    case State::waiting:
      break;
    default:
      return false;
  }
  if (job.is_starting())  // without a finding, ranks may be elsewhere
    return !verdict.findings.empty() && is_idle_for(is_certain ? patience_at_start : patience);
  if (is_certain && !verdict.rests_on_moment) return true;
  return (verdict.state == State::stuck || job.unseen.empty()) && is_idle_for(patience);
}

}  // namespace cairn::where
