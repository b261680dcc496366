// SPDX-License-Identifier: BSD-3-Clause
// best.cc - refines several mappings and takes the best

#include "placement/best.hpp"

#include <algorithm>
#include <iterator>

#include "placement/refine.hpp"
#include "placement/starts.hpp"

namespace cairn::placement {

namespace {

/// Of equals the first: by slot, if nothing is better.
Mapping best_mapping(const Traffic& traffic, const Machine& machine, const Libraries* libraries) {
  std::vector<Mapping> starts = {by_slot(traffic.ranks()), by_node(traffic.ranks(), machine), along_a_walk(traffic)};
  std::ranges::move(tilings(traffic, machine), std::back_inserter(starts));
  if (libraries != nullptr) std::ranges::move(by_scotch(traffic, machine, *libraries), std::back_inserter(starts));
  Mapping best;
  double least = 0;
  for (Mapping& start : starts) {
    refine(traffic, machine, start);
    const double hop_bytes = hop_bytes_of(traffic, machine, start);
    if (!best.empty() && hop_bytes >= least) continue;
    least = hop_bytes;
    best = std::move(start);
  }
  return best;
}

}  // namespace

Comparison compare_mappings(const Traffic& traffic, const Machine& machine, const Libraries* libraries) {
  Comparison all;
  const auto add = [&](std::string_view name, Mapping mapping) {
    const Cost cost = cost_of(traffic, machine, mapping);
    all.mappings.push_back({name, std::move(mapping), cost});
  };
  add("cairn", best_mapping(traffic, machine, libraries));
  add("slot", by_slot(traffic.ranks()));
  add("node", by_node(traffic.ranks(), machine));
  add("random", at_random(traffic.ranks(), machine));
  return all;
}

}  // namespace cairn::placement
