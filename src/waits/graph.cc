// SPDX-License-Identifier: BSD-3-Clause
// graph.cc - putting the records of ranks together

#include "waits/graph.hpp"

#include <algorithm>
#include <cctype>
#include <map>
#include <tuple>
#include <unordered_map>

namespace cairn::waits {

namespace {

constexpr std::uint64_t finalize_identity = 1;

bool has(const std::string& function, std::string_view part) { return function.find(part) != std::string::npos; }

/// The place of each of a rank's among all.
template <class Thing, class Known>
std::vector<Index> merged(std::vector<Thing>& all, const std::vector<Thing>& own, Known& known) {
  std::vector<Index> places;
  for (const Thing& one : own) {
    const auto [place, is_new] = known.try_emplace(one, static_cast<Index>(all.size()));
    if (is_new) all.push_back(one);
    places.push_back(place->second);
  }
  return places;
}

}  // namespace

Pattern pattern_of(std::string_view function) {
  using enum Pattern;
  if (function == "MPI_Finalize") return finalize;
  if (function == "MPI_Win_fence") return fence;
  std::string name(function.substr(std::min<std::size_t>(4, function.size())));
  for (const char* const what : {"Comm_", "Win_", "Cart_", "Graph_", "Dist_graph", "Intercomm_", "Session_"})
    if (name.starts_with(what)) return creation;
  if (name.starts_with("File_")) return io;
  for (char& letter : name) letter = static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
  if (name.starts_with("i")) name.erase(0, 1);
  if (name.starts_with("barrier")) return barrier;
  if (name.starts_with("bcast") || name.starts_with("scatter")) return one_to_n;
  if (name.starts_with("reduce_scatter")) return n_to_n;
  if (name.starts_with("reduce") || name.starts_with("gather")) return n_to_one;
  if (name.starts_with("scan") || name.starts_with("exscan")) return scan;
  return name.starts_with("neighbor") ? neighbors : n_to_n;
}

namespace {

/// Of one node, moments are as they are; of several, by the nodes' time of day.
void align(std::vector<RankRecords>& records) {
  const bool is_one = std::ranges::all_of(records, [&](const auto& one) { return one.node == records[0].node; });
  for (RankRecords& one : records)
    if (is_one) one.shift_ns = 0;
}

}  // namespace

Graph::Graph(std::vector<RankRecords> records) {
  std::ranges::stable_sort(records, {}, &RankRecords::rank);
  const auto is_same = [](const RankRecords& one, const RankRecords& other) { return one.rank == other.rank; };
  records.erase(std::unique(records.begin(), records.end(), is_same), records.end());
  align(records);
  std::map<Site, Index> known_sites;
  std::map<std::string, Index> known_regions;
  std::unordered_map<std::uint64_t, Index> known_comms;
  for (RankRecords& own : records) {
    size = std::max({size, own.size, own.rank + 1});
    const std::vector<Index> site = merged(sites, own.sites, known_sites);
    const std::vector<Index> region = merged(regions, own.regions, known_regions);
    for (Call& call : own.calls)
      call = {call.entry + own.shift_ns, call.exit + own.shift_ns, site[call.site], region[call.region],
              region[call.before]};
    for (Spell& spell : own.spells) spell.region = region[spell.region];
    for (Sample& sample : own.samples) sample.site = site[sample.site];
    std::vector<Index> comm;
    for (const Comm& one : own.comms) {
      const auto [place, is_new] = known_comms.try_emplace(one.identity, static_cast<Index>(comms.size()));
      if (is_new) comms.push_back(one);
      comm.push_back(place->second);
      if (!one.sources.empty()) sources_[{place->second, own.rank}] = one.sources;
    }
    for (Lock& lock : own.locks) lock.comm = comm[lock.comm];
    for (MessageEnd& end : own.messages) end.comm = comm[end.comm];
    for (Together& part : own.together) part.comm = comm[part.comm];
    add(own);
    own = {};
  }
  match();
  add_finalize();
  find_operations();
  find_locks();
  find_probed();
  find_ended();
  correct_clocks();
  begin_ns = end_ns = nodes.empty() ? 0 : nodes.front().entry;
  for (const Lane& lane : lanes)
    if (lane.is_main) {
      begin_ns = std::min(begin_ns, nodes[lane.first].entry);
      end_ns = std::max(end_ns, nodes[lane.last - 1].entry);
    }
}

void Graph::add(RankRecords& records) {
  node_of_rank.resize(static_cast<std::size_t>(size));
  node_of_rank[static_cast<std::size_t>(records.rank)] = records.node;
  const auto before = static_cast<Index>(nodes.size());
  bool is_main = true;
  for (const ThreadCalls& thread : records.threads) {
    if (thread.count == 0) continue;
    const Index last = before + thread.first + thread.count;
    const std::string& ends = sites[records.calls[thread.first + thread.count - 1].site].function;
    lanes.push_back({records.rank, before + thread.first, last, is_main, is_main && ends == "MPI_Finalize"});
    for (Index i = thread.first; i < thread.first + thread.count; ++i) {
      const Call& call = records.calls[i];
      nodes.push_back({call.entry, std::max(call.entry, call.exit), call.site, call.region, call.before,
                       static_cast<Index>(lanes.size() - 1)});
    }
    is_main = false;
  }
  const auto whole = [&](Index call) { return call == none ? none : before + call; };
  for (const MessageEnd& end : records.messages) {
    if (end.signal == Signal::message) ++(end.is_sender ? counts.sends : counts.receives);
    if (end.flow != 0)
      (end.is_sender ? sent_ : received_)
          .push_back({end.flow, end.bytes, whole(end.begin), whole(end.end), end.comm, end.signal});
  }
  for (const Lock& lock : records.locks)
    locks_.push_back({lock.comm, lock.target, lock.is_exclusive, whole(lock.begin), whole(lock.end), whole(lock.had)});
  for (const Spell& spell : records.spells) spells.push_back({whole(spell.call), spell.region, spell.ns});
  for (const Sample& sample : records.samples) samples.push_back({whole(sample.call), sample.site, sample.ns});
  for (const Together& part : records.together)
    taken_.push_back({comms[part.comm].identity,
                      part.number,
                      pattern_of(function(whole(part.begin))),
                      part.comm,
                      part.root,
                      {whole(part.begin), whole(part.end), records.rank}});
}

void Graph::match() {
  std::ranges::sort(sent_, {}, &End::flow);
  std::ranges::sort(received_, {}, &End::flow);
  auto send = sent_.begin();
  for (const End& receive : received_) {
    while (send != sent_.end() && send->flow < receive.flow) ++send;
    if (send == sent_.end()) break;
    if (send->flow != receive.flow) continue;
    const std::string& how = function(send->begin);
    links.push_back({send->begin, send->end, receive.begin, receive.end, send->bytes, receive.comm,
                     has(how, "Ssend") || has(how, "Issend"), receive.signal});
    if (receive.signal == Signal::message) ++counts.matched;
    ++send;
  }
  sent_ = {};
  received_ = {};
}

/// MPI_Finalize as an operation of all ranks. It is not over when records are taken: it lasts until the last one comes.
void Graph::add_finalize() {
  std::int64_t last = INT64_MIN;
  for (const Lane& lane : lanes)
    if (lane.is_whole) last = std::max(last, nodes[lane.last - 1].entry);
  const auto comm = static_cast<Index>(comms.size());
  comms.push_back({finalize_identity, "", size, {}});
  for (const Lane& lane : lanes) {
    if (!lane.is_whole) continue;
    nodes[lane.last - 1].exit = last;
    taken_.push_back({finalize_identity, 0, Pattern::finalize, comm, -1, {lane.last - 1, lane.last - 1, lane.rank}});
  }
}

void Graph::find_operations() {
  std::ranges::sort(taken_, [](const Taken& one, const Taken& other) {
    return std::tie(one.identity, one.number, one.part.rank) < std::tie(other.identity, other.number, other.part.rank);
  });
  for (std::size_t i = 0; i < taken_.size();) {
    Operation operation{taken_[i].pattern, taken_[i].comm, static_cast<Index>(parts.size()), 0, taken_[i].root};
    const std::size_t first = i;
    for (;
         i < taken_.size() && taken_[i].identity == taken_[first].identity && taken_[i].number == taken_[first].number;
         ++i) {
      parts.push_back(taken_[i].part);
      operation_of.push_back(static_cast<Index>(operations.size()));
    }
    operation.count = static_cast<Index>(i - first);
    operation.is_whole = static_cast<int>(operation.count) >= comms[operation.comm].size;
    if (!operation.is_whole) ++counts.incomplete;
    operations.push_back(operation);
  }
  taken_ = {};
}

Index Graph::part_of(const Operation& operation, int rank) const {
  const auto begin = parts.begin() + operation.first;
  const auto found = std::lower_bound(begin, begin + operation.count, rank,
                                      [](const Part& part, int wanted) { return part.rank < wanted; });
  return found != begin + operation.count && found->rank == rank ? static_cast<Index>(found - parts.begin()) : none;
}

/// The message that a call has waited for without receiving it is the one that its thread asks for next.
void Graph::find_probed() {
  const auto is_probe = [&](const Node& node) {
    const std::string& function = sites[node.site].function;
    return function == "MPI_Probe" || function == "MPI_Mprobe";
  };
  if (std::ranges::none_of(nodes, is_probe)) return;
  std::vector<Index> asked_for(nodes.size(), none);  // link, by the call that asks for it
  for (Index i = 0; i < links.size(); ++i)
    if (links[i].signal == Signal::message) asked_for[links[i].receive_begin] = i;
  for (const Lane& lane : lanes) {
    Index next = none;
    for (Index node = lane.last; node-- > lane.first;) {
      if (next != none && is_probe(nodes[node])) probed_.emplace_back(node, next);
      if (asked_for[node] != none) next = asked_for[node];
    }
  }
}

void Graph::find_ended() {
  ended_at.assign(nodes.size() + 1, 0);
  const auto each = [&](auto visit) {
    for (Index i = 0; i < links.size(); ++i) {
      if (links[i].receive_end != none) visit(links[i].receive_end, Ended{i, Ended::receive});
      if (links[i].send_end != none) visit(links[i].send_end, Ended{i, Ended::send});
    }
    for (Index i = 0; i < parts.size(); ++i)
      if (parts[i].end != none) visit(parts[i].end, Ended{i, Ended::part});
    for (const auto& [probe, link] : probed_) visit(probe, Ended{link, Ended::probe});
  };
  each([&](Index node, Ended) { ++ended_at[node + 1]; });
  for (std::size_t i = 1; i < ended_at.size(); ++i) ended_at[i] += ended_at[i - 1];
  ended.resize(ended_at.back());
  std::vector<Index> next(ended_at.begin(), ended_at.end() - 1);
  each([&](Index node, Ended what) { ended[next[node]++] = what; });
}

/// A message that was received before it was sent: its receiver's calls from there on are later, as far as they must be.
void Graph::correct_clocks() {
  std::vector<Index> late;
  for (Index i = 0; i < links.size(); ++i)
    if (links[i].signal == Signal::message && links[i].receive_end != none &&
        nodes[links[i].receive_end].exit < nodes[links[i].send_begin].entry)
      late.push_back(i);
  if (late.empty()) return;
  std::ranges::sort(late, {}, [&](Index i) { return nodes[links[i].send_begin].entry; });
  for (const Index i : late) {
    const Index at = links[i].receive_end;
    const std::int64_t by = nodes[links[i].send_begin].entry - nodes[at].exit;
    if (by <= 0) continue;
    ++counts.corrected;
    counts.largest_ns = std::max(counts.largest_ns, by);
    nodes[at].exit += by;
    const Index last = lanes[nodes[at].lane].last;
    for (Index node = at + 1; node < last && nodes[node].entry < nodes[node - 1].exit; ++node) {
      const std::int64_t more = nodes[node - 1].exit - nodes[node].entry;  // gaps between calls take up what they can
      nodes[node].entry += more;
      nodes[node].exit += more;
    }
  }
}

}  // namespace cairn::waits
