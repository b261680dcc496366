// SPDX-License-Identifier: BSD-3-Clause
// summary.cc - merging and packing

#include "summary.hpp"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <tuple>

#include "shared/figure.hpp"

namespace comm {

void Volume::add(const Volume& other) {
  messages += other.messages;
  bytes = shared::saturating_sum(bytes, other.bytes);
}

// ------------------------------------------------------------ merging

namespace {

template <class Item>
void append(std::vector<Item>& into, std::vector<Item>& from) {
  into.insert(into.end(), std::make_move_iterator(from.begin()), std::make_move_iterator(from.end()));
}

/// Where each of the other's communicators is in the first.
std::vector<std::uint32_t> merge_communicators(std::vector<Communicator>& into, std::vector<Communicator>& other) {
  std::map<std::tuple<std::string_view, std::string_view, std::string_view>, std::uint32_t> known;
  const auto key = [](const Communicator& one) {
    return std::tuple<std::string_view, std::string_view, std::string_view>(one.members, one.remote, one.name);
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
  for (Node& node : other.nodes) {
    const auto found = std::ranges::find(into.nodes, node.name, &Node::name);
    if (found == into.nodes.end()) into.nodes.push_back(std::move(node));
    else append(found->ranks, node.ranks);
  }
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

// ------------------------------------------------------------ packing

namespace {

/// Writes members one after the other.
struct Writer {
  std::string bytes;

  void operator()(std::uint64_t number) {
    for (; number >= 128; number >>= 7U) bytes += static_cast<char>(number | 128U);
    bytes += static_cast<char>(number);
  }
  void operator()(const std::string& text) {
    (*this)(text.size());
    bytes += text;
  }
  template <class Item, class Each>
  void list(const std::vector<Item>& items, Each each) {
    (*this)(items.size());
    for (const Item& item : items) each(item);
  }
};

/// Reads what a Writer has written, in the same order.
struct Reader {
  std::string_view bytes;

  template <class Number>
  void operator()(Number& number) {
    std::uint64_t value = 0;
    for (unsigned shift = 0;; shift += 7) {
      const auto byte = static_cast<std::uint8_t>(bytes.front());
      bytes.remove_prefix(1);
      value |= std::uint64_t{byte & 127U} << shift;
      if (byte < 128) break;
    }
    number = static_cast<Number>(value);
  }
  void operator()(std::string& text) {
    std::size_t size = 0;
    (*this)(size);
    text = bytes.substr(0, size);
    bytes.remove_prefix(size);
  }
  template <class Item, class Each>
  void list(std::vector<Item>& items, Each each) {
    std::size_t size = 0;
    (*this)(size);
    items.resize(size);
    for (Item& item : items) each(item);
  }
};

/// Negative ranks are all one: outside.
template <class Archive, class Rank>
void pass_rank(Archive& archive, Rank& rank) {
  if constexpr (std::is_same_v<Archive, Writer>) {
    archive(static_cast<std::uint64_t>(rank + 1));
  } else {
    archive(rank);
    --rank;
  }
}

template <class Archive, class Enumerator>
void pass_enumerator(Archive& archive, Enumerator& value) {
  if constexpr (std::is_same_v<Archive, Writer>) archive(static_cast<std::uint64_t>(value));
  else archive(value);
}

// Each of these serves for writing and for reading.
template <class Archive, class Item>
void pass(Archive& archive, Item& volume, Volume* /*as*/) {
  archive(volume.messages);
  archive(volume.bytes);
}
template <class Archive, class List>
void pass_sizes(Archive& archive, List& sizes) {
  archive.list(sizes, [&](auto& size) {
    archive(size.first);
    archive(size.second);
  });
}
template <class Archive, class Item>
void pass(Archive& archive, Item& flow, Flow* /*as*/) {
  pass(archive, flow, static_cast<Volume*>(nullptr));
  pass_rank(archive, flow.from);
  pass_rank(archive, flow.to);
  pass_sizes(archive, flow.sizes);
}
template <class Archive, class Item>
void pass(Archive& archive, Item& share, Share* /*as*/) {
  pass(archive, share, static_cast<Volume*>(nullptr));
  archive(share.communicator);
  pass_enumerator(archive, share.reach);
  pass_rank(archive, share.rank);
  pass_sizes(archive, share.sizes);
}
template <class Archive, class Item>
void pass(Archive& archive, Item& calls, Calls* /*as*/) {
  archive(calls.communicator);
  pass_rank(archive, calls.rank);
  for (auto* const volume : {&calls.one_to_all, &calls.all_to_one, &calls.all_to_all})
    pass(archive, *volume, static_cast<Volume*>(nullptr));
}
template <class Archive, class Item>
void pass(Archive& archive, Item& files, Files* /*as*/) {
  pass_rank(archive, files.rank);
  for (auto* const volume : {&files.read, &files.written}) pass(archive, *volume, static_cast<Volume*>(nullptr));
}
template <class Archive, class Item>
void pass(Archive& archive, Item& calls, OperationCalls* /*as*/) {
  pass(archive, calls, static_cast<Volume*>(nullptr));
  archive(calls.communicator);
  pass_enumerator(archive, calls.what);
  pass_rank(archive, calls.rank);
}
template <class Archive, class Item>
void pass(Archive& archive, Item& moment, Moment* /*as*/) {
  archive(moment.number);
  archive(moment.microseconds);
  archive(moment.ranks);
  for (auto& sum : moment.sums) pass(archive, sum, static_cast<Volume*>(nullptr));
}
template <class Archive, class List>
void pass_list(Archive& archive, List& list) {
  archive.list(list, [&](auto& item) { pass(archive, item, static_cast<typename List::value_type*>(nullptr)); });
}

template <class Archive, class Whole>
void pass_all(Archive& archive, Whole& summary) {
  archive(summary.saturated);
  archive(summary.lost);
  pass(archive, summary.of_tools, static_cast<Volume*>(nullptr));
  archive.list(summary.nodes, [&](auto& node) {
    archive(node.name);
    archive.list(node.ranks, [&](auto& rank) { pass_rank(archive, rank); });
  });
  archive.list(summary.communicators, [&](auto& one) {
    archive(one.name);
    archive(one.members);
    archive(one.remote);
    archive(one.number);
  });
  archive.list(summary.phases, [&](auto& phase) {
    archive(phase.name);
    for (auto& flows : phase.flows) pass_list(archive, flows);
    pass_list(archive, phase.shares);
    pass_list(archive, phase.calls);
    pass_list(archive, phase.files);
    pass_list(archive, phase.operations);
  });
  pass_list(archive, summary.moments);
}

}  // namespace

std::string pack(const Summary& summary) {
  Writer writer;
  pass_all(writer, summary);
  return std::move(writer.bytes);
}

Summary unpack(std::string_view bytes) {
  Summary summary;
  Reader reader{bytes};
  pass_all(reader, summary);
  return summary;
}

}  // namespace comm
