// SPDX-License-Identifier: BSD-3-Clause
// replay.hpp - the run again, with other durations: what each call depends on stays the same
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <vector>

#include "waits/dependencies.hpp"

namespace cairn::waits {

/// What is different. Both get a call and nanoseconds as they were, and return what they are to be.
struct Change {
  std::function<std::int64_t(Index node, std::int64_t ns)> work;      // before the call
  std::function<std::int64_t(Index node, std::int64_t ns)> transfer;  // the call's own time, without waiting
  bool sends_are_free = false;                                        // no send waits for its receiver
  std::vector<bool> eager_sites;                                      // by site: none that begins there
  std::function<bool(const Operation&)> is_free;                      // nobody waits in it
  std::vector<bool> without_waiting;                                  // by site: nor in the calls there
};

class Replay {
 public:
  explicit Replay(const Dependencies& dependencies);

  /// Of the run, in nanoseconds.
  std::int64_t run(const Change& change);
  /// How long the call was in the last run, with its waiting. Work before calls was what it is.
  std::int64_t call_ns(Index node) const;
  /// Calls that went on in the last run although what they depend on never came: of incomplete records.
  std::uint64_t forced() const { return forced_; }

 private:
  struct LaneState {
    Index next = 0;
    std::int64_t now = 0;
    bool is_reached = false;                       // the entry of `next` is known
    bool has_begun = true;                         // as threads do after a call of the process's main one
    Index starts = 0;                              // the next one in starts() that may follow a call of this lane
    std::vector<std::pair<Index, Index>> waiting;  // for calls of this lane: call, lane
  };
  struct Need {
    std::int64_t recorded = INT64_MIN;
    std::int64_t now = INT64_MIN;
    bool is_open = false;  // something is not known yet
  };

  bool advance(Index lane);
  void reach(Index lane, Index node);
  Need need_of(Index lane, Index node);
  Need past_need(Index node) const;
  bool waits_nowhere(Index node) const {
    return !change_->without_waiting.empty() && change_->without_waiting[graph_.nodes[node].site];
  }
  bool needs_both(const Source& source) const {
    return !change_->sends_are_free && (change_->eager_sites.empty() || !change_->eager_sites[source.site]);
  }
  /// It was waited for, and need not be now: what remains of the call is without that.
  static void note_wait(Need& need, const Source& source) { need.recorded = std::max(need.recorded, source.recorded); }
  void need_entry(Need& need, Index lane, const Source& source);
  void need_call(Need& need, Index lane, Index node, Index call);
  void need_part(Need& need, Index lane, Index node, Index part);
  void wake(Index lane) {
    if (!lanes_[lane].waiting.empty()) wake_waiting(lane);
  }
  void wake_waiting(Index lane);
  bool is_known(Index call, Index of_lane) const {
    const LaneState& lane = lanes_[of_lane];
    return call < lane.next || (call == lane.next && lane.is_reached);
  }
  bool force_one();
  void stop(Index lane);
  void start_threads(LaneState& state, Index node);
  bool starts_thread(const LaneState& state, Index node) const {
    const auto& starts = dependencies_.starts();
    return state.starts < starts.size() && starts[state.starts].first == node;
  }

  const Dependencies& dependencies_;
  const Graph& graph_;
  const Waits& waits_;
  const Change* change_ = nullptr;
  std::vector<LaneState> lanes_;
  std::vector<std::int64_t> entry_;
  std::int64_t end_ = 0;
  std::vector<Index> arrived_;  // by operation
  std::vector<std::int64_t> latest_;
  std::vector<std::vector<Index>> waiting_;  // lanes, by operation
  std::vector<Index> ready_;
  struct Stopped {
    std::int64_t entry;
    Index node;
    Index lane;
    auto operator<=>(const Stopped&) const = default;
  };
  std::vector<Stopped> stopped_;  // a heap of lanes that cannot go on, since one was forced to
  bool is_forcing_ = false;
  bool is_forced_ = false;
  std::uint64_t forced_ = 0;
};

}  // namespace cairn::waits
