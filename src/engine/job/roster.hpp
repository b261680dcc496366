// SPDX-License-Identifier: BSD-3-Clause
// roster.hpp - which ranks have which instances of tools, and which are on which node
//
// Ranks with the same stack are one line of it, whatever their number, and so are those of a node: so it stays small on
// its way through a large job.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace cairn::engine {

/// "profile #2".
struct InstanceName {
  std::string tool;
  std::uint32_t number = 1;
  auto operator<=>(const InstanceName&) const = default;
};

/// The loaded layers of a process, the outermost first.
using Instances = std::vector<InstanceName>;

struct RankRange {
  int first;
  int last;
};

/// Ascending, with gaps between them.
using RankRanges = std::vector<RankRange>;

class Roster {
 public:
  Roster() = default;
  Roster(const Instances& instances, int rank, const std::string& node = "")
      : stacks_{{instances, {{rank, rank}}}}, nodes_{{node, {{rank, rank}}}} {}

  void add(const Roster& other);
  std::string to_bytes() const;
  static Roster from_bytes(std::string_view bytes);

  /// All instances that there are, in an order that is the same on all ranks; that of the first rank where it is alike.
  Instances instances() const;
  /// Who has an instance; who has any stack at all.
  RankRanges ranks_with(const InstanceName& instance) const;
  RankRanges ranks() const;
  bool is_uniform() const { return stacks_.size() < 2; }
  const std::map<Instances, RankRanges>& stacks() const { return stacks_; }
  const std::map<std::string, RankRanges>& nodes() const { return nodes_; }

 private:
  std::map<Instances, RankRanges> stacks_;
  std::map<std::string, RankRanges> nodes_;
};

/// What of 0 to size - 1 is in none of the ranges.
RankRanges others(const RankRanges& ranges, int size);
/// What is in `all`, but not in `some`.
RankRanges without(const RankRanges& all, const RankRanges& some, int size);
/// In order, and those put together that touch.
RankRanges joined(RankRanges ranges);
/// `rank` is beyond all in `ranges`.
void append(RankRanges& ranges, int rank);
int count(const RankRanges& ranges);
std::vector<int> list(const RankRanges& ranges);
/// "0-2,5" (formats/ranks.hpp)
std::string ranks_text(const RankRanges& ranges);

}  // namespace cairn::engine
