// SPDX-License-Identifier: BSD-3-Clause
// replay.cc - straight through all calls, in an order in which what a call needs is known

#include "waits/replay.hpp"

#include <algorithm>
#include <cmath>

namespace cairn::waits {

namespace {

constexpr std::int64_t not_yet = INT64_MIN;

/// The same part of what is now as of what was.
std::int64_t part_of(std::int64_t part, std::int64_t now, std::int64_t was) {
  if (part == was) return now;
  return was <= 0 ? part
                  : std::llround(static_cast<double>(part) * static_cast<double>(now) / static_cast<double>(was));
}

}  // namespace

Replay::Replay(const Dependencies& dependencies)
    : dependencies_(dependencies), graph_(dependencies.graph()), waits_(dependencies.waits()) {
  for (const Join& join : graph_.joins) ends_.emplace(join.last, not_yet);
}

std::int64_t Replay::run(const Change& change) {
  change_ = &change;
  entry_.assign(graph_.nodes.size(), not_yet);
  latest_.assign(graph_.operations.size(), not_yet);
  now_.assign(graph_.lanes.size(), 0);
  work_.assign(graph_.lanes.size(), 0);
  for (auto& [call, end] : ends_) end = not_yet;
  for (const Stretch& stretch : dependencies_.order().stretches()) go_on(stretch);
  end_ = graph_.begin_ns;
  for (const Lane& lane : graph_.lanes)
    if (lane.is_main) end_ = std::max(end_, entry_[lane.last - 1]);
  return end_ - graph_.begin_ns;
}

std::int64_t Replay::call_ns(Index node) const {
  const Lane& lane = graph_.lanes[graph_.nodes[node].lane];
  if (node + 1 == lane.last) return lane.is_whole ? end_ - entry_[node] : 0;
  if (const auto left = left_.find(node); left != left_.end()) return left->second - entry_[node];
  const std::int64_t work = work_ns(graph_.nodes[node], graph_.nodes[node + 1]);
  return std::max<std::int64_t>(0, entry_[node + 1] - work - entry_[node]);
}

void Replay::go_on(const Stretch& stretch) {
  const Lane& lane = graph_.lanes[stretch.lane];
  if (entry_[stretch.first] == not_yet) {
    const Index before = stretch.first == lane.first ? lane.after : stretch.first - 1;
    enter(stretch.first, before == none ? 0 : now_[graph_.nodes[before].lane]);
  }
  std::int64_t now = now_[stretch.lane];
  for (Index node = stretch.first; node < stretch.last; ++node) {
    now = end_of(node);
    if (!ends_.empty())
      if (const auto end = ends_.find(node); end != ends_.end()) end->second = now;
    if (node + 1 == lane.last) continue;
    if (node + 1 == stretch.last && !graph_.joined(node + 1).empty())
      left_[node] = now;  // entered with the next stretch
    else enter(node + 1, now);
  }
  now_[stretch.lane] = now;
}

/// After the call before, if there is one, which is over now; and after the ends of the threads that were waited for.
void Replay::enter(Index node, std::int64_t now) {
  std::int64_t& entry = entry_[node];
  entry = graph_.nodes[node].entry;
  if (graph_.previous(node) != none) {
    const std::int64_t work = graph_.work_before_ns(node);
    std::int64_t rest = work;
    for (const Join& join : graph_.joined(node)) {
      now = std::max(now, ends_.at(join.last));
      rest = work_ns(graph_.nodes[join.last], graph_.nodes[node]);
    }
    const std::int64_t works = change_->work ? part_of(rest, change_->work(node, work), work) : rest;
    entry = now + works;
    work_[graph_.nodes[node].lane] += works;
  }
  for (const Index operation : dependencies_.begun(node)) latest_[operation] = std::max(latest_[operation], entry);
}

std::int64_t Replay::end_of(Index node) const {
  const Need need = need_of(node);
  const Node& call = graph_.nodes[node];
  const std::int64_t own = call.exit - std::max(call.entry, need.recorded);
  const std::int64_t work = moved_before(node);
  const std::int64_t begin = std::max(entry_[node] - work, need.now);
  const bool may_change = change_->transfer && !graph_.is_earlier(node) && !waits_.is_unknown[node];
  return begin + (may_change ? change_->transfer(node, own) : own) + work;
}

void Replay::add_entry(Need& need, Index call, std::int64_t recorded) const {
  if (const std::int64_t entry = entry_[call]; entry != not_yet) need.add(recorded, entry);
}

/// Of the other side of a message: that may have been moved before the work.
void Replay::add_partner(Need& need, const Source& source) const {
  if (const std::int64_t entry = entry_[source.call]; entry != not_yet)
    need.add(source.recorded, entry - moved_before(source.call));
}

/// What comes later in the order, in damaged records, is not waited for.
Replay::Need Replay::need_of(Index node) const {
  Need need;
  if (!change_->without_waiting.empty() && change_->without_waiting[graph_.nodes[node].site]) {
    if (const Index wait = waits_.at[node]; wait != none) need.note(waits_.all[wait].until);
    return need;
  }
  const auto take = [&](const Source& source, bool is_needed) {
    if (is_needed) add_partner(need, source);
    else need.note(source.recorded);
  };
  bool needs_other = false;
  for (const Source& source : dependencies_.sources(node)) {
    switch (source.what) {
      case Source::entry:
        take(source, true);
        break;
      case Source::rendezvous:
        take(source, needs_receiver(source));
        break;
      case Source::sender:
        needs_other = needs_other || needs_receiver(source);
        break;
      case Source::completion:
        take(source, needs_other);
        break;
      case Source::part:
        if (!is_free(node, source)) add_entry(need, source.call, source.recorded);
        break;
      case Source::all_parts:
        if (!is_free(node, source)) need.add(source.recorded, latest_[source.of]);
        break;
      case Source::neighbors:
        if (!is_free(node, source))
          dependencies_.for_all_neighbors(node, source.call,
                                          [&](Index call) { add_entry(need, call, graph_.nodes[call].entry); });
        break;
    }
  }
  return need;
}

}  // namespace cairn::waits
