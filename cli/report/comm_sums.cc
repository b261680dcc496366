// SPDX-License-Identifier: BSD-3-Clause
// comm_sums.cc - adding up who sent how much to whom

#include "cli/report/comm_sums.hpp"

#include <algorithm>
#include <numeric>

namespace cairn::report::comm {

namespace {

constexpr double most_pairs = 1e6;  // beyond that, shares are shown per communicator only

std::vector<int> each_alone(const Data& data) {
  std::vector<int> groups(static_cast<std::size_t>(data.ranks));
  std::iota(groups.begin(), groups.end(), 0);
  return groups;
}

}  // namespace

bool tells_shared_pairs(const Data& data) {
  double pairs = 0;
  for (const Phase& phase : data.phases) pairs += shared_pairs(data, phase);
  return pairs <= most_pairs;
}

Pairs pairs_of(const Data& data, bool with_shares) {
  Pairs pairs;
  const std::vector<int> alone = each_alone(data);
  for (Phase phase : data.phases) {
    if (!with_shares) phase.shares.clear();
    for (int kind = 0; kind < kinds; ++kind)
      for_each_flow(data, phase, static_cast<Kind>(kind), alone, data.ranks,
                    [&](int from, int to, const Volume& volume) {
                      pairs[{from, to}][static_cast<std::size_t>(kind)].add(volume);
                    });
  }
  return pairs;
}

Volume total_of(const Sums& sums) {
  Volume total;
  for (const Volume& sum : sums) total.add(sum);
  return total;
}

Volume total_of(const formats::comm::KindSums& sums) {
  Volume total;
  for (const formats::comm::Volume& sum : sums) total.add(sum);
  return total;
}

Volume total_of(const std::vector<Flow>& flows) {
  Volume total;
  for (const Flow& flow : flows) total.add(flow);
  return total;
}

Whole whole_of(const Data& data) {
  Whole whole;
  whole.sent.resize(static_cast<std::size_t>(data.ranks));
  whole.received.resize(whole.sent.size());
  const auto unknown = static_cast<int>(data.nodes.size());
  std::vector<int> nodes = data.node_of;
  std::ranges::replace(nodes, Data::unknown_node, unknown);
  for (const Phase& phase : data.phases) {
    Sums& sums = whole.by_phase.emplace_back();
    for (std::size_t i = 0; i < kinds; ++i) {
      const auto kind = static_cast<Kind>(i);
      for_each_flow(data, phase, kind, nodes, unknown + 1, [&](int from, int to, const Volume& volume) {
        sums[i].add(volume);
        const bool is_known = from != unknown && to != unknown;
        (!is_known ? whole.unknown_nodes : from == to ? whole.within_nodes : whole.between_nodes).add(volume);
      });
      add_by_rank(data, phase, kind, whole.sent, whole.received);
      whole.sums[i].add(sums[i]);
    }
  }
  return whole;
}

}  // namespace cairn::report::comm
