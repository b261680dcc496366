// SPDX-License-Identifier: BSD-3-Clause
// path.cc - going back in time, to the rank that was waited for wherever somebody waits

#include "waits/path.hpp"

#include <algorithm>

namespace cairn::waits {

namespace {

Index last_call(const Graph& graph) {
  Index last = none;
  for (const Lane& lane : graph.lanes)
    if (lane.is_main && (last == none || graph.nodes[lane.last - 1].entry > graph.nodes[last].entry))
      last = lane.last - 1;
  return last;
}

}  // namespace

std::vector<PathStep> critical_path(const Graph& graph, const Waits& waits) {
  std::vector<PathStep> path;
  std::int64_t now = graph.end_ns;
  const auto add = [&](Piece piece, Index node, std::int64_t from) {
    if (from >= now) return;
    const Index region = piece.to == none ? graph.nodes[node].region : graph.nodes[node].before;
    path.push_back({piece, region, graph.rank(node), from, now});
    now = from;
  };
  std::size_t jumps = 0;        // calls may have waited for each other where all of it is at one moment
  Index at = last_call(graph);  // whose entry is reached
  while (at != none && graph.previous(at) != none) {
    const Index before = graph.last_before(at);
    add(work_before(graph, at), at, graph.nodes[before].exit);
    const Piece call{graph.nodes[before].site, none};
    const Wait* const wait = waits.at[before] == none ? nullptr : &waits.all[waits.at[before]];
    const bool goes_on = wait != nullptr && wait->until <= now && jumps < graph.nodes.size() &&
                         graph.nodes[wait->culprit].entry > graph.nodes[before].entry;
    jumps += goes_on ? 1 : 0;
    add(call, before, goes_on ? wait->until : graph.nodes[before].entry);
    at = goes_on ? wait->culprit : before;
  }
  if (at != none) add({graph.nodes[at].site, none}, at, graph.begin_ns);
  std::ranges::reverse(path);
  return path;
}

}  // namespace cairn::waits
