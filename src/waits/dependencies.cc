// SPDX-License-Identifier: BSD-3-Clause
// dependencies.cc - from what calls completed to what they needed

#include "waits/dependencies.hpp"

#include <algorithm>

namespace cairn::waits {

Dependencies::Dependencies(const Graph& graph, const Waits& waits) : graph_(graph), waits_(waits) {
  add_begun();
  std::vector<Comers> comers;  // by operation
  comers.reserve(graph.operations.size());
  for (const Operation& operation : graph.operations) comers.push_back(comers_of(graph, operation));
  sources_at_.reserve(graph.nodes.size() + 1);
  sources_.reserve(graph.ended.size());
  for (Index node = 0; node < graph.nodes.size(); ++node) add_sources(node, comers);
  sources_at_.push_back(static_cast<Index>(sources_.size()));
  order_ = order_of(*this);
}

void Dependencies::add_begun() {
  begun_at_.assign(graph_.nodes.size() + 1, 0);
  for (const Part& part : graph_.parts) ++begun_at_[part.begin + 1];
  for (std::size_t i = 1; i < begun_at_.size(); ++i) begun_at_[i] += begun_at_[i - 1];
  begun_.resize(graph_.parts.size());
  std::vector<Index> next(begun_at_.begin(), begun_at_.end() - 1);
  for (Index i = 0; i < graph_.parts.size(); ++i) begun_[next[graph_.parts[i].begin]++] = graph_.operation_of[i];
}

void Dependencies::add_sources(Index node, const std::vector<Comers>& comers) {
  sources_at_.push_back(static_cast<Index>(sources_.size()));
  const Index wait = waits_.at[node];
  const bool completes_late = wait != none && is_completion(waits_.all[wait].kind);
  for (Index i = graph_.ended_at[node]; i < graph_.ended_at[node + 1]; ++i) {
    const Ended& one = graph_.ended[i];
    if (one.what == Ended::part) {
      add_parts(node, one.which, comers[graph_.operation_of[one.which]]);
      continue;
    }
    const Link& link = graph_.links[one.which];
    const Index site = graph_.nodes[link.send_begin].site;
    if (one.needs_sender()) add_source(node, Source::entry, link.send_begin, none);
    else if (link.mode == SendMode::synchronous) add_source(node, Source::entry, link.receive_begin, none);
    else if (waits_.sends.needs_receiver(link)) add_source(node, Source::rendezvous, link.receive_begin, site);
    else if (const Index call = waits_.taken_by[one.which]; call != none)
      add_source(node, Source::rendezvous, call, site);
    if (completes_late && waits_.sends.is_rendezvous(link)) sources_.push_back({0, none, site, Source::sender});
  }
  if (completes_late) add_source(node, Source::completion, waits_.all[wait].culprit, none);
}

/// Of the operation in which that part is the call's.
void Dependencies::add_parts(Index node, Index part, const Comers& comers) {
  const Index number = graph_.operation_of[part];
  const Operation& operation = graph_.operations[number];
  const Index wait = waits_.at[node];
  const auto add_culprit = [&](Index known) {
    if (wait != none && waits_.all[wait].kind == kind_of(operation.pattern) && waits_.all[wait].culprit != known)
      add_source(node, Source::part, waits_.all[wait].culprit, number);
  };
  if (operation.pattern == Pattern::neighbors) {
    sources_.push_back({0, part, number, Source::neighbors});
  } else if (operation.pattern == Pattern::one_to_n) {
    if (comers.root != none && comers.root != graph_.parts[part].begin)
      add_source(node, Source::part, comers.root, number);
    add_culprit(comers.root);
  } else {
    const bool needs_all = operation.pattern != Pattern::scan &&
                           (operation.pattern != Pattern::n_to_one || graph_.parts[part].rank == operation.root);
    if (needs_all) add_source(node, Source::all_parts, comers.last, number);
    add_culprit(needs_all ? comers.last : none);
  }
}

void Dependencies::add_source(Index node, Source::What what, Index call, Index of) {
  if (is_in_time(node, call)) sources_.push_back({graph_.nodes[call].entry, call, of, what});
}

}  // namespace cairn::waits
