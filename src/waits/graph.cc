// SPDX-License-Identifier: BSD-3-Clause
// graph.cc - putting the records of ranks together

#include "waits/graph.hpp"

#include <algorithm>
#include <cctype>
#include <map>
#include <tuple>
#include <unordered_map>

#include "waits/cut.hpp"

namespace cairn::waits {

namespace {

constexpr std::uint64_t finalize_identity = 1;
constexpr std::size_t most_carried = 1'000'000;  // messages

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
  std::string name(function.substr(function.starts_with("MPIX_") ? 5 : std::min<std::size_t>(4, function.size())));
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

struct Graph::Known {
  explicit Known(const Graph& graph) {
    for (Index i = 0; i < graph.sites.size(); ++i) sites.emplace(graph.sites[i], i);
    for (Index i = 0; i < graph.regions.size(); ++i) regions.emplace(graph.regions[i], i);
    for (Index i = 0; i < graph.comms.size(); ++i) comms.emplace(graph.comms[i].identity, i);
  }

  std::map<Site, Index> sites;
  std::map<std::string, Index> regions;
  std::unordered_map<std::uint64_t, Index> comms;
};

Graph::Graph(std::vector<RankRecords> records, Carried carried)
    : sites(std::move(carried.sites)),
      regions(std::move(carried.regions)),
      comms(std::move(carried.comms)),
      carried_(std::move(carried.sent)),
      sources_(std::move(carried.sources)) {
  std::ranges::stable_sort(records, {}, &RankRecords::rank);
  const auto is_same = [](const RankRecords& one, const RankRecords& other) { return one.rank == other.rank; };
  records.erase(std::unique(records.begin(), records.end(), is_same), records.end());
  share_time(records);
  has_one_clock_ =
      std::ranges::all_of(records, [&](const RankRecords& one) { return one.node == records.front().node; });
  over_ns = INT64_MIN;
  reserve_for(records);
  Known known(*this);
  for (RankRecords& own : records) {
    size = std::max({size, own.size, own.rank + 1});
    section = own.section;
    is_last = own.is_last;
    over_ns = std::max(over_ns, own.over + own.shift_ns);
    rename(own, known);
    add(own);
    own = {};
  }
  begin_earlier();
  add_carried();
  match();
  add_finalize();
  find_operations();
  correct_clocks();
  find_first_starts();
  find_starts();
  find_joins();
  find_locks_of_unknown();
  find_locks();
  find_ended();
  begin_ns = end_ns = nodes.empty() ? 0 : nodes.front().entry;
  for (const Lane& lane : lanes)
    if (lane.is_main) {
      begin_ns = std::min(begin_ns, nodes[lane.first].entry);
      end_ns = std::max(end_ns, nodes[lane.last - 1].entry);
    }
}

/// What the records name by their own places, by the graph's; and moments by the time of day.
void Graph::rename(RankRecords& own, Known& known) {
  const std::vector<Index> site = merged(sites, own.sites, known.sites);
  const std::vector<Index> region = merged(regions, own.regions, known.regions);
  for (Call& call : own.calls)
    call = {call.entry + own.shift_ns, call.exit + own.shift_ns, site[call.site], region[call.region],
            region[call.before]};
  for (Spell& spell : own.spells) spell.region = region[spell.region];
  for (Sample& sample : own.samples) sample.site = site[sample.site];
  std::vector<Index> comm;
  for (const Comm& one : own.comms) {
    const auto [place, is_new] = known.comms.try_emplace(one.identity, static_cast<Index>(comms.size()));
    if (is_new) comms.push_back(one);
    comm.push_back(place->second);
    if (!one.sources.empty()) sources_[{place->second, own.rank}] = one.sources;
  }
  for (Lock& lock : own.locks) lock.comm = comm[lock.comm];
  for (MessageEnd& end : own.messages) end.comm = comm[end.comm];
  for (Together& part : own.together) {
    part.comm = comm[part.comm];
    if (part.described != none) part.described = site[part.described];
  }
}

void Graph::reserve_for(const std::vector<RankRecords>& records) {
  std::size_t calls = 0;
  std::size_t sent = carried_.size();
  std::size_t received = 0;
  for (const RankRecords& own : records) {
    calls += own.calls.size();
    for (const MessageEnd& end : own.messages) ++(end.is_sender ? sent : received);
  }
  nodes.reserve(calls);
  sent_.reserve(sent);
  received_.reserve(received);
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
    lanes.push_back({records.rank, before + thread.first, last, is_main, thread.begins_earlier,
                     is_main && ends == "MPI_Finalize", none});
    for (Index i = thread.first; i < thread.first + thread.count; ++i) {
      const Call& call = records.calls[i];
      nodes.push_back({call.entry, std::max(call.entry, call.exit), call.site, call.region, call.before,
                       static_cast<Index>(lanes.size() - 1)});
    }
    is_main = false;
  }
  ranks += is_main ? 0 : 1;
  const auto whole = [&](Index call) { return call == none ? none : before + call; };
  for (const MessageEnd& end : records.messages) {
    const Index begin = whole(end.begin);
    const bool is_new = end.is_sender ? !is_earlier(begin) : end.end != none;
    if (end.signal == Signal::message && is_new) ++(end.is_sender ? counts.sends : counts.receives);
    const bool is_matched = end.flow != 0 && records.left_out == 0;  // messages are counted over all threads
    const End one{end.flow, end.bytes, begin, whole(end.end), end.comm, end.signal, end.mode, end.of_any, false};
    if (!is_matched) leave_unpaired(one, !end.is_sender);
    else (end.is_sender ? sent_ : received_).push_back(one);
  }
  for (const Probe& probe : records.probes)
    probed_.emplace_back(records.messages[probe.message].flow, whole(probe.call));
  for (const Lock& lock : records.locks)
    locks_.push_back({lock.comm, lock.target, lock.is_exclusive, whole(lock.begin), whole(lock.end), whole(lock.had)});
  for (const Index call : records.unknown) unknown.push_back(whole(call));
  for (const Spell& spell : records.spells) spells.push_back({whole(spell.call), spell.region, spell.ns});
  for (const Sample& sample : records.samples)
    samples.push_back({whole(sample.call), sample.site, sample.times, sample.ns});
  for (const Together& part : records.together)
    taken_.push_back({comms[part.comm].identity,
                      part.number,
                      pattern_of(part.described != none ? sites[part.described].function : function(whole(part.begin))),
                      part.comm,
                      part.root,
                      {whole(part.begin), whole(part.end), records.rank}});
}

/// What stands for earlier calls was entered before anything in this section, whose ranks do not begin it at once.
void Graph::begin_earlier() {
  std::int64_t begin = INT64_MAX;
  for (const Lane& lane : lanes)
    if (lane.begins_earlier) begin = std::min(begin, nodes[lane.first].entry);
  for (const Lane& lane : lanes)
    if (lane.begins_earlier) nodes[lane.first].entry = begin;
}

/// As if sent by the call that stands for their senders' earlier ones.
void Graph::add_carried() {
  std::map<int, Index> begins;
  for (const Lane& lane : lanes)
    if (lane.is_main) begins[lane.rank] = lane.first;
  for (const Carried::Sent& sent : carried_)
    if (const auto begin = begins.find(sent.rank); begin != begins.end())
      sent_.push_back({sent.flow, sent.bytes, begin->second, none, sent.comm, sent.signal, sent.mode, 0, true});
  carried_.clear();
}

/// One that was sent in an earlier section and is completed in this one comes twice: the call that completes it is
/// known of one of them, the other one tells how it was sent.
void Graph::join_sent() {
  std::ranges::stable_sort(sent_, {}, &End::flow);
  std::size_t kept = 0;
  for (const End& sent : sent_) {
    if (kept == 0 || sent_[kept - 1].flow != sent.flow) {
      sent_[kept++] = sent;
      continue;
    }
    End& same = sent_[kept - 1];
    if (same.end == none) same.end = sent.end;
    if (same.mode == SendMode::standard) same.mode = sent.mode;
    same.is_carried = same.is_carried || sent.is_carried;
  }
  sent_.resize(kept);
}

void Graph::leave_unpaired(const End& one, bool is_receive) {
  const bool may_need_receiver = one.signal == Signal::message && one.mode != SendMode::buffered;
  if (is_receive || may_need_receiver)
    unpaired.push_back({one.end, one.bytes, is_receive, one.mode == SendMode::synchronous});
}

/// It is not received in this section.
void Graph::pass(const End& sent) {
  const bool is_old = is_earlier(sent.begin) && !sent.is_carried;
  if (!is_old || !has_all_ranks()) leave_unpaired(sent, false);
  if (is_last || is_old) return;  // the other end was there in its section
  carried_.push_back({rank(sent.begin), sent.flow, sent.bytes, sent.comm, sent.signal, sent.mode});
}

Carried Graph::carry() && {
  if (carried_.size() > most_carried)
    carried_.erase(carried_.begin(), carried_.end() - static_cast<std::ptrdiff_t>(most_carried));
  return {std::move(sites), std::move(regions), std::move(comms), std::move(sources_), std::move(carried_)};
}

void Graph::match() {
  join_sent();
  links.reserve(std::min(sent_.size(), received_.size()));
  std::ranges::sort(received_, {}, &End::flow);
  std::ranges::sort(probed_);
  auto send = sent_.begin();
  auto probe = probed_.begin();
  auto known = probe;  // of those before it, the link is known
  const auto lose = [&](const auto& found) { unpaired.push_back({found.second, 0, true, false}); };
  for (const End& receive : received_) {
    for (; send != sent_.end() && send->flow < receive.flow; ++send) pass(*send);
    if (send == sent_.end() || send->flow != receive.flow) {
      if (!is_answered_earlier(receive.begin)) leave_unpaired(receive, true);
      continue;
    }
    for (; probe != probed_.end() && probe->first < receive.flow; ++probe) lose(*probe);
    for (; probe != probed_.end() && probe->first == receive.flow; ++probe) *known++ = {links.size(), probe->second};
    const auto node_of = [&](Index call) -> const std::string& {
      return node_of_rank[static_cast<std::size_t>(rank(call))];
    };
    links.push_back({send->begin, send->end, receive.begin, receive.end, send->bytes, receive.comm, send->mode,
                     receive.signal, node_of(send->begin) == node_of(receive.begin), receive.of_any});
    const bool is_new = send->is_carried || !is_earlier(send->begin) || !is_earlier(receive.begin);
    if (receive.signal == Signal::message && is_new) ++counts.matched;
    ++send;
  }
  for (; send != sent_.end(); ++send) pass(*send);
  for (; probe != probed_.end(); ++probe) lose(*probe);
  probed_.erase(known, probed_.end());
  sent_ = {};
  received_ = {};
}

/// MPI_Finalize as an operation of all ranks. It is not over when records are taken: it lasts until the last one comes.
void Graph::add_finalize() {
  std::int64_t last = INT64_MIN;
  for (const Lane& lane : lanes)
    if (lane.is_whole) last = std::max(last, nodes[lane.last - 1].entry);
  if (last == INT64_MIN) return;
  const auto comm = static_cast<Index>(comms.size());
  comms.push_back({finalize_identity, "", size, {}});
  for (const Lane& lane : lanes) {
    if (!lane.is_whole) continue;
    nodes[lane.last - 1].exit = last;
    taken_.push_back(
        {finalize_identity, 0, Pattern::finalize, comm, no_root, {lane.last - 1, lane.last - 1, lane.rank}});
  }
}

void Graph::find_operations() {
  std::ranges::sort(taken_, [](const Taken& one, const Taken& other) {
    return std::tie(one.identity, one.number, one.part.rank) < std::tie(other.identity, other.number, other.part.rank);
  });
  for (std::size_t i = 0; i < taken_.size();) {
    Operation operation{taken_[i].pattern, taken_[i].comm, static_cast<Index>(parts.size())};
    const std::size_t first = i;
    for (;
         i < taken_.size() && taken_[i].identity == taken_[first].identity && taken_[i].number == taken_[first].number;
         ++i) {
      if (taken_[i].root == outside) continue;
      if (taken_[i].root >= 0) operation.root = taken_[i].root;
      parts.push_back(taken_[i].part);
      operation_of.push_back(static_cast<Index>(operations.size()));
    }
    operation.count = static_cast<Index>(parts.size()) - operation.first;
    operation.is_whole = static_cast<int>(i - first) >= comms[operation.comm].size;
    bool is_new = false;
    bool is_over = is_last;
    for (std::size_t part = first; part < i; ++part) {
      is_new = is_new || !is_earlier(taken_[part].part.begin);
      is_over = is_over || taken_[part].part.end != none;
    }
    if (is_new && operation.count != 0) ++counts.collectives;
    if (is_new && is_over && !operation.is_whole) ++counts.incomplete;
    if (operation.count != 0) operations.push_back(operation);
  }
  taken_ = {};
}

Index Graph::part_of(const Operation& operation, int rank) const {
  const auto begin = parts.begin() + operation.first;
  const auto found = std::lower_bound(begin, begin + operation.count, rank,
                                      [](const Part& part, int wanted) { return part.rank < wanted; });
  return found != begin + operation.count && found->rank == rank ? static_cast<Index>(found - parts.begin()) : none;
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
    for (const auto& [link, probe] : probed_) visit(probe, Ended{static_cast<Index>(link), Ended::probe});
  };
  each([&](Index node, Ended) { ++ended_at[node + 1]; });
  for (std::size_t i = 1; i < ended_at.size(); ++i) ended_at[i] += ended_at[i - 1];
  ended.resize(ended_at.back());
  std::vector<Index> next(ended_at.begin(), ended_at.end() - 1);
  each([&](Index node, Ended what) { ended[next[node]++] = what; });
}

}  // namespace cairn::waits
