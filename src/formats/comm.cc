// SPDX-License-Identifier: BSD-3-Clause
// comm.cc - writing comm.json, and putting results of several ranks together

#include "formats/comm.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <tuple>

#include "formats/field_writer.hpp"
#include "formats/ranks.hpp"

namespace cairn::formats::comm {

std::string file_text(const Summary& summary) { return formats::file_text(summary, 1); }

void Volume::add(const Volume& other) {
  messages += other.messages;
  if (__builtin_add_overflow(bytes, other.bytes, &bytes)) bytes = UINT64_MAX;
}

std::vector<int> partners(const Communicator& communicator, const Share& share) {
  std::vector<int> members = ranks_of(communicator.processes);
  const auto own = std::ranges::find(members, share.rank);
  if (!communicator.remote.empty()) return own != members.end() ? ranks_of(communicator.remote) : members;
  if (own == members.end()) return {};
  members.erase(share.reach == Reach::to_later ? members.begin() : own, own + 1);
  return members;
}

// ------------------------------------------------------------ merging

namespace {

template <class Item>
void append(std::vector<Item>& into, std::vector<Item>& from) {
  into.insert(into.end(), std::make_move_iterator(from.begin()), std::make_move_iterator(from.end()));
}

void merge_nodes(std::vector<Node>& into, std::vector<Node>& other) {
  std::map<std::string_view, std::size_t> known;
  into.reserve(into.size() + other.size());  // the keys point into it
  for (std::size_t i = 0; i < into.size(); ++i) known.emplace(into[i].name, i);
  for (Node& node : other) {
    const auto found = known.find(node.name);
    if (found != known.end()) append(into[found->second].ranks, node.ranks);
    else into.push_back(std::move(node)), known.emplace(into.back().name, into.size() - 1);
  }
}

/// Where each of the other's communicators is in the first.
std::vector<std::uint32_t> merge_communicators(std::vector<Communicator>& into, std::vector<Communicator>& other) {
  std::map<std::tuple<std::string_view, std::string_view, std::string_view>, std::uint32_t> known;
  const auto key = [](const Communicator& one) {
    return std::tuple<std::string_view, std::string_view, std::string_view>(one.processes, one.remote, one.name);
  };
  into.reserve(into.size() + other.size());  // the keys point into it
  for (std::uint32_t i = 0; i < into.size(); ++i) known.emplace(key(into[i]), i);
  std::vector<std::uint32_t> places;
  for (Communicator& one : other) {
    const auto found = known.find(key(one));
    const auto place = found != known.end() ? found->second : static_cast<std::uint32_t>(into.size());
    if (found == known.end()) into.push_back(std::move(one)), known.emplace(key(into.back()), place);
    else into[place].number = std::max(into[place].number, one.number);
    places.push_back(place);
  }
  return places;
}

void merge_phase(Phase& into, Phase& other, const std::vector<std::uint32_t>& places) {
  for (Share& share : other.shares) share.communicator = places[share.communicator];
  for (Calls& calls : other.calls) calls.communicator = places[calls.communicator];
  for (OperationCalls& calls : other.operations) calls.communicator = places[calls.communicator];
  for (std::size_t kind = 0; kind < flow_kinds; ++kind) append(into.flows[kind], other.flows[kind]);
  append(into.shares, other.shares);
  append(into.calls, other.calls);
  append(into.files, other.files);
  append(into.operations, other.operations);
}

void merge_moment(std::vector<Moment>& into, const Moment& other) {
  const auto place = std::ranges::lower_bound(into, other.number, {}, &Moment::number);
  if (place == into.end() || place->number != other.number) {
    into.insert(place, other);
    return;
  }
  place->microseconds = std::max(place->microseconds, other.microseconds);
  place->ranks += other.ranks;
  for (std::size_t kind = 0; kind < kind_sums; ++kind) place->sums[kind].add(other.sums[kind]);
}

}  // namespace

void merge(Summary& into, Summary&& other) {
  into.saturated |= other.saturated;
  into.lost |= other.lost;
  into.of_tools.add(other.of_tools);
  merge_nodes(into.nodes, other.nodes);
  const std::vector<std::uint32_t> places = merge_communicators(into.communicators, other.communicators);
  for (Phase& phase : other.phases) {
    const auto found = std::ranges::lower_bound(into.phases, phase.name, {}, &Phase::name);
    Phase& here = found != into.phases.end() && found->name == phase.name
                      ? *found
                      : *into.phases.insert(found, {phase.name, {}, {}, {}, {}});
    merge_phase(here, phase, places);
  }
  for (const Moment& moment : other.moments) merge_moment(into.moments, moment);
  // A rank may have come to its second before another came to its first.
  for (std::size_t i = 1; i < into.moments.size(); ++i)
    into.moments[i].microseconds = std::max(into.moments[i].microseconds, into.moments[i - 1].microseconds);
}

}  // namespace cairn::formats::comm
