// SPDX-License-Identifier: BSD-3-Clause
// replay.hpp - the run again, with other durations: what each call depends on stays the same
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <unordered_map>
#include <vector>

#include "waits/dependencies.hpp"

namespace cairn::waits {

/// What is different. Both get a call and nanoseconds as they were, and return what they are to be.
struct Change {
  std::function<std::int64_t(Index node, std::int64_t ns)> work;      // before the call
  std::function<std::int64_t(Index node, std::int64_t ns)> transfer;  // the call's own time, without waiting
  bool sends_are_free = false;                                        // no send waits for its receiver
  std::vector<bool> eager_sites;                                      // by site: none that begins there
  std::function<bool(Index node, const Operation&)> is_free;          // the call does not wait for the others in it
  std::vector<bool> without_waiting;                                  // by site: nor in the calls there
  std::vector<std::int64_t> moved_before_ns;  // by call: it is made before so much work that came before it
};

class Replay {
 public:
  explicit Replay(const Dependencies& dependencies);

  /// Of the run, in nanoseconds.
  std::int64_t run(const Change& change);
  /// How long the call was in the last run, with its waiting. Work before calls was what it is.
  std::int64_t call_ns(Index node) const;
  /// When it was entered in the last run.
  std::int64_t entry_ns(Index node) const { return entry_[node]; }
  /// What that thread did outside MPI in the last run.
  std::int64_t work_ns_of(Index lane) const { return work_[lane]; }

 private:
  /// The last of what a call has waited for.
  struct Need {
    std::int64_t recorded = INT64_MIN;
    std::int64_t now = INT64_MIN;

    void add(std::int64_t was, std::int64_t is) {
      recorded = std::max(recorded, was);
      now = std::max(now, is);
    }
    /// It was waited for, and need not be now: what remains of the call is without that.
    void note(std::int64_t was) { recorded = std::max(recorded, was); }
  };

  void go_on(const Stretch& stretch);
  void enter(Index node, std::int64_t now);
  std::int64_t end_of(Index node) const;
  Need need_of(Index node) const;
  void add_entry(Need& need, Index call, std::int64_t recorded) const;
  void add_partner(Need& need, const Source& source) const;
  /// Nanoseconds of work that it was after, and is before now.
  std::int64_t moved_before(Index call) const {
    return change_->moved_before_ns.empty() ? 0 : change_->moved_before_ns[call];
  }
  bool needs_receiver(const Source& source) const {
    return !change_->sends_are_free && (change_->eager_sites.empty() || !change_->eager_sites[source.of]);
  }
  bool is_free(Index node, const Source& source) const {
    return change_->is_free && change_->is_free(node, graph_.operations[source.of]);
  }

  const Dependencies& dependencies_;
  const Graph& graph_;
  const Waits& waits_;
  const Change* change_ = nullptr;
  std::vector<std::int64_t> entry_;               // by call
  std::vector<std::int64_t> latest_;              // by operation: the entry of its last part until now
  std::vector<std::int64_t> now_;                 // by lane
  std::vector<std::int64_t> work_;                // likewise
  std::unordered_map<Index, std::int64_t> left_;  // calls before the wait for another thread: when they were over
  std::unordered_map<Index, std::int64_t> ends_;  // of that thread's calls that are waited for
  std::int64_t end_ = 0;
};

}  // namespace cairn::waits
