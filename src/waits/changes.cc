// SPDX-License-Identifier: BSD-3-Clause
// changes.cc - other durations of the run's work and calls

#include "waits/changes.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>
#include <string_view>
#include <unordered_map>
#include <utility>

namespace cairn::waits {

namespace {

constexpr std::int64_t longest_between = 400;  // nanoseconds from one call to the next, where a loop does nothing else

/// Of those that follow each other so fast: the median. 0: none do.
std::int64_t usual_between_calls(const Graph& graph, const Lane& lane) {
  std::vector<std::uint64_t> counts(longest_between + 1);  // by nanoseconds
  std::uint64_t all = 0;
  for (Index node = lane.first + 1; node < lane.last; ++node) {
    const auto ns = static_cast<std::size_t>(work_ns(graph.nodes[node - 1], graph.nodes[node]));
    if (ns >= counts.size()) continue;
    ++counts[ns];
    ++all;
  }
  std::uint64_t below = 0;
  for (std::size_t ns = 0; ns < counts.size(); ++ns)
    if (below += counts[ns]; 2 * below > all) return static_cast<std::int64_t>(ns);
  return 0;
}

std::int64_t part_of(std::int64_t ns, double factor) {
  return static_cast<std::int64_t>(std::llround(static_cast<double>(ns) * factor));
}

/// Work or calls of some ranks.
class Meant {
 public:
  /// `ranks` empty: of all.
  Meant(const Pieces& pieces, const std::vector<int>& ranks, int size)
      : pieces_(pieces), is_of_(marked_ranks(ranks, size)) {}
  bool operator()(Piece piece, int rank) const {
    return is_of_[static_cast<std::size_t>(rank)] && pieces_.contains(piece);
  }

 private:
  Pieces pieces_;
  std::vector<bool> is_of_;
};

using Targets = std::vector<std::pair<Index, std::int64_t>>;  // nanoseconds, by call

std::function<std::int64_t(Index, std::int64_t)> as_in(Targets targets) {
  std::ranges::sort(targets);
  return [targets = std::move(targets)](Index node, std::int64_t ns) {
    const auto found = std::ranges::lower_bound(targets, node, {}, &Targets::value_type::first);
    return found == targets.end() || found->first != node ? ns : found->second;
  };
}

}  // namespace

std::vector<bool> marked_ranks(const std::vector<int>& ranks, int size) {
  std::vector<bool> is_of(static_cast<std::size_t>(size), ranks.empty());
  for (const int rank : ranks) is_of[static_cast<std::size_t>(rank)] = true;
  return is_of;
}

/// What a function does.
enum class Changes::OfCommunicators : std::uint8_t { neither, makes, frees };
Changes::OfCommunicators Changes::kind_of(std::string_view function) {
  if (function == "MPI_Comm_free" || function == "MPI_Comm_disconnect") return OfCommunicators::frees;
  constexpr std::array starts = {"MPI_Comm_", "MPI_Cart_", "MPI_Graph_", "MPI_Dist_graph_", "MPI_Intercomm_"};
  const bool makes = pattern_of(function) == Pattern::creation &&
                     std::ranges::any_of(starts, [&](std::string_view start) { return function.starts_with(start); });
  return makes ? OfCommunicators::makes : OfCommunicators::neither;
}

/// The calls with which, or before which, each rank does something, in order: pieces with one key.
struct Changes::Times {
  using Calls = std::vector<Index>;
  bool are_work = false;                      // else calls
  std::map<int, std::vector<Calls>> by_rank;  // of each thread that does it

  void add(const Graph& graph, Index node) {
    std::vector<Calls>& threads = by_rank[graph.rank(node)];
    if (threads.empty() || graph.nodes[threads.back().back()].lane != graph.nodes[node].lane) threads.emplace_back();
    threads.back().push_back(node);
  }
  /// Of other ranks.
  void merge(Times other) { by_rank.merge(std::move(other.by_rank)); }
  /// By thread, of some ranks' last times, last but one, ...; empty: ranks' times do not correspond.
  template <class Nanoseconds>
  std::vector<std::vector<double>> sums(Nanoseconds ns, const std::vector<bool>& of_ranks) const {
    std::vector<std::vector<double>> all;
    for (const std::size_t times : corresponding()) all.emplace_back(times);
    for (const auto& [rank, threads] : by_rank)
      for (std::size_t i = 0; of_ranks[static_cast<std::size_t>(rank)] && i < all.size(); ++i)
        for (std::size_t time = 0; time < all[i].size(); ++time)
          all[i][time] += static_cast<double>(ns(threads[i][threads[i].size() - 1 - time]));
    return all;
  }
  /// Leaves out ranks that have hardly any of it. Of the others: how much.
  template <class Nanoseconds>
  std::map<int, double> keep_sharers(Nanoseconds ns) {
    std::map<int, double> sums;
    double most = 0;
    for (const auto& [rank, threads] : by_rank) {
      double& sum = sums[rank];
      for (const Calls& calls : threads)
        for (const Index call : calls) sum += static_cast<double>(ns(call));
      most = std::max(most, sum);
    }
    std::erase_if(sums, [most](const auto& one) { return one.second < hardly_any * most; });
    std::erase_if(by_rank, [&](const auto& one) { return !sums.contains(one.first); });
    return sums;
  }
  /// visit(call, sum) of a rank's; the sum is not a number where times do not correspond.
  template <class Visit>
  void visit(int rank, const std::vector<std::vector<double>>& sums, Visit visit) const {
    const auto found = by_rank.find(rank);
    if (found == by_rank.end()) return;
    for (std::size_t i = 0; i < found->second.size(); ++i) {
      const Calls& calls = found->second[i];
      for (std::size_t at = 0; at < calls.size(); ++at) {
        const std::size_t time = calls.size() - 1 - at;
        visit(calls[at], i < sums.size() && time < sums[i].size() ? sums[i][time] : NAN);
      }
    }
  }

 private:
  /// How many times of each thread: where all that do it do it as often, in as many threads. Of several threads, one may
  /// have done it first after another call.
  std::vector<std::size_t> corresponding() const {
    std::vector<std::size_t> least, most;
    for (const auto& [rank, threads] : by_rank) {
      if (least.empty()) {
        least.resize(threads.size(), SIZE_MAX);
        most.resize(threads.size());
      }
      if (threads.size() != least.size()) return {};
      for (std::size_t i = 0; i < threads.size(); ++i) {
        least[i] = std::min(least[i], threads[i].size());
        most[i] = std::max(most[i], threads[i].size());
      }
    }
    const std::size_t spare = least.size() > 1 ? 1 : 0;
    for (std::size_t i = 0; i < least.size(); ++i)
      if (most[i] - least[i] > spare) return {};
    return least;
  }
};

/// The number of processes that each call has to do with, by its communicator; 0: it has none.
std::vector<int> Changes::sizes_of_calls() const {
  std::vector<int> sizes(graph_.nodes.size());
  const auto put = [&](Index node, Index comm) {
    if (node != none) sizes[node] = graph_.comms[comm].size;
  };
  for (const Link& link : graph_.links)
    for (const Index node : {link.send_begin, link.send_end, link.receive_begin, link.receive_end})
      put(node, link.comm);
  for (std::size_t i = 0; i < graph_.parts.size(); ++i)
    for (const Index node : {graph_.parts[i].begin, graph_.parts[i].end})
      put(node, graph_.operations[graph_.operation_of[i]].comm);
  return sizes;
}

/// What a rank does at one place with communicators of several sizes, as on the levels of a multigrid, is not one thing.
std::vector<Changes::Times> Changes::times_of(const Pieces& pieces) const {
  std::vector<bool> has_any(graph_.sites.size());  // calls, or the work before them
  for (const Piece& piece : pieces) {
    const Index site = piece.to == none ? piece.from : piece.to;
    if (site != none) has_any[site] = true;
  }
  const std::vector<int> sizes = sizes_of_calls();
  std::map<Piece, std::map<int, Times>> all;
  for (Index node = 0; node < graph_.nodes.size(); ++node) {
    if (!has_any[graph_.nodes[node].site]) continue;
    for (const Piece piece : {work_before(graph_, node), Piece{graph_.nodes[node].site, none}})
      if (piece != Piece{} && pieces.contains(piece)) all[key_of(piece)][sizes[node]].add(graph_, node);
  }
  std::vector<Times> times;
  for (auto& [key, by_size] : all) {
    const std::size_t first = times.size();
    for (auto& [size, of] : by_size) {
      of.are_work = key.to != none;
      const auto has_it = [&](const auto& one) { return times[first].by_rank.contains(one.first); };
      if (times.size() == first + 1 && std::ranges::none_of(of.by_rank, has_it)) times[first].merge(std::move(of));
      else times.push_back(std::move(of));
    }
  }
  return times;
}

/// Each time by itself, where ranks do it equally often: else in all.
Change Changes::as_the_others(const Pieces& pieces, const std::vector<int>& ranks) const {
  const bool are_all = static_cast<int>(ranks.size()) >= work_.ranks();
  const int all_others = are_all ? work_.ranks() : work_.ranks() - static_cast<int>(ranks.size());
  Targets work, transfers;
  for (Times& times : times_of(pieces)) {
    const auto ns = [&](Index node) { return times.are_work ? graph_.work_before_ns(node) : own_ns(node); };
    const std::map<int, double> shares = times.keep_sharers(ns);
    std::vector<bool> is_other(static_cast<std::size_t>(graph_.size));
    double of_others = 0;
    double others = 0;
    for (const auto& [rank, share] : shares) {
      if (!are_all && std::ranges::binary_search(ranks, rank)) continue;
      is_other[static_cast<std::size_t>(rank)] = true;
      of_others += share;
      ++others;
    }
    if (others == 0) others = all_others;
    const std::vector<std::vector<double>> sums = times.sums(ns, is_other);
    Targets& targets = times.are_work ? work : transfers;
    for (const int rank : ranks) {
      const auto share = shares.find(rank);
      if (share == shares.end()) continue;
      const double factor = share->second > 0 ? std::min(1.0, of_others / others / share->second) : 1;
      times.visit(rank, sums, [&](Index call, double sum) {
        targets.emplace_back(call, std::isnan(sum) ? part_of(ns(call), factor)
                                                   : std::min<std::int64_t>(ns(call), std::llround(sum / others)));
      });
    }
  }
  Change change;
  change.work = as_in(std::move(work));
  change.transfer = as_in(std::move(transfers));
  return change;
}

Change Changes::evenly(const Pieces& pieces) const {
  const std::vector<bool> all(static_cast<std::size_t>(graph_.size), true);
  Targets targets;
  for (Times& times : times_of(pieces)) {
    if (!times.are_work) continue;
    const auto ns = [this](Index node) { return graph_.work_before_ns(node); };
    const std::map<int, double> shares = times.keep_sharers(ns);
    const auto ranks = static_cast<double>(shares.size());
    const std::vector<std::vector<double>> sums = times.sums(ns, all);
    double in_all = 0;
    for (const auto& [rank, share] : shares) in_all += share;
    for (const auto& [rank, share] : shares) {
      const double factor = share > 0 ? in_all / ranks / share : 1;
      times.visit(rank, sums, [&](Index call, double sum) {
        targets.emplace_back(call, std::isnan(sum) ? part_of(ns(call), factor) : std::llround(sum / ranks));
      });
    }
  }
  Change change;
  change.work = as_in(std::move(targets));
  return change;
}

Change Changes::without_waiting(std::vector<bool> sites) const {
  Change change;
  change.without_waiting = std::move(sites);
  return change;
}

/// Calls that others take part in stay where they are, and so does what comes after them.
std::optional<Change> Changes::sent_first(const Pieces& pieces, const std::vector<int>& ranks) const {
  constexpr std::int64_t at_once = 100;  // of that work no more than this part lies between two calls
  std::vector<bool> stays(graph_.nodes.size());
  for (const Part& part : graph_.parts) stays[part.begin] = true;
  for (Index node = 0; node < graph_.nodes.size(); ++node)
    for (Index i = graph_.ended_at[node]; i < graph_.ended_at[node + 1]; ++i)
      if (const auto what = graph_.ended[i].what; what != Ended::send && what != Ended::receive) stays[node] = true;
  const Meant is_meant(pieces, ranks, graph_.size);
  Change change;
  std::vector<std::int64_t>& earlier = change.moved_before_ns;
  earlier.resize(graph_.nodes.size());
  for (Index node = 0; node < graph_.nodes.size(); ++node) {
    const Index before = graph_.previous(node);
    if (before == none || stays[node]) continue;
    const std::int64_t work = graph_.work_before_ns(node);
    if (is_meant(work_before(graph_, node), graph_.rank(node))) earlier[node] = work;
    if (earlier[before] > 0 && at_once * work <= earlier[before]) earlier[node] = earlier[before];
  }
  const auto is_sent_earlier = [&](const Link& link) {
    return link.signal == Signal::message && link.send_begin != none && earlier[link.send_begin] > 0;
  };
  return std::ranges::any_of(graph_.links, is_sent_earlier) ? std::optional(std::move(change)) : std::nullopt;
}

Change Changes::scaled(const Pieces& pieces, const std::vector<int>& ranks, double factor) const {
  Change change;
  const Meant is_changed(pieces, ranks, graph_.size);
  change.work = [this, is_changed, factor](Index node, std::int64_t ns) {
    return is_changed(work_before(graph_, node), graph_.rank(node)) ? part_of(ns, factor) : ns;
  };
  change.transfer = [this, is_changed, factor](Index node, std::int64_t ns) {
    return is_changed({graph_.nodes[node].site, none}, graph_.rank(node)) ? part_of(ns, factor) : ns;
  };
  return change;
}

Change Changes::ideal_network() const {
  Change change;
  change.sends_are_free = true;
  change.transfer = [this](Index node, std::int64_t ns) { return graph_.previous(node) == none ? ns : 0; };
  return change;
}

Change Changes::perfect_balance() const {
  double mean = 0;
  for (const double seconds : work_.by_rank()) mean += seconds / work_.ranks();  // others have no records
  Change change;
  change.work = [this, mean](Index node, std::int64_t ns) {
    const double own = work_.by_rank()[static_cast<std::size_t>(graph_.rank(node))];
    return own > 0 && graph_.lanes[graph_.nodes[node].lane].is_main ? part_of(ns, mean / own) : ns;
  };
  return change;
}

Change Changes::eager_messages() const {
  Change change;
  change.sends_are_free = true;
  return change;
}

std::vector<bool> Changes::only(Index site) const {
  std::vector<bool> sites(graph_.sites.size());
  sites[site] = true;
  return sites;
}

Change Changes::free_calls(const std::vector<bool>& sites) const {
  std::vector<bool> is_free(graph_.nodes.size());
  for (std::size_t node = 0; node < is_free.size(); ++node) is_free[node] = sites[graph_.nodes[node].site];
  for (const Link& link : graph_.links)
    if (sites[graph_.nodes[link.send_begin].site] && link.receive_end != none) is_free[link.receive_end] = true;
  for (const auto& [node, made_at] : entailed_)
    if (sites[made_at]) is_free[node] = true;
  std::vector<bool> are_parts_free(graph_.parts.size());
  for (std::size_t i = 0; i < graph_.parts.size(); ++i) are_parts_free[i] = is_free[graph_.parts[i].begin];
  Change change;
  change.is_free = [this, are_free = std::move(are_parts_free)](Index node, const Operation& of) {
    const Index part = graph_.part_of(of, graph_.rank(node));
    return part != none && are_free[part];
  };
  change.work = [this, is_free](Index node, std::int64_t ns) {
    const std::int64_t recording = is_free[node] ? recording_ns_[graph_.nodes[node].lane] : 0;
    return recording > 0 && ns <= longest_between ? 0 : ns - recording;
  };
  change.transfer = [is_free = std::move(is_free)](Index node, std::int64_t ns) { return is_free[node] ? 0 : ns; };
  return change;
}

std::int64_t Changes::own_ns(Index node) const { return waits_.transfer_ns(graph_, node); }

Changes::Changes(const Graph& graph, const Waits& waits, const Queues& queues, const WorkSums& work)
    : graph_(graph), waits_(waits), queues_(queues), work_(work) {
  std::vector<Index> seen(graph.sites.size(), none);  // by site: its last one among the completions
  for (Index node = 0; node < graph.nodes.size(); ++node)
    for (Index i = graph.ended_at[node]; i < graph.ended_at[node + 1]; ++i) {
      const Ended& one = graph.ended[i];
      if (one.what != Ended::send && one.what != Ended::receive) continue;
      const Link& link = graph.links[one.which];
      const Index begin = one.what == Ended::send ? link.send_begin : link.receive_begin;
      if (link.signal != Signal::message || begin == node) continue;
      const Index site = graph.nodes[begin].site;
      if (seen[site] == none || completions_[seen[site]].node != node) {
        seen[site] = static_cast<Index>(completions_.size());
        completions_.push_back({node, site, false});
      }
      if (!link.is_within_node) completions_[seen[site]].is_between_nodes = true;
    }
  for (const Lane& lane : graph.lanes) recording_ns_.push_back(usual_between_calls(graph, lane));
  std::vector<OfCommunicators> kinds;
  for (const Site& site : graph.sites) kinds.push_back(kind_of(site.function));
  if (std::ranges::count(kinds, OfCommunicators::makes) == 0) return;
  for (const Lane& lane : graph.lanes) find_entailed(lane, kinds);
}

void Changes::find_entailed(const Lane& lane, const std::vector<OfCommunicators>& kinds) {
  using Makers = std::vector<Index>;  // sites: of the call that made it, and of those that made what it was made from
  std::vector<Makers> made;
  std::size_t used = 0;  // of these
  std::unordered_map<Index, Makers> makers;
  const auto use = [&](Index comm) -> const Makers& {
    const auto [place, is_new] = makers.try_emplace(comm);
    if (is_new && used < made.size()) place->second = std::move(made[used++]);
    return place->second;
  };
  for (Index node = lane.first; node < lane.last; ++node) {
    const OfCommunicators kind = kinds[graph_.nodes[node].site];
    const bool makes = kind == OfCommunicators::makes;
    Makers own;
    for (Index i = graph_.ended_at[node]; i < graph_.ended_at[node + 1]; ++i) {
      const auto& [which, what] = graph_.ended[i];
      const Index comm =
          what == Ended::part ? graph_.operations[graph_.operation_of[which]].comm : graph_.links[which].comm;
      const Makers& of = use(comm);
      if (what != Ended::part || kind == OfCommunicators::neither) continue;
      for (const Index site : of) entailed_.push_back({node, site});
      if (makes) own = of;
      else makers.erase(comm);
    }
    if (!makes) continue;
    own.push_back(graph_.nodes[node].site);
    made.push_back(std::move(own));
  }
}

std::vector<std::pair<double, Index>> Changes::begun() const {
  std::vector<std::pair<double, Index>> sums(graph_.sites.size());
  for (Index site = 0; site < sums.size(); ++site) sums[site].second = site;
  for (const auto& [node, site, is_between] : completions_)
    sums[site].first += 1e-9 * static_cast<double>(own_ns(node));
  std::erase_if(sums, [](const auto& sum) { return sum.first <= 0; });
  std::ranges::sort(sums, std::greater{});
  return sums;
}

std::optional<Change> Changes::overlapped(Index site) const {
  std::vector<bool> completes(graph_.nodes.size());
  bool any = false;
  for (const auto& [node, begun, is_between] : completions_)
    if (begun == site && is_between) any = completes[node] = true;
  if (!any) return std::nullopt;
  const auto work_after = [this](Index node) {
    const bool is_last = node + 1 == graph_.lanes[graph_.nodes[node].lane].last;
    return is_last ? 0 : work_ns(graph_.nodes[node], graph_.nodes[node + 1]);
  };
  Change change;
  change.transfer = [completes = std::move(completes), work_after](Index node, std::int64_t ns) {
    return completes[node] ? ns - std::min(ns, work_after(node)) : ns;
  };
  return change;
}

Change Changes::eager(std::vector<bool> sites) const {
  Change change;
  change.eager_sites = std::move(sites);
  return change;
}

std::optional<Change> Changes::expected_messages() const {
  return queues_.is_usual_known() ? std::optional(expected_messages(none)) : std::nullopt;
}

/// `none`: anywhere.
Change Changes::expected_messages(Index site) const {
  Targets targets;
  for (const Search& search : queues_.searches())
    if (site == none || graph_.nodes[search.node].site == site) targets.emplace_back(search.node, search.usual_ns);
  Change change;
  change.transfer = as_in(std::move(targets));
  return change;
}

Change Changes::free_collectives() const {
  Change change;
  change.is_free = [](Index /*node*/, const Operation& of) { return of.pattern != Pattern::finalize; };
  change.transfer = [this](Index node, std::int64_t ns) {
    for (Index i = graph_.ended_at[node]; i < graph_.ended_at[node + 1]; ++i)
      if (graph_.ended[i].what == Ended::part) return std::int64_t{0};
    return ns;
  };
  return change;
}

}  // namespace cairn::waits
