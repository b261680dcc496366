// SPDX-License-Identifier: BSD-3-Clause
// clocks.cc - moments of several clocks as one time, without what cannot have been

#include <algorithm>
#include <functional>
#include <utility>

#include "waits/graph.hpp"

namespace cairn::waits {

namespace {

/// No message is received before it is sent, and between clocks nobody leaves a barrier before all have come. What is
/// so in the records is moved to a later time, with the calls after it as far as they must be, and so on: each thread
/// goes on until a call needs the entry of one that is not known yet. So each call is looked at once.
class Correction {
 public:
  Correction(Graph& graph, bool has_one_clock) : graph_(graph) {
    for (const Link& link : graph.links)
      if (link.signal == Signal::message && link.receive_end != none)
        orders_.push_back({link.send_begin, link.receive_end});
    for (const Operation& operation : graph.operations)
      if (operation.pattern == Pattern::barrier && operation.is_whole && !has_one_clock) add_barrier(operation);
  }

  void make() {
    count();
    if (graph_.counts.corrected == 0) return;
    std::ranges::sort(orders_, {}, [](const Order& order) { return std::pair(order.after, order.before); });
    lanes_.resize(graph_.lanes.size());
    for (Index lane = 0; lane < lanes_.size(); ++lane) {
      lanes_[lane].next = graph_.lanes[lane].first;
      lanes_[lane].order = static_cast<std::size_t>(
          std::ranges::lower_bound(orders_, lanes_[lane].next, {}, &Order::after) - orders_.begin());
      ready_.push_back(lane);
    }
    go_on();
    is_forced_ = true;  // what is left waits in a circle: damaged records
    for (Index lane = 0; lane < lanes_.size(); ++lane) ready_.push_back(lane);
    go_on();
  }

 private:
  /// The call `after` may not return before the call `before` has begun.
  struct Order {
    Index before;
    Index after;
  };
  struct LaneState {
    Index next = 0;
    std::size_t order = 0;                         // the first one of `next`, or of a later call
    bool is_entered = false;                       // the entry of `next` is what it is to be
    std::vector<std::pair<Index, Index>> waiting;  // a heap of those for calls of this lane: call, lane
  };

  /// All leave after the last one has come.
  void add_barrier(const Operation& operation) {
    const auto entry = [&](Index part) { return graph_.nodes[graph_.parts[part].begin].entry; };
    Index last = operation.first;
    for (Index i = operation.first; i < operation.first + operation.count; ++i)
      if (entry(i) > entry(last)) last = i;
    for (Index i = operation.first; i < operation.first + operation.count; ++i)
      if (i != last && graph_.parts[i].end != none) orders_.push_back({graph_.parts[last].begin, graph_.parts[i].end});
  }

  void count() {
    for (const Order& order : orders_) {
      const std::int64_t lack = graph_.nodes[order.before].entry - graph_.nodes[order.after].exit;
      if (lack <= 0) continue;
      ++graph_.counts.corrected;
      graph_.counts.largest_ns = std::max(graph_.counts.largest_ns, lack);
    }
  }

  void go_on() {
    while (!ready_.empty()) {
      const Index lane = ready_.back();
      ready_.pop_back();
      while (lanes_[lane].next < graph_.lanes[lane].last && advance(lane)) {
      }
    }
  }

  /// False: the call needs one that is not known, and its lane is ready again then.
  bool advance(Index lane) {
    LaneState& state = lanes_[lane];
    Node& call = graph_.nodes[state.next];
    if (!state.is_entered) enter(lane, call);
    for (; state.order < orders_.size() && orders_[state.order].after == state.next; ++state.order) {
      const Index before = orders_[state.order].before;
      if (!is_known(before) && !is_forced_) return wait(lane, before);
      if (is_known(before)) call.exit = std::max(call.exit, graph_.nodes[before].entry);
    }
    state.is_entered = false;
    ++state.next;
    return true;
  }

  /// As late as the call before makes it: work between calls takes up what it can.
  void enter(Index lane, Node& call) {
    LaneState& state = lanes_[lane];
    if (state.next != graph_.lanes[lane].first) {
      const std::int64_t more = std::max<std::int64_t>(0, graph_.nodes[state.next - 1].exit - call.entry);
      call.entry += more;
      call.exit += more;
    }
    state.is_entered = true;
    auto& waiting = state.waiting;
    while (!waiting.empty() && waiting.front().first <= state.next) {
      ready_.push_back(waiting.front().second);
      std::ranges::pop_heap(waiting, std::greater{});
      waiting.pop_back();
    }
  }

  bool is_known(Index call) const {
    const LaneState& lane = lanes_[graph_.nodes[call].lane];
    return call < lane.next || (call == lane.next && lane.is_entered);
  }
  bool wait(Index lane, Index before) {
    auto& waiting = lanes_[graph_.nodes[before].lane].waiting;
    waiting.emplace_back(before, lane);
    std::ranges::push_heap(waiting, std::greater{});
    return false;
  }

  Graph& graph_;
  std::vector<Order> orders_;
  std::vector<LaneState> lanes_;
  std::vector<Index> ready_;
  bool is_forced_ = false;
};

}  // namespace

void Graph::correct_clocks() { Correction(*this, has_one_clock_).make(); }

}  // namespace cairn::waits
