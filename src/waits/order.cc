// SPDX-License-Identifier: BSD-3-Clause
// order.cc - each thread goes on until it needs what another one has not come to

#include "waits/order.hpp"

#include <algorithm>
#include <functional>
#include <utility>

#include "waits/dependencies.hpp"

namespace cairn::waits {

class Sorting {
 public:
  explicit Sorting(const Dependencies& dependencies);
  Order sorted();

 private:
  struct LaneState {
    Index next = 0;
    bool has_begun = false;                        // `next` is entered
    std::vector<std::pair<Index, Index>> waiting;  // a heap, for calls of this lane: call, lane
  };
  struct Stopped {
    std::int64_t entry;
    Index node;
    Index lane;
    auto operator<=>(const Stopped&) const = default;
  };

  void go_on(Index lane);
  void begin(Index lane);
  void enter(Index lane);
  void wake(LaneState& state);
  bool is_entered(Index call) const {
    const LaneState& lane = lanes_[graph_.nodes[call].lane];
    return call < lane.next || (lane.has_begun && call == lane.next);
  }
  Index missing(Index node, const Source& source) const;
  bool has_all(Index lane, Index node);
  bool has_joined(Index lane, Index node);
  bool force_one();
  void stop(Index lane);

  const Dependencies& dependencies_;
  const Graph& graph_;
  Order order_;
  std::vector<LaneState> lanes_;
  std::vector<std::pair<Index, Index>> starts_;  // sorted: a call, and the lane of a thread that begins after it
  std::vector<Index> arrived_;                   // by operation
  std::vector<std::vector<Index>> waiting_;      // lanes, by operation
  std::vector<Index> ready_;
  std::vector<Stopped> stopped_;  // a heap of lanes that cannot go on, since one was forced to
  bool is_forcing_ = false;
  bool is_forced_ = false;
};

Sorting::Sorting(const Dependencies& dependencies)
    : dependencies_(dependencies),
      graph_(dependencies.graph()),
      lanes_(graph_.lanes.size()),
      arrived_(graph_.operations.size()),
      waiting_(graph_.operations.size()) {
  for (Index lane = 0; lane < lanes_.size(); ++lane) {
    lanes_[lane].next = graph_.lanes[lane].first;
    if (graph_.lanes[lane].after == none) ready_.push_back(lane);
    else starts_.emplace_back(graph_.lanes[lane].after, lane);
  }
  std::ranges::sort(starts_);
}

Order Sorting::sorted() {
  do {
    while (!ready_.empty()) {
      const Index lane = ready_.back();
      ready_.pop_back();
      go_on(lane);
    }
  } while (force_one());
  return std::move(order_);
}

void Sorting::go_on(Index lane) {
  LaneState& state = lanes_[lane];
  const Index last = graph_.lanes[lane].last;
  if (!state.has_begun) {
    if (!has_joined(lane, state.next)) return;
    begin(lane);
  }
  Index first = state.next;
  while (state.next < last && has_all(lane, state.next)) {
    is_forced_ = false;
    const Index node = state.next++;
    const bool is_joining = state.next < last && !graph_.joined(state.next).empty();
    if (is_joining) wake(state);  // who waits for the end of that call
    else enter(lane);
    auto start = starts_.empty() ? starts_.end() : std::ranges::lower_bound(starts_, std::pair{node, Index{0}});
    const bool is_starting = start != starts_.end() && start->first == node;
    if (!is_joining && !is_starting) continue;
    order_.stretches_.push_back({first, state.next, lane});
    first = state.next;
    for (; start != starts_.end() && start->first == node; ++start) {
      begin(start->second);
      ready_.push_back(start->second);
    }
    if (!is_joining) continue;
    state.has_begun = false;
    if (!has_joined(lane, state.next)) return;
    begin(lane);
  }
  if (first != state.next) order_.stretches_.push_back({first, state.next, lane});
}

void Sorting::begin(Index lane) {
  lanes_[lane].has_begun = true;
  order_.stretches_.push_back({lanes_[lane].next, lanes_[lane].next, lane});
  enter(lane);
}

/// Wakes those that have waited for it.
void Sorting::enter(Index lane) {
  LaneState& state = lanes_[lane];
  if (state.next != graph_.lanes[lane].last)
    for (const Index operation : dependencies_.begun(state.next)) {
      if (++arrived_[operation] < graph_.operations[operation].count) continue;
      ready_.insert(ready_.end(), waiting_[operation].begin(), waiting_[operation].end());
      waiting_[operation].clear();
    }
  wake(state);
}

/// A call that is not entered yet may be what some of them wait for: they see that, and wait again.
void Sorting::wake(LaneState& state) {
  while (!state.waiting.empty() && state.waiting.front().first <= state.next) {
    ready_.push_back(state.waiting.front().second);
    std::ranges::pop_heap(state.waiting, std::greater{});
    state.waiting.pop_back();
  }
}

/// A call that has not come; none: nothing is missing, or not a single call.
Index Sorting::missing(Index node, const Source& source) const {
  if (source.what == Source::sender || source.what == Source::all_parts) return none;
  if (source.what != Source::neighbors) return is_entered(source.call) ? none : source.call;
  Index found = none;
  dependencies_.for_all_neighbors(node, source.call, [&](Index call) {
    if (found == none && !is_entered(call)) found = call;
  });
  return found;
}

/// False: it needs something that has not come, and is woken then.
bool Sorting::has_all(Index lane, Index node) {
  if (is_forced_) return true;
  for (const Source& source : dependencies_.sources(node)) {
    if (const Index call = missing(node, source); call != none) {
      auto& waiting = lanes_[graph_.nodes[call].lane].waiting;
      waiting.emplace_back(call, lane);
      std::ranges::push_heap(waiting, std::greater{});
    } else if (source.what == Source::all_parts && arrived_[source.of] < graph_.operations[source.of].count) {
      waiting_[source.of].push_back(lane);
    } else {
      continue;
    }
    if (is_forcing_) stop(lane);
    return false;
  }
  return true;
}

/// False: a thread whose end is waited for before the call has not come to it; the lane is woken then.
bool Sorting::has_joined(Index lane, Index node) {
  for (const Join& join : graph_.joined(node)) {
    LaneState& other = lanes_[graph_.nodes[join.last].lane];
    if (other.next > join.last) continue;
    other.waiting.emplace_back(join.last + 1, lane);
    std::ranges::push_heap(other.waiting, std::greater{});
    return false;
  }
  return true;
}

/// The one that is furthest behind goes on without what it needs. False: all are at their end.
bool Sorting::force_one() {
  if (!is_forcing_)
    for (Index lane = 0; lane < lanes_.size(); ++lane) stop(lane);
  is_forcing_ = true;
  while (!stopped_.empty()) {
    const Stopped behind = stopped_.front();
    std::ranges::pop_heap(stopped_, std::greater{});
    stopped_.pop_back();
    if (lanes_[behind.lane].next != behind.node) continue;  // it has gone on since
    is_forced_ = true;
    ++order_.forced_;
    ready_.push_back(behind.lane);
    return true;
  }
  return false;
}

void Sorting::stop(Index lane) {
  const Index node = lanes_[lane].next;
  if (node == graph_.lanes[lane].last || !lanes_[lane].has_begun) return;
  stopped_.push_back({graph_.nodes[node].entry, node, lane});
  std::ranges::push_heap(stopped_, std::greater{});
}

Order order_of(const Dependencies& dependencies) { return Sorting(dependencies).sorted(); }

}  // namespace cairn::waits
