// SPDX-License-Identifier: BSD-3-Clause
// replay.cc - each thread goes on until it needs what another one has not come to

#include "waits/replay.hpp"

#include <algorithm>
#include <functional>

namespace cairn::waits {

Replay::Replay(const Dependencies& dependencies)
    : dependencies_(dependencies), graph_(dependencies.graph()), waits_(dependencies.waits()) {}

std::int64_t Replay::run(const Change& change) {
  change_ = &change;
  forced_ = 0;
  lanes_.assign(graph_.lanes.size(), {});
  entry_.assign(graph_.nodes.size(), 0);
  arrived_.assign(graph_.operations.size(), 0);
  latest_.assign(graph_.operations.size(), INT64_MIN);
  waiting_.assign(graph_.operations.size(), {});
  ready_.clear();
  stopped_.clear();
  is_forcing_ = false;
  const auto& starts = dependencies_.starts();
  for (Index lane = 0; lane < lanes_.size(); ++lane) {
    LaneState& state = lanes_[lane];
    state.next = graph_.lanes[lane].first;
    state.has_begun = graph_.lanes[lane].after == none;
    if (state.has_begun) ready_.push_back(lane);
    if (!starts.empty())
      state.starts =
          static_cast<Index>(std::ranges::lower_bound(starts, std::pair{state.next, Index{0}}) - starts.begin());
  }
  while (true) {
    while (!ready_.empty()) {
      const Index lane = ready_.back();
      ready_.pop_back();
      while (lanes_[lane].next < graph_.lanes[lane].last && advance(lane)) {
      }
    }
    if (!force_one()) break;
  }
  end_ = graph_.begin_ns;
  for (const Lane& lane : graph_.lanes)
    if (lane.is_main) end_ = std::max(end_, entry_[lane.last - 1]);
  return end_ - graph_.begin_ns;
}

std::int64_t Replay::call_ns(Index node) const {
  const Lane& lane = graph_.lanes[graph_.nodes[node].lane];
  if (node + 1 == lane.last) return lane.is_whole ? end_ - entry_[node] : 0;
  const std::int64_t work = std::max<std::int64_t>(0, graph_.nodes[node + 1].entry - graph_.nodes[node].exit);
  return std::max<std::int64_t>(0, entry_[node + 1] - work - entry_[node]);
}

/// The one that is furthest behind goes on without what it needs. False: all are at their end.
bool Replay::force_one() {
  if (!is_forcing_)
    for (Index lane = 0; lane < lanes_.size(); ++lane) stop(lane);
  is_forcing_ = true;
  while (!stopped_.empty()) {
    const Stopped behind = stopped_.front();
    std::ranges::pop_heap(stopped_, std::greater{});
    stopped_.pop_back();
    if (lanes_[behind.lane].next != behind.node) continue;  // it has gone on since
    is_forced_ = true;
    ++forced_;
    ready_.push_back(behind.lane);
    return true;
  }
  return false;
}

void Replay::stop(Index lane) {
  const Index node = lanes_[lane].next;
  if (node == graph_.lanes[lane].last || !lanes_[lane].has_begun) return;
  stopped_.push_back({entry_[node], node, lane});
  std::ranges::push_heap(stopped_, std::greater{});
}

void Replay::wake_waiting(Index lane) {
  auto& waiting = lanes_[lane].waiting;
  while (!waiting.empty() && is_known(waiting.front().first, lane)) {
    ready_.push_back(waiting.front().second);
    std::ranges::pop_heap(waiting, std::greater{});
    waiting.pop_back();
  }
}

/// Those that have begun when this call was over.
void Replay::start_threads(LaneState& state, Index node) {
  for (; starts_thread(state, node); ++state.starts) {
    const Index lane = dependencies_.starts()[state.starts].second;
    lanes_[lane].has_begun = true;
    lanes_[lane].now = state.now;
    ready_.push_back(lane);
  }
}

void Replay::reach(Index lane, Index node) {
  LaneState& state = lanes_[lane];
  const Node& call = graph_.nodes[node];
  std::int64_t& entry = entry_[node];
  const Lane& of = graph_.lanes[lane];
  const Index before = node == of.first ? of.after : node - 1;
  if (before == none) {
    entry = call.entry;
  } else {
    const std::int64_t work = std::max<std::int64_t>(0, call.entry - graph_.nodes[before].exit);
    entry = state.now + (change_->work ? change_->work(node, work) : work);
  }
  state.is_reached = true;
  for (const Index operation : dependencies_.begun(node)) {
    latest_[operation] = std::max(latest_[operation], entry);
    if (++arrived_[operation] < graph_.operations[operation].count) continue;
    for (const Index waiting : waiting_[operation]) ready_.push_back(waiting);
    waiting_[operation].clear();
  }
  wake(lane);
}

void Replay::need_entry(Need& need, Index lane, const Source& source) {
  if (is_known(source.call, source.lane)) {
    need.recorded = std::max(need.recorded, source.recorded);
    need.now = std::max(need.now, entry_[source.call]);
  } else if (!is_forced_ && !need.is_open) {
    need.is_open = true;
    auto& waiting = lanes_[source.lane].waiting;
    waiting.emplace_back(source.call, lane);
    std::ranges::push_heap(waiting, std::greater{});
  }
}

void Replay::need_call(Need& need, Index lane, Index node, Index call) {
  const Node& of = graph_.nodes[call];
  if (of.entry > graph_.nodes[node].exit) return;  // it was not waited for
  need_entry(need, lane, {of.entry, call, of.lane, none, Source::entry});
}

void Replay::need_part(Need& need, Index lane, Index node, Index part) {
  const Index number = graph_.operation_of[part];
  const Operation& operation = graph_.operations[number];
  if (change_->is_free && change_->is_free(operation)) return;
  const bool waits_for_all = operation.pattern != Pattern::one_to_n && operation.pattern != Pattern::n_to_one;
  if (operation.pattern == Pattern::neighbors) {
    const std::vector<int>* const sources = graph_.sources(operation.comm, graph_.parts[part].rank);
    for (std::size_t i = 0; sources != nullptr && i < sources->size(); ++i)
      if (const Index other = graph_.part_of(operation, (*sources)[i]); other != none)
        need_call(need, lane, node, graph_.parts[other].begin);
  } else if (operation.pattern == Pattern::scan) {
    if (const Index wait = waits_.at[node]; wait != none) need_call(need, lane, node, waits_.all[wait].culprit);
  } else if (operation.pattern == Pattern::one_to_n) {
    if (const Index root = dependencies_.root_of(number); root != none && root != graph_.parts[part].begin)
      need_call(need, lane, node, root);
  } else if (waits_for_all || graph_.parts[part].rank == operation.root) {
    const std::int64_t last = dependencies_.last_of(number);
    if (last > graph_.nodes[node].exit) return;
    if (arrived_[number] == operation.count || is_forced_) {
      need.recorded = std::max(need.recorded, last);
      need.now = std::max(need.now, latest_[number]);
    } else if (!need.is_open) {
      need.is_open = true;
      waiting_[number].push_back(lane);
    }
  }
}

/// What it has waited for, and need not now.
Replay::Need Replay::past_need(Index node) const {
  Need need;
  if (const Index wait = waits_.at[node]; wait != none) need.recorded = waits_.all[wait].until;
  return need;
}

Replay::Need Replay::need_of(Index lane, Index node) {
  Need need;
  bool needs_other = false;
  for (const Source& source : dependencies_.sources(node)) {
    switch (source.what) {
      case Source::entry:
        need_entry(need, lane, source);
        break;
      case Source::rendezvous:
        if (needs_both(source)) need_entry(need, lane, source);
        else note_wait(need, source);
        break;
      case Source::sender:
        needs_other = needs_other || needs_both(source);
        break;
      case Source::completion:
        if (needs_other) need_entry(need, lane, source);
        else note_wait(need, source);
        break;
      case Source::part:
        need_part(need, lane, node, source.call);
        break;
    }
  }
  return need;
}

/// False: it needs something that is not known, and is woken then.
bool Replay::advance(Index lane) {
  LaneState& state = lanes_[lane];
  const Index node = state.next;
  if (!state.is_reached) reach(lane, node);
  const bool needs_nobody = graph_.ended_at[node] == graph_.ended_at[node + 1];
  const Need need = needs_nobody ? Need{} : waits_nowhere(node) ? past_need(node) : need_of(lane, node);
  if (need.is_open) {
    if (is_forcing_) stop(lane);
    return false;
  }
  is_forced_ = false;
  const Node& call = graph_.nodes[node];
  const std::int64_t own = call.exit - std::max(call.entry, need.recorded);
  const std::int64_t begin = std::max(entry_[node], need.now);
  const bool may_change = change_->transfer && !graph_.is_earlier(node) && !waits_.is_unknown[node];
  state.now = begin + (may_change ? change_->transfer(node, own) : own);
  state.is_reached = false;
  if (starts_thread(state, node)) start_threads(state, node);
  ++state.next;
  wake(lane);
  return true;
}

}  // namespace cairn::waits
