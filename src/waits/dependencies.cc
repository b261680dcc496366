// SPDX-License-Identifier: BSD-3-Clause
// dependencies.cc - from what calls completed to what they needed

#include "waits/dependencies.hpp"

#include <algorithm>

namespace cairn::waits {

Dependencies::Dependencies(const Graph& graph, const Waits& waits) : graph_(graph), waits_(waits) {
  add_operations();
  for (Index lane = 0; lane < graph.lanes.size(); ++lane)
    if (graph.lanes[lane].after != none) starts_.emplace_back(graph.lanes[lane].after, lane);
  std::ranges::sort(starts_);
  sources_at_.reserve(graph.nodes.size() + 1);
  for (Index node = 0; node < graph.nodes.size(); ++node) add_sources(node);
  sources_at_.push_back(static_cast<Index>(sources_.size()));
}

void Dependencies::add_operations() {
  begun_at_.assign(graph_.nodes.size() + 1, 0);
  for (const Part& part : graph_.parts) ++begun_at_[part.begin + 1];
  for (std::size_t i = 1; i < begun_at_.size(); ++i) begun_at_[i] += begun_at_[i - 1];
  begun_.resize(graph_.parts.size());
  std::vector<Index> next(begun_at_.begin(), begun_at_.end() - 1);
  last_of_.assign(graph_.operations.size(), INT64_MIN);
  root_of_.assign(graph_.operations.size(), none);
  for (Index i = 0; i < graph_.parts.size(); ++i) {
    const Part& part = graph_.parts[i];
    const Index operation = graph_.operation_of[i];
    begun_[next[part.begin]++] = operation;
    last_of_[operation] = std::max(last_of_[operation], graph_.nodes[part.begin].entry);
    if (part.rank == graph_.operations[operation].root) root_of_[operation] = part.begin;
  }
}

void Dependencies::add_sources(Index node) {
  sources_at_.push_back(static_cast<Index>(sources_.size()));
  const Index wait = waits_.at[node];
  const bool completes_late = wait != none && waits_.all[wait].kind == WaitKind::late_completion;
  for (Index i = graph_.ended_at[node]; i < graph_.ended_at[node + 1]; ++i) {
    const Ended& one = graph_.ended[i];
    if (one.what == Ended::part) {
      add_source(node, Source::part, one.which, nullptr);
      continue;
    }
    const Link& link = graph_.links[one.which];
    const bool is_rendezvous = waits_.eager.is_rendezvous(link);
    if (one.needs_sender()) add_source(node, Source::entry, link.send_begin, &link);
    else if (link.is_synchronous) add_source(node, Source::entry, link.receive_begin, &link);
    else if (is_rendezvous) add_source(node, Source::rendezvous, link.receive_begin, &link);
    if (completes_late && is_rendezvous) add_source(node, Source::sender, none, &link);
  }
  if (completes_late) add_source(node, Source::completion, waits_.all[wait].culprit, nullptr);
}

/// None of a call that came too late to be waited for.
void Dependencies::add_source(Index node, Source::What what, Index call, const Link* link) {
  Source source{0, call, none, none, what};
  if (link != nullptr) source.site = graph_.nodes[link->send_begin].site;
  if (what != Source::part && what != Source::sender) {
    source.recorded = graph_.nodes[call].entry;
    source.lane = graph_.nodes[call].lane;
    if (source.recorded > graph_.nodes[node].exit) return;
  }
  sources_.push_back(source);
}

}  // namespace cairn::waits
