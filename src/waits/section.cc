// SPDX-License-Identifier: BSD-3-Clause
// section.cc - what lies on both sides of a section's end is in both sections

#include "waits/section.hpp"

#include <algorithm>

namespace cairn::waits {

Index Gathered::add(std::uint32_t thread, const Call& call) {
  std::vector<Call>& all = calls(thread);
  places_.emplace_back(thread, static_cast<Index>(all.size()));
  all.push_back(call);
  return static_cast<Index>(places_.size() - 1);
}

std::vector<Call>& Gathered::calls(std::uint32_t thread) {
  if (threads_.size() <= thread) threads_.resize(thread + 1);
  return threads_[thread].calls;
}

namespace {

constexpr auto gone = static_cast<std::size_t>(-1);

std::vector<bool> marked(const std::vector<std::size_t>& places, std::size_t size) {
  std::vector<bool> is_marked(size);
  for (const std::size_t place : places)
    if (place < size) is_marked[place] = true;
  return is_marked;
}

}  // namespace

/// Places in the section by thread, and new numbers of what stays.
void Gathered::number(RankRecords& section, const std::vector<std::size_t>& kept) {
  std::vector<Index> stands(threads_.size(), none);
  std::vector<std::pair<std::uint32_t, Index>> places;
  Index first = 0;
  for (std::uint32_t thread = 0; thread < threads_.size(); ++thread) {
    const auto count = static_cast<Index>(kept[thread]);
    const Index closing = count == 0 ? 0 : 1;
    section.threads.push_back({first, count + closing, threads_[thread].begins_earlier, threads_[thread].id});
    first += count + closing;
    if (count == 0) continue;
    stands[thread] = static_cast<Index>(places.size());
    places.emplace_back(thread, 0);
  }
  into_.assign(places_.size(), none);
  after_.assign(places_.size(), none);
  for (Index number = 0; number < places_.size(); ++number) {
    const auto [thread, place] = places_[number];
    if (place < kept[thread]) {
      into_[number] = section.threads[thread].first + place;
      after_[number] = stands[thread];
    } else {
      after_[number] = static_cast<Index>(places.size());
      places.emplace_back(thread, place - static_cast<Index>(kept[thread]) + (stands[thread] == none ? 0 : 1));
    }
  }
  places_ = std::move(places);
}

void Gathered::part_calls(RankRecords& section, const std::vector<std::size_t>& kept) {
  for (std::uint32_t thread = 0; thread < threads_.size(); ++thread) {
    const auto count = static_cast<std::ptrdiff_t>(kept[thread]);
    if (count == 0) continue;
    std::vector<Call>& calls = threads_[thread].calls;
    section.calls.insert(section.calls.end(), calls.begin(), calls.begin() + count);
    const Call last = standing_for(calls[kept[thread] - 1]);
    section.calls.push_back(last);
    calls.erase(calls.begin(), calls.begin() + count - 1);
    calls.front() = last;
    threads_[thread].begins_earlier = true;
  }
}

/// Begun in the section and completed later: here without its end, and later begun by what stands for its beginning.
void Gathered::part_messages(RankRecords& section, const std::vector<std::size_t>& open) {
  const std::vector<bool> is_open = marked(open, records.messages.size());
  std::vector<Index> into(records.messages.size(), none);
  messages_after_.assign(records.messages.size(), gone);
  std::vector<MessageEnd> rest;
  for (std::size_t i = 0; i < into.size(); ++i) {
    MessageEnd& end = records.messages[i];
    const Index ended = end.end == none ? none : into_[end.end];
    if (into_[end.begin] != none) {
      into[i] = static_cast<Index>(section.messages.size());
      section.messages.push_back(end);
      section.messages.back().begin = into_[end.begin];
      section.messages.back().end = ended;
      if (end.end == none ? !is_open[i] : ended != none) continue;
    }
    messages_after_[i] = rest.size();
    renumber(end.begin);
    renumber(end.end);
    rest.push_back(end);
  }
  records.messages = std::move(rest);
  std::vector<Probe> probes;
  for (Probe& probe : records.probes) {
    const bool is_here = into_[probe.call] != none;
    if (is_here && into[probe.message] != none) section.probes.push_back({into_[probe.call], into[probe.message]});
    if (is_here || messages_after_[probe.message] == gone) continue;
    renumber(probe.call);
    probe.message = static_cast<Index>(messages_after_[probe.message]);
    probes.push_back(probe);
  }
  records.probes = std::move(probes);
}

void Gathered::part_together(RankRecords& section, const std::vector<std::size_t>& open) {
  const std::vector<bool> is_open = marked(open, records.together.size());
  together_after_.assign(records.together.size(), gone);
  std::vector<Together> rest;
  for (std::size_t i = 0; i < records.together.size(); ++i) {
    Together& part = records.together[i];
    const Index ended = part.end == none ? none : into_[part.end];
    if (into_[part.begin] != none) {
      section.together.push_back(part);
      section.together.back().begin = into_[part.begin];
      section.together.back().end = ended;
      if (part.end == none ? !is_open[i] : ended != none) continue;
      if (part.described == none) part.described = section.calls[into_[part.begin]].site;
    }
    together_after_[i] = rest.size();
    rest.push_back(part);
  }
  for (Together& part : rest) renumber(part.begin), renumber(part.end);
  records.together = std::move(rest);
}

void Gathered::part_locks(RankRecords& section) {
  std::vector<Lock> rest;
  for (Lock& lock : records.locks) {
    const bool is_here = into_[lock.begin] != none && into_[lock.end] != none && into_[lock.had] != none;
    for (Index* const call : {&lock.begin, &lock.end, &lock.had}) *call = (is_here ? into_ : after_)[*call];
    (is_here ? section.locks : rest).push_back(lock);
  }
  records.locks = std::move(rest);
}

void Gathered::part_unknown(RankRecords& section) {
  std::vector<Index> rest;
  for (const Index call : records.unknown)
    if (into_[call] != none) section.unknown.push_back(into_[call]);
    else rest.push_back(after_[call]);
  records.unknown = std::move(rest);
}

void Gathered::part_spells(RankRecords& section) {
  std::vector<Spell> rest;
  for (Spell& spell : records.spells) {
    const bool is_here = into_[spell.call] != none;
    spell.call = (is_here ? into_ : after_)[spell.call];
    (is_here ? section.spells : rest).push_back(spell);
  }
  std::ranges::stable_sort(section.spells, {}, &Spell::call);
  records.spells = std::move(rest);
}

RankRecords Gathered::take(const std::vector<std::size_t>& kept, const Open& open) {
  RankRecords section;
  for (const auto member : {&RankRecords::rank, &RankRecords::size}) section.*member = records.*member;
  section.section = records.section++;
  section.is_last = false;
  section.node = records.node;
  section.clock = records.clock;
  section.shift_ns = records.shift_ns;
  section.over = records.over;
  section.sites = records.sites;
  section.regions = records.regions;
  section.comms = records.comms;
  number(section, kept);
  part_calls(section, kept);
  part_messages(section, open.messages);
  part_together(section, open.together);
  part_locks(section);
  part_unknown(section);
  part_spells(section);
  return section;
}

RankRecords Gathered::take_all() {
  RankRecords section = std::move(records);
  std::vector<Index> first;
  for (const Thread& thread : threads_) {
    first.push_back(static_cast<Index>(section.calls.size()));
    section.threads.push_back(
        {first.back(), static_cast<Index>(thread.calls.size()), thread.begins_earlier, thread.id});
    section.calls.insert(section.calls.end(), thread.calls.begin(), thread.calls.end());
  }
  const auto renumber = [&](Index& call) {
    if (call != none) call = first[places_[call].first] + places_[call].second;
  };
  for (MessageEnd& end : section.messages) renumber(end.begin), renumber(end.end);
  for (Probe& probe : section.probes) renumber(probe.call);
  for (Together& part : section.together) renumber(part.begin), renumber(part.end);
  for (Lock& lock : section.locks) renumber(lock.begin), renumber(lock.end), renumber(lock.had);
  for (Index& call : section.unknown) renumber(call);
  for (Spell& spell : section.spells) renumber(spell.call);
  std::ranges::stable_sort(section.spells, {}, &Spell::call);
  return section;
}

}  // namespace cairn::waits
