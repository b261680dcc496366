// SPDX-License-Identifier: BSD-3-Clause
// sums.cc - a summary's sums by pair and by kind

#include <algorithm>

#include "summary.hpp"

namespace comm {

namespace {

void add_sizes(Sizes& into, const Sizes& other) {
  for (const auto& [bin, messages] : other) {
    const auto place = std::ranges::lower_bound(into, bin, {}, &SizeBin::bin);
    if (place != into.end() && place->bin == bin) place->messages += messages;
    else into.insert(place, {bin, messages});
  }
}

}  // namespace

std::vector<Flow> over_phases(const Summary& summary, FlowKind kind) {
  std::vector<Flow> all;
  for (const Phase& phase : summary.phases) all.insert(all.end(), phase.flows[kind].begin(), phase.flows[kind].end());
  const auto pair = [](const Flow& flow) { return std::pair(flow.from, flow.to); };
  std::ranges::sort(all, {}, pair);
  std::vector<Flow> once;
  for (Flow& flow : all) {
    if (once.empty() || pair(once.back()) != pair(flow)) {
      once.push_back(std::move(flow));
      continue;
    }
    once.back().add(flow);
    add_sizes(once.back().sizes, flow.sizes);
  }
  return once;
}

std::map<int, Volume> row_of(const Summary& summary, FlowKind kind) {
  std::map<int, Volume> row;
  for (const Phase& phase : summary.phases) {
    for (const Flow& flow : phase.flows[kind])
      if (kind == fetched) row[flow.from].add(flow);
      else if (flow.to != summary.rank) row[flow.to].add(flow);  // that is what the other gave
    for (const Share& share : phase.shares)
      if (kind == coll && share.reach != Reach::from_all)
        for (const int to : partners(summary.communicators[share.communicator], share)) row[to].add(share);
  }
  return row;
}

// ------------------------------------------------------------ sums

namespace {

Volume sum_of(const Summary& summary, FlowKind kind) {
  Volume sum;
  for (const Phase& phase : summary.phases)
    for (const Flow& flow : phase.flows[kind]) sum.add(flow);
  return sum;
}

std::uint64_t partner_count(const Summary& summary, const Share& share, std::map<std::uint32_t, std::uint64_t>& sizes) {
  const Communicator& one = summary.communicators[share.communicator];
  if (share.reach != Reach::to_all || !one.remote.empty()) return partners(one, share).size();
  const auto [known, is_new] = sizes.try_emplace(share.communicator, 0);
  if (is_new) known->second = ranks_of(one.processes).size() - 1;
  return known->second;
}

/// Parts of collective calls, the shared ones for all their partners.
Volume collective_sum(const Summary& summary) {
  Volume sum = sum_of(summary, coll);
  std::map<std::uint32_t, std::uint64_t> sizes;
  for (const Phase& phase : summary.phases)
    for (const Share& share : phase.shares) {
      const std::uint64_t count = partner_count(summary, share, sizes);
      std::uint64_t bytes = 0;
      if (__builtin_mul_overflow(share.bytes, count, &bytes)) bytes = UINT64_MAX;
      sum.add({share.messages * count, bytes});
    }
  return sum;
}

}  // namespace

KindSums sums_by_kind(const Summary& summary) {
  Volume one_sided = sum_of(summary, put);
  one_sided.add(sum_of(summary, fetched));
  return {sum_of(summary, p2p), one_sided, collective_sum(summary)};
}

}  // namespace comm
