// SPDX-License-Identifier: BSD-3-Clause
// comm_data.cc - expands what a process sent equally to all its partners

#include "cli/report/comm_data.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

#include "base/message.hpp"
#include "cli/report/reading.hpp"
#include "formats/ranks.hpp"
#include "formats/readers.hpp"

namespace cairn::report::comm {

namespace {

using formats::ranks_of;

/// The partners of the process that a share belongs to.
const std::vector<int>& partners(const Communicator& one, int rank) {
  if (one.remote.empty()) return one.members;
  return std::ranges::find(one.members, rank) != one.members.end() ? one.remote : one.members;
}

/// Members by group.
std::vector<double> census(const std::vector<int>& members, const std::vector<int>& group_of, int groups) {
  std::vector<double> counts(static_cast<std::size_t>(groups));
  for (const int rank : members)
    if (rank >= 0) ++counts[static_cast<std::size_t>(group_of[static_cast<std::size_t>(rank)])];
  return counts;
}

void visit_counts(const std::vector<double>& counts, int own, bool towards, const Volume& volume, const Visit& visit) {
  for (std::size_t group = 0; group < counts.size(); ++group) {
    if (counts[group] <= 0) continue;
    Volume all;
    all.add(volume, counts[group]);
    const int other = static_cast<int>(group);
    towards ? visit(own, other, all) : visit(other, own, all);
  }
}

/// Shares of one intra-communicator, from its last rank to its first: so the number of later ranks is known at each.
void visit_shares(const Communicator& one, std::vector<Share> shares, const std::vector<int>& group_of, int groups,
                  const Visit& visit) {
  std::map<int, std::size_t> place;
  for (std::size_t i = 0; i < one.members.size(); ++i) place.emplace(one.members[i], i);
  std::ranges::sort(shares, std::greater<>(), [&](const Share& share) { return place[share.rank]; });
  const std::vector<double> all = census(one.members, group_of, groups);
  std::vector<double> later(all.size());
  std::size_t passed = one.members.size();
  for (const Share& share : shares) {
    const auto group = static_cast<std::size_t>(group_of.at(static_cast<std::size_t>(share.rank)));
    for (; passed > place[share.rank] + 1; --passed)
      if (const int rank = one.members[passed - 1]; rank >= 0)
        ++later[static_cast<std::size_t>(group_of[static_cast<std::size_t>(rank)])];
    std::vector<double> counts = share.reach == Reach::to_later ? later : all;
    if (share.reach != Reach::to_later) --counts[group];  // itself
    visit_counts(counts, static_cast<int>(group), true, share, visit);
  }
}

void visit_facing(const Communicator& one, const std::vector<Share>& shares, const std::vector<int>& group_of,
                  int groups, const Visit& visit) {
  const std::array<std::vector<double>, 2> counts = {census(one.members, group_of, groups),
                                                     census(one.remote, group_of, groups)};
  for (const Share& share : shares) {
    const bool faces_first = &partners(one, share.rank) == &one.members;
    visit_counts(counts[faces_first ? 0 : 1], group_of.at(static_cast<std::size_t>(share.rank)),
                 share.reach != Reach::from_all, share, visit);
  }
}

}  // namespace

NodeRanks nodes_of(const formats::run::Summary& run, int ranks) {
  std::map<std::string, std::set<int>> by_name;
  const auto add = [&](const std::string& node, const std::string& text) {
    for (const int rank : ranks_of(text, ranks))
      if (rank >= 0 && rank < ranks && !node.empty()) by_name[node].insert(rank);
  };
  for (const formats::run::Place& place : run.places) add(place.node, place.ranks);
  for (const auto& [node, its] : run.nodes) add(node, its);
  if (run.ranks_on_host == ranks) add(run.host, fmt::format("0-{}", ranks - 1));  // as the launcher told the first one
  NodeRanks nodes;
  for (const auto& [node, its] : by_name) nodes.emplace_back(node, std::vector<int>(its.begin(), its.end()));
  return nodes;
}

std::span<const FlowKind> flow_kinds_of(Kind kind) {
  using namespace formats::comm;
  static constexpr std::array all = {formats::comm::p2p, put, fetched, formats::comm::coll};
  switch (kind) {
    case p2p:
      return std::span(all).first(1);
    case osc:
      return std::span(all).subspan(1, 2);
    default:
      return std::span(all).last(1);
  }
}

std::size_t flow_count(const Phase& phase, Kind kind) {
  std::size_t count = 0;
  for (const FlowKind one : flow_kinds_of(kind)) count += phase.flows[one].size();
  return count;
}

Data::Data(formats::comm::Summary file, Beside files_beside)
    : program(std::move(file.program)),
      ranks(file.ranks),
      is_saturated(file.saturated),
      has_lost(file.lost),
      of_tools(file.of_tools),
      beside(std::move(files_beside)) {
  formats::check_ranks(file);
  read_nodes(file.nodes);
  for (formats::comm::Communicator& one : file.communicators)
    communicators.push_back({std::move(one.name), one.processes, ranks_of(one.processes, ranks),
                             ranks_of(one.remote, ranks), static_cast<double>(one.number)});
  phases = std::move(file.phases);
  moments = std::move(file.moments);
  for (std::vector<Flow>* const flows : {&beside.inner, &beside.modelled})
    std::erase_if(*flows, [&](const Flow& flow) { return std::max(flow.from, flow.to) >= ranks; });
}

/// A rank that the file does not have is on the node of those that ran with it: the file may spell its name in another way.
void Data::read_nodes(std::vector<formats::comm::Node>& known) {
  node_of.assign(static_cast<std::size_t>(ranks), unknown_node);
  for (formats::comm::Node& node : known) {
    for (const int rank : node.ranks)
      if (rank >= 0 && rank < ranks) node_of[static_cast<std::size_t>(rank)] = static_cast<int>(nodes.size());
    nodes.push_back(std::move(node.name));
  }
  for (const auto& [name, on_it] : comm::nodes_of(beside.run, ranks)) {
    if (std::ranges::all_of(on_it, [&](int rank) { return knows_node(rank); })) continue;
    const auto first = std::ranges::find_if(on_it, [&](int rank) { return knows_node(rank); });
    const auto same = std::ranges::find(nodes, name) - nodes.begin();
    const int number = first == on_it.end() ? static_cast<int>(same) : node_of[static_cast<std::size_t>(*first)];
    if (number == static_cast<int>(nodes.size())) nodes.push_back(name);
    for (const int rank : on_it)
      if (!knows_node(rank)) node_of[static_cast<std::size_t>(rank)] = number;
  }
}

std::vector<int> Data::ranks_without_node() const {
  std::vector<int> unknown;
  for (int rank = 0; rank < ranks; ++rank)
    if (!knows_node(rank)) unknown.push_back(rank);
  return unknown;
}

std::vector<Problem> doubts_of(const Data& data, const std::string& file) {
  std::vector<Problem> doubts;
  if (data.has_lost) doubts.emplace_back("'" + file + "' does not have all: some rank had no memory for more");
  if (data.is_saturated)
    doubts.emplace_back("'" + file + "' has a sum of bytes that did not fit, and stayed at the greatest number");
  return doubts;
}

void for_each_flow(const Data& data, const Phase& phase, Kind kind, const std::vector<int>& group_of, int groups,
                   const Visit& visit) {
  for (const FlowKind one : flow_kinds_of(kind))
    for (const Flow& flow : phase.flows[one])
      if (flow.from >= 0 && flow.to >= 0)
        visit(group_of.at(static_cast<std::size_t>(flow.from)), group_of.at(static_cast<std::size_t>(flow.to)), flow);
  if (kind != coll) return;
  std::map<std::size_t, std::vector<Share>> by_communicator;
  for (const Share& share : phase.shares)
    if (share.rank >= 0) by_communicator[share.communicator].push_back(share);
  for (const auto& [number, shares] : by_communicator) {
    const Communicator& one = data.communicators.at(number);
    if (one.remote.empty()) visit_shares(one, shares, group_of, groups, visit);
    else visit_facing(one, shares, group_of, groups, visit);
  }
}

double shared_pairs(const Data& data, const Phase& phase) {
  double pairs = 0;
  for (const Share& share : phase.shares)
    pairs += static_cast<double>(data.communicators.at(share.communicator).members.size());
  return pairs;
}

void add_by_rank(const Data& data, const Phase& phase, Kind kind, std::vector<Volume>& sent,
                 std::vector<Volume>& received) {
  for (const FlowKind one : flow_kinds_of(kind))
    for (const Flow& flow : phase.flows[one]) {
      if (flow.from >= 0) sent.at(static_cast<std::size_t>(flow.from)).add(flow);
      if (flow.to >= 0) received.at(static_cast<std::size_t>(flow.to)).add(flow);
    }
  if (kind != coll) return;
  // What everybody receives, summed by communicator and reach, so that the work does not grow with the number of pairs.
  std::map<std::tuple<std::size_t, const std::vector<int>*>, Volume> to_all;
  std::map<std::size_t, std::map<int, Volume>> to_later;
  const auto place = [](int rank) { return static_cast<std::size_t>(rank); };
  for (const Share& share : phase.shares) {
    const Communicator& one = data.communicators.at(share.communicator);
    const std::vector<int>& others = partners(one, share.rank);
    const double count = static_cast<double>(others.size()) - (one.remote.empty() ? 1 : 0);
    if (share.reach == Reach::to_all) {
      sent.at(place(share.rank)).add(share, count);
      to_all[{share.communicator, &others}].add(share);
      if (one.remote.empty()) received.at(place(share.rank)).add(share, -1);
    } else if (share.reach == Reach::from_all) {
      received.at(place(share.rank)).add(share, count);
      for (const int rank : others)
        if (rank >= 0) sent.at(place(rank)).add(share);
    } else {
      to_later[share.communicator][share.rank].add(share);
    }
  }
  for (const auto& [key, volume] : to_all)
    for (const int rank : *std::get<1>(key))
      if (rank >= 0) received.at(place(rank)).add(volume);
  for (auto& [number, shares] : to_later) {
    Volume before;
    double rest = static_cast<double>(data.communicators.at(number).members.size());
    for (const int rank : data.communicators.at(number).members) {
      --rest;
      if (rank < 0) continue;
      received.at(place(rank)).add(before);
      sent.at(place(rank)).add(shares[rank], rest);
      before.add(shares[rank]);
    }
  }
}

namespace {

/// Those of all ranks that left one; nothing if there is none. What cannot be read is among the warnings.
std::optional<formats::comm::Summary> read_snapshots(const std::string& folder, const std::string& identity,
                                                     std::vector<Problem>& warnings) {
  std::optional<formats::comm::Summary> whole;
  std::size_t ranks = 0;
  for (const std::string& path : snapshots_in(folder)) try {
      formats::comm::Summary one = formats::read_comm(parse_result(path, identity, formats::comm_tag));
      ++ranks;
      if (whole) merge(*whole, std::move(one));
      else whole = std::move(one);
    } catch (const Problem& problem) {
      warnings.push_back(problem);
    } catch (const formats::Damaged& damage) {
      warnings.emplace_back("'" + path + "' is damaged: " + damage.what());
    }
  if (!whole && !warnings.empty()) throw Problem(warnings.front());
  if (whole) warnings.push_back(snapshots_only(folder, ranks));
  return whole;
}

}  // namespace

Recorded read_recorded(const std::string& run, const std::string& instance, const std::string& asked) {
  const std::string folder = run + "/" + instance;
  std::string file = run + "/run.json";
  try {
    std::string identity;
    if (std::filesystem::exists(file)) identity = formats::read_run(parse_file(file, formats::run_tag)).identity;
    file = folder + "/comm.json";
    std::vector<Problem> warnings;
    std::optional<formats::comm::Summary> summary;
    if (std::filesystem::exists(file)) summary = formats::read_comm(parse_result(file, identity, formats::comm_tag));
    else summary = read_snapshots(file = folder, identity, warnings);
    if (!summary)
      throw Problem("'" + run + "' has no results of comm", "cairn run --tools comm --out " + run + " PROGRAM", asked);
    Data data(*summary, Beside(folder));
    for (const Problem& doubt : doubts_of(data, file)) warnings.push_back(doubt);
    return {std::move(*summary), std::move(data), std::move(warnings)};
  } catch (const formats::Damaged& damage) {
    throw Problem("'" + file + "' is damaged: " + damage.what(), "running the program again with 'cairn run'");
  }
}

}  // namespace cairn::report::comm
