// SPDX-License-Identifier: BSD-3-Clause
// send_sizes.cc - learning from a run what its sends have needed

#include "waits/send_sizes.hpp"

#include <algorithm>
#include <bit>
#include <span>
#include <unordered_map>

#include "waits/returns.hpp"

namespace cairn::waits {

namespace {

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

}  // namespace

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

}  // namespace cairn::waits
