// SPDX-License-Identifier: BSD-3-Clause
// states.cc - comparing when both sides came

#include "waits/states.hpp"

#include <algorithm>
#include <bit>
#include <span>
#include <unordered_map>

namespace cairn::waits {

namespace {

constexpr std::int64_t while_ns = 20'000;  // what is shorter may be what calls take by themselves
bool may_have_been_kept(const Node& call) { return call.exit - call.entry > while_ns; }
/// Within a tenth of the time that it had waited by then; after it, so that no two can have waited for each other.
bool returns_just_after(const Node& call, std::int64_t came) {
  constexpr std::int64_t just_after = 10;
  const std::int64_t waited = came - call.entry;
  return waited >= while_ns && came < call.exit && just_after * (call.exit - came) <= waited;
}

/// Of a thread's calls the last one that begins before that moment; none: there is none.
Index last_begun(const Graph& graph, const Lane& lane, std::int64_t moment) {
  const auto calls = graph.nodes.begin();
  const auto end = std::lower_bound(calls + lane.first, calls + lane.last, moment,
                                    [](const Node& call, std::int64_t at) { return call.entry < at; });
  return end == calls + lane.first ? none : static_cast<Index>(end - calls - 1);
}

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
    if (found_.culprit != none && found_.until >= until) return;
    found_ = {node_, culprit, until, kind, comm, early};
  }

  /// A process that has begun a transfer and is at something else: its next call. A transfer that needs it goes on
  /// then. Until it had begun it, it was waited for as ever.
  void propose_return(Index began, Index ended, WaitKind before, Index comm) {
    const Lane& lane = graph_.lanes[graph_.nodes[began].lane];
    if (began == ended || exit(began) >= exit(node_)) return;
    const auto calls = graph_.nodes.begin();
    const auto next = std::upper_bound(calls + began + 1, calls + lane.last, entry(node_),
                                       [](std::int64_t moment, const Node& call) { return moment < call.exit; });
    if (next == calls + lane.last) return;
    const auto place = static_cast<Index>(next - calls);
    if (place <= began || exit(place - 1) > std::max(entry(node_), exit(began))) return;
    const std::int64_t early = entry(began) - entry(node_);
    propose(place, WaitKind::late_completion, comm, early > 0 ? EarlyPart{early, before, began} : EarlyPart{});
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
    if (sends_.is_rendezvous(link)) propose_return(link.send_begin, link.send_end, kind_of(link.signal), link.comm);
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
    if (link.receive_begin == none || link.mode == SendMode::buffered || !sends_.is_rendezvous(link)) return;
    propose(link.receive_begin, WaitKind::late_receiver, link.comm);
    propose_return(link.receive_begin, link.receive_end, WaitKind::late_receiver, link.comm);
  }

  /// A send that its receiver's library has to take. It goes on from what is needed of the receiver otherwise, as when two
  /// exchange messages, or from when the receiver asks for it.
  void take_from_library(Index which, const Wait& needed) {
    const Link& link = graph_.links[which];
    const Index call = taken_by_[which];
    if (call == none) return;
    const auto goes_on_from = [&](Index began, std::int64_t until, WaitKind kind) {
      const std::int64_t early = until - entry(node_);
      propose(call, WaitKind::late_completion, link.comm, early > 0 ? EarlyPart{early, kind, began} : EarlyPart{});
    };
    const bool is_of_receiver =
        needed.culprit != none && needed.culprit < call && graph_.nodes[needed.culprit].lane == graph_.nodes[call].lane;
    if (link.signal != Signal::message) propose(call, WaitKind::late_completion, link.comm);
    else if (is_of_receiver && needed.early.ns > 0) propose(call, WaitKind::late_completion, link.comm, needed.early);
    else if (is_of_receiver) goes_on_from(needed.culprit, needed.until, needed.kind);
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

/// It was over at the sender's end while the receiver had not asked for it yet.
bool was_sent_before(const Graph& graph, const Link& link) {
  return link.send_end != none && graph.nodes[link.send_end].exit < graph.nodes[link.receive_begin].entry;
}
/// It was over at the receiver's end while the sender was at something else. That it needs no receiver is not said with
/// that: the receiver may fetch it.
bool was_received_meanwhile(const Graph& graph, const Link& link) {
  const auto& nodes = graph.nodes;
  const Index next = link.send_begin + 1;
  return link.send_end != link.send_begin && link.receive_end != none &&
         next < graph.lanes[nodes[link.send_begin].lane].last && nodes[link.receive_end].exit < nodes[next].entry;
}

/// The call that completes the send returns just after the receiver has asked for it.
bool has_waited_for_receiver(const Graph& graph, const Link& link) {
  return link.send_end != none && link.receive_begin != none &&
         returns_just_after(graph.nodes[link.send_end], graph.nodes[link.receive_begin].entry);
}

bool may_need_library(const Graph& graph, const Link& link) {
  if (link.send_end == none || link.receive_begin == none || graph.is_earlier(link.send_begin)) return false;
  return link.signal == Signal::complete || (link.signal == Signal::message && link.mode == SendMode::standard);
}

/// The lanes of a process's threads.
std::span<const Lane> threads_of(const Graph& graph, int rank) {
  return {std::ranges::lower_bound(graph.lanes, rank, {}, &Lane::rank),
          std::ranges::upper_bound(graph.lanes, rank, {}, &Lane::rank)};
}

/// Where the call that completes the send returns just after the receiver, in whichever thread, has begun one, that one.
Index begun_before_end(const Graph& graph, const Link& link) {
  const Node& completes = graph.nodes[link.send_end];
  if (!may_have_been_kept(completes)) return none;
  Index latest = none;
  for (const Lane& lane : threads_of(graph, graph.rank(link.receive_begin)))
    if (const Index call = last_begun(graph, lane, completes.exit);
        call != none && (latest == none || graph.nodes[call].entry > graph.nodes[latest].entry))
      latest = call;
  return latest != none && returns_just_after(completes, graph.nodes[latest].entry) ? latest : none;
}

/// The receiver's calls while a send is under way: whether there are any, and the first one that completes something and
/// may be what its library has taken the message in: it begins after the call that completes the send, or goes on for a
/// while after that has begun; at the latest the one that has received it. Calls that only begin something need not look
/// for messages.
struct Chance {
  Index call = none;
  bool has_any = false;
};
Chance chance_of(const Graph& graph, const Link& link) {
  const Lane& lane = graph.lanes[graph.nodes[link.receive_begin].lane];
  const auto calls = graph.nodes.begin();
  const auto end = std::upper_bound(calls + lane.first, calls + lane.last, graph.nodes[link.send_end].exit,
                                    [](std::int64_t moment, const Node& call) { return moment < call.entry; });
  if (end == calls + lane.first || (end - 1)->exit <= graph.nodes[link.send_begin].entry) return {};
  const std::int64_t waits = graph.nodes[link.send_end].entry;
  const auto first = std::partition_point(calls + lane.first, end, [waits](const Node& call) {
    return call.entry <= waits && call.exit <= waits + while_ns;
  });
  const auto ended = graph.ended_at.begin() + (first - calls);
  const auto next = std::upper_bound(ended, graph.ended_at.begin() + (end - calls) + 1, *ended);
  const auto place = std::min<std::ptrdiff_t>(next - graph.ended_at.begin() - 1, link.receive_end);
  return {place < end - calls ? static_cast<Index>(place) : none, true};
}

/// Of calls that complete sends: when all had come that they need besides.
class Needs {
 public:
  explicit Needs(const Graph& graph) : graph_(graph) {}

  std::int64_t ns(Index node) {
    constexpr Index few = 8;  // else each of its sends would look at all the others
    if (graph_.ended_at[node + 1] - graph_.ended_at[node] <= few) return find(node);
    const auto [place, is_new] = of_many_.try_emplace(node);
    if (is_new) place->second = find(node);
    return place->second;
  }

 private:
  /// Of operations it is not asked: never.
  std::int64_t find(Index node) const {
    std::int64_t needed = graph_.nodes[node].entry;
    for (Index i = graph_.ended_at[node]; i < graph_.ended_at[node + 1]; ++i) {
      const Ended& one = graph_.ended[i];
      if (one.what == Ended::part) return INT64_MAX;
      if (one.what == Ended::receive) needed = std::max(needed, graph_.nodes[graph_.links[one.which].send_begin].entry);
    }
    return needed;
  }

  const Graph& graph_;
  std::unordered_map<Index, std::int64_t> of_many_;
};

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
bool may_be_unknown(const Graph& graph) {
  return graph.is_last || std::ranges::count_if(graph.lanes, &Lane::is_main) < graph.size;
}

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
      if (graph.parts[i].end != none && lacks_others(graph, operation, i)) is_unknown[graph.parts[i].end] = true;
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

std::uint64_t Aid::most_unaided() const {
  std::size_t above = sizes;
  while (above > 0 && unaided[above - 1] <= aided[above - 1]) --above;
  for (std::size_t bits = above; bits < sizes; ++bits)
    if (aided[bits] != 0) return bits == 0 ? 0 : (std::uint64_t{1} << (bits - 1)) - 1;
  return UINT64_MAX;
}

std::vector<Index> SendSizes::learn(const Graph& graph) {
  std::vector<Index> taken_by(graph.links.size(), none);
  Needs needs(graph);
  for (const Link& link : graph.links)
    if (link.mode == SendMode::standard && has_waited_for_receiver(graph, link)) awaited.take_least(link);
  for (std::size_t i = 0; i < graph.links.size(); ++i) {
    const Link& link = graph.links[i];
    if (link.mode != SendMode::standard || graph.is_earlier(link.send_begin)) continue;
    if (link.bytes > eager.of(link) &&
        (was_sent_before(graph, link) || (link.bytes < awaited.of(link) && was_received_meanwhile(graph, link))))
      eager.take(link);
    if (!may_need_library(graph, link)) continue;
    const bool has_threads = threads_of(graph, graph.rank(link.receive_begin)).size() > 1;
    if (has_threads || link.signal != Signal::message) {
      taken_by[i] = begun_before_end(graph, link);
      continue;
    }
    const Chance chance = chance_of(graph, link);
    taken_by[i] = chance.call;
    const bool is_aided = chance.call != none && graph.nodes[chance.call].entry - while_ns > needs.ns(link.send_end);
    if (chance.has_any && !is_aided) continue;  // the receiver was in MPI: nobody knows
    Aid& aid = link.is_within_node ? aid_within : aid_between;
    const auto bits = std::min<std::size_t>(Aid::sizes - 1, static_cast<std::size_t>(std::bit_width(link.bytes)));
    ++(is_aided ? aid.aided : aid.unaided)[bits];
  }
  unaided = {aid_within.most_unaided(), aid_between.most_unaided()};
  for (std::size_t i = 0; i < graph.links.size(); ++i) {
    const Link& link = graph.links[i];
    if (link.signal != Signal::message) continue;
    if (is_rendezvous(link)) taken_by[i] = none;
    else if (link.bytes <= unaided.of(link) && may_need_library(graph, link))
      taken_by[i] = begun_before_end(graph, link);  // it has waited where there was no room for more messages
  }
  return taken_by;
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
