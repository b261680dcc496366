// SPDX-License-Identifier: BSD-3-Clause
// roster.cc - putting rosters together, and as bytes

#include "job/roster.hpp"

#include <algorithm>

#include "formats/ranks.hpp"
#include "job/bytes.hpp"

namespace cairn::engine {

RankRanges joined(RankRanges ranges) {
  std::ranges::sort(ranges, {}, &RankRange::first);
  RankRanges out;
  for (const RankRange& range : ranges)
    if (!out.empty() && out.back().last + 1 >= range.first) out.back().last = std::max(out.back().last, range.last);
    else out.push_back(range);
  return out;
}

void Roster::add(const Roster& other) {
  const auto add_all = [](auto& all, const auto& more) {
    for (const auto& [name, ranges] : more) {
      RankRanges& mine = all[name];
      mine.insert(mine.end(), ranges.begin(), ranges.end());
      mine = joined(std::move(mine));
    }
  };
  add_all(stacks_, other.stacks_);
  add_all(nodes_, other.nodes_);
}

std::string Roster::to_bytes() const {
  std::string out;
  put(out, static_cast<std::uint32_t>(stacks_.size()));
  for (const auto& [instances, ranges] : stacks_) {
    put(out, static_cast<std::uint32_t>(instances.size()));
    for (const InstanceName& instance : instances) {
      put(out, instance.tool);
      put(out, instance.number);
    }
    put(out, ranges);
  }
  put(out, static_cast<std::uint32_t>(nodes_.size()));
  for (const auto& [node, ranges] : nodes_) {
    put(out, node);
    put(out, ranges);
  }
  return out;
}

Roster Roster::from_bytes(std::string_view bytes) {
  Roster roster;
  Bytes in(bytes);
  for (std::uint32_t left = in.number(); left != 0; --left) {
    Instances instances(in.number());
    for (InstanceName& instance : instances) {
      instance.tool = in.text();
      instance.number = in.number();
    }
    roster.stacks_[instances] = in.ranges();
  }
  for (std::uint32_t left = in.number(); left != 0; --left) {
    const std::string node = in.text();
    roster.nodes_[node] = in.ranges();
  }
  return roster;
}

Instances Roster::instances() const {
  std::vector<const std::pair<const Instances, RankRanges>*> by_rank;
  for (const auto& stack : stacks_) by_rank.push_back(&stack);
  std::ranges::sort(by_rank, {}, [](const auto* stack) { return stack->second.front().first; });
  Instances all;
  for (const auto* stack : by_rank)
    for (const InstanceName& instance : stack->first)
      if (std::ranges::find(all, instance) == all.end()) all.push_back(instance);
  return all;
}

RankRanges Roster::ranks_with(const InstanceName& instance) const {
  RankRanges all;
  for (const auto& [instances, ranges] : stacks_)
    if (std::ranges::find(instances, instance) != instances.end()) all.insert(all.end(), ranges.begin(), ranges.end());
  return joined(std::move(all));
}

RankRanges Roster::ranks() const {
  RankRanges all;
  for (const auto& [instances, ranges] : stacks_) all.insert(all.end(), ranges.begin(), ranges.end());
  return joined(std::move(all));
}

RankRanges others(const RankRanges& ranges, int size) {
  RankRanges out;
  int next = 0;
  for (const RankRange& range : ranges) {
    if (range.first > next) out.push_back({next, range.first - 1});
    next = range.last + 1;
  }
  if (next < size) out.push_back({next, size - 1});
  return out;
}

/// The same as what is neither among `some` nor outside of `all`.
RankRanges without(const RankRanges& all, const RankRanges& some, int size) {
  RankRanges left = others(all, size);
  left.insert(left.end(), some.begin(), some.end());
  return others(joined(std::move(left)), size);
}

void append(RankRanges& ranges, int rank) {
  if (!ranges.empty() && ranges.back().last + 1 == rank) ranges.back().last = rank;
  else ranges.push_back({rank, rank});
}

int count(const RankRanges& ranges) {
  int all = 0;
  for (const RankRange& range : ranges) all += range.last - range.first + 1;
  return all;
}

std::vector<int> list(const RankRanges& ranges) {
  std::vector<int> all;
  for (const RankRange& range : ranges)
    for (int rank = range.first; rank <= range.last; ++rank) all.push_back(rank);
  return all;
}

std::string ranks_text(const RankRanges& ranges) { return formats::ranks_text(list(ranges)); }

}  // namespace cairn::engine
