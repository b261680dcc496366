// SPDX-License-Identifier: BSD-3-Clause
// states.cc - comparing when both sides came

#include "waits/states.hpp"

#include <algorithm>
#include <span>

#include "waits/returns.hpp"

namespace cairn::waits {

namespace {

class Finder {
 public:
  Finder(const Graph& graph, const SendSizes& sends, const std::vector<Index>& taken_by)
      : graph_(graph), sends_(sends), taken_by_(taken_by) {
    for (const Operation& operation : graph.operations) {
      comers_.push_back(comers_of(graph, operation));
      if (operation.pattern == Pattern::scan) find_before(operation);
      if (may_be_kept(operation.pattern)) find_kept(operation);
    }
  }

  /// The latest of those whom the call had to wait for. culprit none: it did not wait.
  Wait wait_of(Index node) {
    found_ = {};
    node_ = node;
    const auto ended =
        std::span(graph_.ended).subspan(graph_.ended_at[node], graph_.ended_at[node + 1] - graph_.ended_at[node]);
    for (const Ended& one : ended) take(one);
    const Wait needed = found_;
    for (const Ended& one : ended)
      if (one.what == Ended::send) take_from_library(one.which, needed);
    return found_;
  }

 private:
  std::int64_t entry(Index node) const { return graph_.nodes[node].entry; }
  std::int64_t exit(Index node) const { return graph_.nodes[node].exit; }

  /// Had the call to wait for `culprit`, which came at its entry? Not if it had returned before.
  void propose(Index culprit, WaitKind kind, Index comm, EarlyPart early = {}) {
    if (culprit == none) return;
    const std::int64_t until = entry(culprit);
    if (until <= entry(node_) || until > exit(node_)) return;
    if (found_.culprit != none && found_.until >= until && !(found_.until == until && is_for_message(kind))) return;
    found_ = {node_, culprit, until, kind, comm, early};
  }

  /// Of a late partner that both receives and sends, it is the message to here that is late.
  bool is_for_message(WaitKind kind) const {
    return kind == WaitKind::late_completion && found_.kind == WaitKind::late_fetch;
  }

  /// A process that has begun a transfer and is at something else: its next call. A transfer that needs it goes on
  /// then; if it does not in calls that only begin something, in the next one that completes something. Until it had begun
  /// it, it was waited for as ever.
  void propose_return(Index began, Index ended, WaitKind before, WaitKind after, Index comm) {
    const Lane& lane = graph_.lanes[graph_.nodes[began].lane];
    if (began == ended || exit(began) >= exit(node_)) return;
    const auto calls = graph_.nodes.begin();
    const auto next = std::upper_bound(calls + began + 1, calls + lane.last, entry(node_),
                                       [](std::int64_t moment, const Node& call) { return moment < call.exit; });
    if (next == calls + lane.last) return;
    auto place = static_cast<Index>(next - calls);
    if (place <= began || exit(place - 1) > std::max(entry(node_), exit(began))) return;
    const Index completes = completing_from(place);
    if (completes < lane.last && returns_just_after(graph_.nodes[node_], entry(completes))) place = completes;
    const std::int64_t early = entry(began) - entry(node_);
    propose(place, after, comm, early > 0 ? EarlyPart{early, before, began} : EarlyPart{});
  }

  /// The first call from there on that completes something, in whichever lane.
  Index completing_from(Index place) const {
    const auto ended = graph_.ended_at.begin() + place;
    const auto next = std::upper_bound(ended, graph_.ended_at.end(), *ended);
    return static_cast<Index>(next - graph_.ended_at.begin()) - 1;
  }

  void take(const Ended& one) {
    switch (one.what) {
      case Ended::part:
        return take_part(one.which);
      case Ended::receive:
        return take_receive(graph_.links[one.which]);
      case Ended::send:
        return take_send(graph_.links[one.which]);
      case Ended::probe:
        return propose(graph_.links[one.which].send_begin, WaitKind::late_sender, graph_.links[one.which].comm);
    }
  }
  void take_receive(const Link& link) {
    propose(link.send_begin, kind_of(link.signal), link.comm);
    if (sends_.is_rendezvous(link))
      propose_return(link.send_begin, link.send_end, kind_of(link.signal), WaitKind::late_completion, link.comm);
  }
  static WaitKind kind_of(Signal signal) {
    using enum WaitKind;
    switch (signal) {
      case Signal::post:
        return late_post;
      case Signal::complete:
        return late_complete;
      case Signal::unlock:
        return lock_contention;
      default:
        return late_sender;
    }
  }
  void take_send(const Link& link) {
    if (link.receive_begin == none || !sends_.needs_receiver(link)) return;
    propose(link.receive_begin, WaitKind::late_receiver, link.comm);
    propose_return(link.receive_begin, link.receive_end, WaitKind::late_receiver, WaitKind::late_fetch, link.comm);
  }

  /// A send that its receiver's library has to take. It goes on from what is needed besides, as of whoever is late with a
  /// message to both, or from when the receiver asks for it.
  void take_from_library(Index which, const Wait& needed) {
    const Link& link = graph_.links[which];
    const Index call = taken_by_[which];
    if (call == none) return;
    const auto goes_on_from = [&](Index began, std::int64_t until, WaitKind kind) {
      const std::int64_t early = until - entry(node_);
      propose(call, WaitKind::late_fetch, link.comm, early > 0 ? EarlyPart{early, kind, began} : EarlyPart{});
    };
    const bool is_of_receiver =
        needed.culprit != none && needed.culprit < call && graph_.nodes[needed.culprit].lane == graph_.nodes[call].lane;
    if (link.signal != Signal::message) propose(call, WaitKind::late_completion, link.comm);
    else if (is_of_receiver && needed.early.ns > 0) propose(call, WaitKind::late_fetch, link.comm, needed.early);
    else if (needed.culprit != none) goes_on_from(needed.culprit, needed.until, needed.kind);
    else if (entry(link.receive_begin) < entry(call))
      goes_on_from(link.receive_begin, entry(link.receive_begin), WaitKind::late_receiver);
    else propose(call, WaitKind::late_receiver, link.comm);
  }

  void take_part(Index part) {
    const Operation& operation = graph_.operations[graph_.operation_of[part]];
    const Comers& comers = comers_[graph_.operation_of[part]];
    switch (operation.pattern) {
      case Pattern::one_to_n:
        propose(comers.root, WaitKind::wait_at_one_to_n, operation.comm);
        return propose(kept_by_[part], WaitKind::wait_at_one_to_n, operation.comm);
      case Pattern::n_to_one:
        take_root(part, operation, comers);
        return propose(kept_by_[part], WaitKind::wait_at_n_to_one, operation.comm);
      case Pattern::scan:
        return propose(before_[part], WaitKind::wait_at_scan, operation.comm);
      case Pattern::neighbors:
        return take_neighbors(part, operation);
      case Pattern::barrier:
      case Pattern::n_to_n:
        propose(comers.last, waits::kind_of(operation.pattern), operation.comm);
        return propose(kept_by_[part], waits::kind_of(operation.pattern), operation.comm);
      default:
        return propose(comers.last, waits::kind_of(operation.pattern), operation.comm);
    }
  }

  void take_root(Index part, const Operation& operation, const Comers& comers) {
    if (graph_.parts[part].rank != operation.root || comers.last_other == none) return;
    const std::int64_t early = std::max<std::int64_t>(0, entry(comers.first_other) - entry(node_));
    propose(comers.last_other, WaitKind::wait_at_n_to_one, operation.comm, {early, WaitKind::early_reduce});
  }

  void take_neighbors(Index part, const Operation& operation) {
    graph_.for_all_neighbors(part, [&](Index call) { propose(call, WaitKind::wait_at_neighbors, operation.comm); });
  }

  /// Parts are by rank.
  void find_before(const Operation& operation) {
    before_.resize(graph_.parts.size(), none);
    Index latest = none;
    for (Index i = operation.first; i < operation.first + operation.count; ++i) {
      before_[i] = latest;
      if (latest == none || entry(graph_.parts[i].begin) > entry(latest)) latest = graph_.parts[i].begin;
    }
  }

  static bool has_tree(Pattern pattern) { return pattern == Pattern::one_to_n || pattern == Pattern::n_to_one; }
  static bool may_be_kept(Pattern pattern) {
    return has_tree(pattern) || pattern == Pattern::barrier || pattern == Pattern::n_to_n;
  }

  /// Who returns just after another one has come is taken for one that has waited for it. In a tree, processes pass on what
  /// others bring or wait for: which tree it is, records do not tell. And who has begun an operation that does not block has
  /// to come back for it, to take part in what follows.
  void find_kept(const Operation& operation) {
    kept_by_.resize(graph_.parts.size(), none);
    const auto parts = std::span(graph_.parts).subspan(operation.first, operation.count);
    const auto is_long = [&](const Part& one) { return one.end != none && may_have_been_kept(graph_.nodes[one.end]); };
    if (std::ranges::none_of(parts, is_long)) return;
    std::vector<Index> calls;
    for (const Part& one : parts) {
      if (has_tree(operation.pattern)) calls.push_back(one.begin);
      if (one.end != none && one.end != one.begin) calls.push_back(one.end);
    }
    if (calls.empty()) return;
    const auto by_entry = [this](Index call) { return entry(call); };
    std::ranges::sort(calls, {}, by_entry);
    for (Index i = operation.first; i < operation.first + operation.count; ++i) {
      const Part& one = graph_.parts[i];
      if (!is_long(one)) continue;
      auto last = std::ranges::lower_bound(calls, exit(one.end), {}, by_entry);
      while (last != calls.begin() && (*(last - 1) == one.begin || *(last - 1) == one.end)) --last;
      const bool is_kept = last != calls.begin() && returns_just_after(graph_.nodes[one.end], entry(*(last - 1)));
      if (is_kept) kept_by_[i] = *(last - 1);
      else if (has_tree(operation.pattern)) kept_by_[i] = behind(operation, one);
    }
  }
  /// Who sends in an operation to which others have not come yet waits, where there is no room, until one of them has taken
  /// what was sent before: it comes to some call then.
  Index behind(const Operation& operation, const Part& sends) const {
    const bool is_root = sends.rank == operation.root;
    if (is_root != (operation.pattern == Pattern::one_to_n)) return none;
    const Node& completes = graph_.nodes[sends.end];
    Index latest = none;
    const auto look = [&](Index part) {
      if (part == none) return;
      const Index own = graph_.parts[part].begin;
      if (entry(own) < completes.exit) return;
      const Index call = last_begun(graph_, graph_.lanes[graph_.nodes[own].lane], completes.exit);
      if (call != none && (latest == none || entry(call) > entry(latest))) latest = call;
    };
    if (!is_root) look(graph_.part_of(operation, operation.root));
    else
      for (Index i = operation.first; i < operation.first + operation.count; ++i) look(i);
    return latest != none && returns_just_after(completes, entry(latest)) ? latest : none;
  }

  const Graph& graph_;
  const SendSizes& sends_;
  const std::vector<Index>& taken_by_;
  std::vector<Comers> comers_;
  Wait found_;
  Index node_ = none;
  std::vector<Index> before_;   // of parts of scans: the latest of the ranks before
  std::vector<Index> kept_by_;  // of parts: the last call that it has waited for besides, if any
};

/// A message that came late, although one that was received soon after had been sent already.
constexpr Index looked_ahead = 16;  // receives

void find_wrong_order(const Graph& graph, std::vector<Wait>& waits) {
  std::vector<Index> receives;  // links, by the call that completes them
  for (Index node = 0; node < graph.nodes.size(); ++node)
    for (Index i = graph.ended_at[node]; i < graph.ended_at[node + 1]; ++i)
      if (graph.ended[i].what == Ended::receive) receives.push_back(graph.ended[i].which);
  std::size_t at = 0;
  for (Wait& wait : waits) {
    if (wait.kind != WaitKind::late_sender) continue;
    while (at < receives.size() && graph.links[receives[at]].receive_end <= wait.node) ++at;
    const Node& waiting = graph.nodes[wait.node];
    for (std::size_t i = at; i < std::min(receives.size(), at + looked_ahead); ++i) {
      const Link& later = graph.links[receives[i]];
      if (graph.nodes[later.receive_end].lane != waiting.lane) break;
      if (graph.nodes[later.send_begin].entry >= wait.until || later.comm != wait.comm) continue;
      if (graph.nodes[later.receive_begin].entry < wait.until) continue;  // it was asked for already
      if (graph.nodes[later.send_begin].entry > waiting.entry) continue;
      wait.kind = WaitKind::wrong_order;
      break;
    }
  }
}

/// Whether somebody who has not come, as far as is known, may have been waited for in that part.
bool lacks_others(const Graph& graph, const Operation& operation, Index at) {
  const Part& part = graph.parts[at];
  const auto is_known = [&](int rank) { return graph.part_of(operation, rank) != none; };
  if (operation.pattern == Pattern::neighbors) {
    if (const std::vector<int>* const sources = graph.sources(operation.comm, part.rank); sources != nullptr)
      return !std::ranges::all_of(*sources, is_known);
  }
  if (operation.is_whole) return false;
  switch (operation.pattern) {
    case Pattern::one_to_n:
      return part.rank != operation.root && !is_known(operation.root);
    case Pattern::n_to_one:
      return part.rank == operation.root;
    case Pattern::scan:  // of communicators of some ranks it is not known which are before it
      return graph.comms[operation.comm].size != graph.size || static_cast<int>(at - operation.first) < part.rank;
    default:
      return true;
  }
}

/// What lacks its other end in this section of the run may have it in the next one.
bool may_be_unknown(const Graph& graph) { return graph.is_last || !graph.has_all_ranks(); }

std::vector<bool> unknown_calls(const Graph& graph, const SendSizes& sends) {
  std::vector<bool> is_unknown(graph.nodes.size());
  for (const Index call : graph.unknown) is_unknown[call] = true;
  if (!may_be_unknown(graph)) return is_unknown;
  for (const Unpaired& one : graph.unpaired) {
    const bool needs_other =
        one.is_receive || one.is_synchronous || one.bytes > std::max(sends.eager.within, sends.eager.between);
    if (one.end != none && needs_other) is_unknown[one.end] = true;
  }
  for (const Operation& operation : graph.operations)
    for (Index i = operation.first; i < operation.first + operation.count; ++i)
      if (graph.parts[i].end != none && !graph.is_answered_earlier(graph.parts[i].begin) &&
          lacks_others(graph, operation, i))
        is_unknown[graph.parts[i].end] = true;
  return is_unknown;
}

}  // namespace

WaitKind kind_of(Pattern pattern) {
  using enum WaitKind;
  switch (pattern) {
    case Pattern::barrier:
      return wait_at_barrier;
    case Pattern::fence:
      return wait_at_fence;
    case Pattern::creation:
      return communicator_creation;
    case Pattern::io:
      return io_collective;
    case Pattern::finalize:
      return wait_at_finalize;
    case Pattern::one_to_n:
      return wait_at_one_to_n;
    case Pattern::n_to_one:
      return wait_at_n_to_one;
    case Pattern::scan:
      return wait_at_scan;
    case Pattern::neighbors:
      return wait_at_neighbors;
    default:
      return wait_at_n_to_n;
  }
}

Comers comers_of(const Graph& graph, const Operation& operation) {
  Comers comers;
  const auto entry = [&](Index call) { return graph.nodes[call].entry; };
  for (Index i = operation.first; i < operation.first + operation.count; ++i) {
    const Index begin = graph.parts[i].begin;
    const bool is_root = graph.parts[i].rank == operation.root;
    if (is_root) comers.root = begin;
    if (comers.last == none || entry(begin) > entry(comers.last)) comers.last = begin;
    if (is_root) continue;
    if (comers.last_other == none || entry(begin) > entry(comers.last_other)) comers.last_other = begin;
    if (comers.first_other == none || entry(begin) < entry(comers.first_other)) comers.first_other = begin;
  }
  return comers;
}

Waits::Waits(const Graph& graph, SendSizes known)
    : at(graph.nodes.size(), none), sends(known), taken_by(sends.learn(graph)) {
  Finder finder(graph, sends, taken_by);
  for (Index node = 0; node < graph.nodes.size(); ++node) {
    if (graph.ended_at[node] == graph.ended_at[node + 1]) continue;
    if (const Wait found = finder.wait_of(node); found.culprit != none) all.push_back(found);
  }
  find_wrong_order(graph, all);
  for (Index i = 0; i < all.size(); ++i) at[all[i].node] = i;
  is_unknown = unknown_calls(graph, sends);
}

}  // namespace cairn::waits
