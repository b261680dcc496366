// SPDX-License-Identifier: BSD-3-Clause
// cut.cc - leaving out the last calls of each thread, and what they have begun

#include "waits/cut.hpp"

#include <algorithm>

namespace cairn::waits {

std::int64_t end_of(const RankRecords& records) {
  return records.until == no_end ? no_end : records.until + records.shift_ns;
}

void cut(RankRecords& records, std::int64_t until) {
  if (until == no_end) return;
  std::vector<Index> places(records.calls.size(), none);
  std::vector<Call> calls;
  for (ThreadCalls& thread : records.threads) {
    const auto first = static_cast<Index>(calls.size());
    for (Index i = thread.first; i < thread.first + thread.count; ++i) {
      if (records.calls[i].entry + records.shift_ns >= until) continue;
      places[i] = static_cast<Index>(calls.size());
      calls.push_back(records.calls[i]);
    }
    thread = {first, static_cast<Index>(calls.size()) - first};
  }
  if (calls.size() == records.calls.size()) return;
  records.cut += records.calls.size() - calls.size();
  records.calls = std::move(calls);
  const auto renumber = [&](Index& call) {
    if (call != none) call = places[call];
  };
  for (MessageEnd& end : records.messages) renumber(end.begin), renumber(end.end);
  for (Together& part : records.together) renumber(part.begin), renumber(part.end);
  for (Lock& lock : records.locks) renumber(lock.begin), renumber(lock.end), renumber(lock.had);
  for (Spell& spell : records.spells) renumber(spell.call);
  for (Sample& sample : records.samples) renumber(sample.call);
  std::erase_if(records.messages, [](const MessageEnd& end) { return end.begin == none; });
  std::erase_if(records.together, [](const Together& part) { return part.begin == none; });
  std::erase_if(records.locks, [](const Lock& lock) { return lock.end == none || lock.had == none; });
  std::erase_if(records.spells, [](const Spell& spell) { return spell.call == none; });
  std::erase_if(records.samples, [](const Sample& sample) { return sample.call == none; });
}

void cut_alike(std::vector<RankRecords>& records) {
  std::int64_t until = no_end;
  for (const RankRecords& one : records) until = std::min(until, end_of(one));
  for (RankRecords& one : records) cut(one, until);
}

}  // namespace cairn::waits
