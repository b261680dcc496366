// SPDX-License-Identifier: BSD-3-Clause
// walk.cc - ranks in the order of a walk from partner to partner, which keeps the branches of a tree together

#include <algorithm>

#include "placement/starts.hpp"

namespace cairn::placement {

namespace {

/// Depth first, from ranks with few partners; the heaviest partner next.
class Walk {
 public:
  explicit Walk(const Traffic& traffic) : traffic_(traffic), mapping_(static_cast<std::size_t>(traffic.ranks()), -1) {
    std::vector<int> order(mapping_.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = static_cast<int>(i);
    std::ranges::stable_sort(order, {}, [&](int rank) { return traffic_.partners(rank).size(); });
    for (const int rank : order) go_from(rank);
  }
  Mapping take() { return std::move(mapping_); }

 private:
  void go_from(int first) {
    std::vector<int> waiting = {first};
    while (!waiting.empty()) {
      const int rank = waiting.back();
      waiting.pop_back();
      int& slot = mapping_[static_cast<std::size_t>(rank)];
      if (slot >= 0) continue;
      slot = next_++;
      std::vector<Partner> partners(traffic_.partners(rank).begin(), traffic_.partners(rank).end());
      std::ranges::stable_sort(partners, {}, &Partner::amount);
      for (const Partner& partner : partners)
        if (mapping_[static_cast<std::size_t>(partner.rank)] < 0) waiting.push_back(partner.rank);
    }
  }

  const Traffic& traffic_;
  Mapping mapping_;
  int next_ = 0;
};

}  // namespace

Mapping along_a_walk(const Traffic& traffic) { return Walk(traffic).take(); }

}  // namespace cairn::placement
