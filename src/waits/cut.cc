// SPDX-License-Identifier: BSD-3-Clause
// cut.cc - leaving out the last calls of each thread, and what they have begun and ended

#include "waits/cut.hpp"

#include <algorithm>
#include <functional>
#include <string>

namespace cairn::waits {

std::uint64_t clock_of(const RankRecords& records) {
  return records.clock.reference != 0 ? records.clock.reference : std::hash<std::string>()(records.node);
}

void share_time(std::vector<RankRecords>& records) {
  if (records.empty()) return;
  const std::uint64_t first = clock_of(records.front());
  if (!std::ranges::all_of(records, [&](const RankRecords& one) { return clock_of(one) == first; })) return;
  for (RankRecords& one : records) one.shift_ns = 0;
}

std::int64_t end_of(const RankRecords& records) {
  return records.until == no_end ? no_end : records.until + records.shift_ns;
}

namespace {

/// Calls that are not over by then begin alone: what they wait for, and for how long, is not known.
void leave_open(RankRecords& records, std::int64_t until) {
  std::vector<bool> is_open(records.calls.size());
  for (std::size_t i = 0; i < is_open.size(); ++i) {
    Call& call = records.calls[i];
    is_open[i] = call.exit + records.shift_ns > until;
    if (is_open[i]) call.exit = call.entry;
  }
  const auto open = [&](Index& end) {
    if (end != none && is_open[end]) end = none;
  };
  for (MessageEnd& end : records.messages) open(end.end);
  for (Probe& probe : records.probes) open(probe.call);
  for (Together& part : records.together) open(part.end);
  for (Lock& lock : records.locks) open(lock.end);
}

/// Those that were not begun.
void drop_messages(RankRecords& records) {
  std::vector<Index> places(records.messages.size(), none);
  Index kept = 0;
  for (std::size_t i = 0; i < places.size(); ++i)
    if (records.messages[i].begin != none) places[i] = kept++;
  for (Probe& probe : records.probes) probe.message = places[probe.message];
  std::erase_if(records.probes, [](const Probe& probe) { return probe.call == none || probe.message == none; });
  std::erase_if(records.messages, [](const MessageEnd& end) { return end.begin == none; });
}

}  // namespace

void cut(RankRecords& records, std::int64_t until) {
  if (until == no_end) return;
  leave_open(records, until);
  std::vector<Index> places(records.calls.size(), none);
  std::vector<Call> calls;
  for (ThreadCalls& thread : records.threads) {
    const auto first = static_cast<Index>(calls.size());
    for (Index i = thread.first; i < thread.first + thread.count; ++i) {
      if (records.calls[i].entry + records.shift_ns >= until) continue;
      places[i] = static_cast<Index>(calls.size());
      calls.push_back(records.calls[i]);
    }
    const bool begins_earlier = thread.begins_earlier && thread.count != 0 && places[thread.first] != none;
    thread = {first, static_cast<Index>(calls.size()) - first, begins_earlier};
  }
  records.cut += records.calls.size() - calls.size();
  records.calls = std::move(calls);
  const auto renumber = [&](Index& call) {
    if (call != none) call = places[call];
  };
  for (MessageEnd& end : records.messages) renumber(end.begin), renumber(end.end);
  for (Probe& probe : records.probes) renumber(probe.call);
  for (Together& part : records.together) renumber(part.begin), renumber(part.end);
  for (Lock& lock : records.locks) renumber(lock.begin), renumber(lock.end), renumber(lock.had);
  for (Index& one : records.unknown) renumber(one);
  for (Spell& spell : records.spells) renumber(spell.call);
  for (Sample& sample : records.samples) renumber(sample.call);
  drop_messages(records);
  std::erase_if(records.together, [](const Together& part) { return part.begin == none; });
  std::erase_if(records.locks, [](const Lock& lock) { return lock.end == none || lock.had == none; });
  std::erase(records.unknown, none);
  std::erase_if(records.spells, [](const Spell& spell) { return spell.call == none; });
  std::erase_if(records.samples, [](const Sample& sample) { return sample.call == none; });
}

std::int64_t common_end(const std::vector<RankRecords>& records) {
  std::int64_t until = no_end;
  for (const RankRecords& one : records) until = std::min(until, end_of(one));
  return until;
}

void cut_alike(std::vector<RankRecords>& records) {
  const std::int64_t until = common_end(records);
  for (RankRecords& one : records) cut(one, until);
}

std::vector<int> ranks_without(const std::vector<RankRecords>& records) {
  std::vector<bool> is_there;
  for (const RankRecords& one : records) {
    is_there.resize(std::max(is_there.size(), static_cast<std::size_t>(std::max(one.size, one.rank + 1))));
    is_there[static_cast<std::size_t>(one.rank)] = !one.calls.empty() || one.cut != 0;
  }
  std::vector<int> without;
  for (std::size_t rank = 0; rank < is_there.size(); ++rank)
    if (!is_there[rank]) without.push_back(static_cast<int>(rank));
  return without;
}

}  // namespace cairn::waits
