// SPDX-License-Identifier: BSD-3-Clause
// gaps.cc - ranks without Cairn, without a tool that others have, and tools that no rank could load

#include "job/gaps.hpp"

#include <algorithm>

namespace cairn::engine {

Gaps::Gaps(const Roster& roster, const Instances& wanted, int size) {
  const RankRanges ranks = roster.ranks();
  const Instances loaded = roster.instances();
  gaps_.push_back({{}, others(ranks, size), false, ""});
  for (const InstanceName& instance : loaded)
    gaps_.push_back({instance, without(ranks, roster.ranks_with(instance), size), false, ""});
  for (const InstanceName& instance : wanted)
    if (std::ranges::find(loaded, instance) == loaded.end()) gaps_.push_back({instance, ranks, true, ""});
  std::erase_if(gaps_, [](const Gap& gap) { return gap.ranks.empty(); });
  for (Gap& gap : gaps_) {
    gap.text = ranks_text(gap.ranks);
    shown_.push_back({gap.instance.tool.empty() ? nullptr : gap.instance.tool.c_str(), gap.instance.number,
                      gap.text.c_str(), count(gap.ranks) > 1 ? 1 : 0, gap.everywhere ? 1 : 0});
  }
}

}  // namespace cairn::engine
