// SPDX-License-Identifier: BSD-3-Clause
// replay.hpp - the run again, with other durations: what each call depends on stays the same
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <vector>

#include "waits/states.hpp"

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
  Replay(const Graph& graph, const Waits& waits);

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
    Index starts = 0;                              // the next one in starts_ that may follow a call of this lane
    std::vector<std::pair<Index, Index>> waiting;  // for calls of this lane: call, lane
  };
  /// What a call may need of another one, from all that it has completed: in the order of calls, so that a replay reads
  /// memory in sequence.
  struct Source {
    enum What : std::uint8_t {
      entry,       // of `call`
      rendezvous,  // of `call`, unless the sender no longer needs it (needs_both)
      sender,      // nothing; but the call's `completion` depends on whether the sender still needs the receiver
      completion,  // of `call`, if one of the messages still needs its receiver
      part,        // of an operation, whose number is in `call`
    };
    std::int64_t recorded = 0;  // when `call` began
    Index call = none;
    Index lane = none;  // of `call`
    Index site = none;  // where the message is sent
    What what{};
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
  void add_sources(Index node);
  void add_source(Index node, Source::What what, Index call, const Link* link);
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
    return state.starts < starts_.size() && starts_[state.starts].first == node;
  }

  const Graph& graph_;
  const Waits& waits_;
  std::vector<Index> begun_at_;    // of a call: [first, last) in begun_
  std::vector<Index> begun_;       // operations
  std::vector<Index> sources_at_;  // of a call: [first, last) in sources_
  std::vector<Source> sources_;
  std::vector<std::int64_t> last_of_;            // entry of an operation's last part, as recorded
  std::vector<Index> root_of_;                   // the root's call
  std::vector<std::pair<Index, Index>> starts_;  // sorted: a call, and the lane of a thread that begins after it
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
