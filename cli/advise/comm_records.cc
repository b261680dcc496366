// SPDX-License-Identifier: BSD-3-Clause
// comm_records.cc - from comm.json to records: pairs of ranks, and collectives in disguise

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "cli/advise/record_writer.hpp"
#include "cli/report/categories.hpp"
#include "cli/report/comm_data.hpp"
#include "formats/readers.hpp"
#include "placement/best.hpp"

namespace cairn::advise {

namespace {

using report::comm::Volume;

/// Many small messages, which few large ones could replace.
bool is_tiny(const Volume& volume) { return volume.messages > 10'000 && volume.bytes < 256 * volume.messages; }

/// Messages between ranks, phases added up.
class Traffic {
 public:
  Traffic(const report::comm::Data& data, double message_time) : ranks_(data.ranks) {
    for (const report::comm::Phase& phase : data.phases)
      for (const report::comm::Flow& flow : phase.flows[formats::comm::p2p])
        if (flow.from >= 0 && flow.to >= 0) pairs_[{flow.from, flow.to}].add(flow);
    double messages = 0;
    for (const auto& [pair, volume] : pairs_) messages += volume.messages;
    time_of_message_ = message_time / messages;
  }
  const auto& pairs() const { return pairs_; }
  /// Seconds of an average rank; not a number where they are not known.
  double time_of(const Volume& volume) const { return volume.messages * time_of_message_; }

  /// A collective in disguise: every message of these pairs, about as many and as large for each.
  void find_patterns(std::vector<Record>& out) const {
    if (ranks_ < 4) return;
    Group all;
    std::map<int, Group> from;
    std::map<int, Group> to;
    for (const auto& [pair, volume] : pairs_)
      if (pair.first != pair.second)
        for (Group* const group : {&all, &from[pair.first], &to[pair.second]}) group->add(volume);
    if (add_pattern(out, "MPI_Alltoall", -1, all, static_cast<double>(ranks_) * (ranks_ - 1))) return;
    for (const auto& [rank, group] : from) add_pattern(out, "MPI_Bcast or MPI_Scatter", rank, group, ranks_ - 1);
    for (const auto& [rank, group] : to) add_pattern(out, "MPI_Gather or MPI_Reduce", rank, group, ranks_ - 1);
  }

 private:
  /// Pairs that may be a collective together.
  struct Group {
    Volume sum;
    double least = INFINITY;  // messages of a pair
    double most = 0;
    double count = 0;  // pairs

    void add(const Volume& volume) {
      ++count;
      sum.add(volume);
      least = std::min(least, volume.messages);
      most = std::max(most, volume.messages);
    }
  };

  bool add_pattern(std::vector<Record>& out, const char* name, int root, const Group& group, double wanted) const {
    if (group.count < wanted || group.most > 1.1 * group.least + 1) return false;
    Writer writer(out.emplace_back(), "pattern");
    writer.put("name", std::string(name));
    writer.put("root", root);
    writer.put("at_root", root < 0 ? std::string() : " with root " + std::to_string(root));
    writer.put("ranks", ranks_);
    writer.put("messages", group.sum.messages);
    writer.put("rounds", group.sum.messages / group.count);
    writer.put("spared", spared_by_tree());
    writer.put("bytes", group.sum.bytes);
    writer.put("time", time_of(group.sum));
    return true;
  }

  /// A tree takes log2 of the number of ranks steps, messages one by one take a step for each rank but one.
  double spared_by_tree() const {
    return ranks_ < 2 ? 0 : 1 - std::ceil(std::log2(static_cast<double>(ranks_))) / (ranks_ - 1);
  }

  int ranks_;
  double time_of_message_ = 0;
  std::map<std::pair<int, int>, Volume> pairs_;
};

/// The call that most probably sends what a record is about: of those on that rank alone, or else of all, the one that
/// makes nearly all of the calls. -1: of any rank.
void put_sender(const std::vector<Record>& sites, double rank, const char* kind, Record& record) {
  constexpr double nearly_all = 0.9;
  const Record* most = nullptr;
  double calls = 0;
  double calls_of_most = 0;
  const auto number = [](const Record& site, const char* field) {
    const auto found = site.find(field);
    return found == site.end() ? NAN : found->second.front();
  };
  for (const Record& site : sites) {
    const bool is_its_own =
        std::isnan(number(site, "site.only_rank")) || rank < 0 || number(site, "site.only_rank") == rank;
    if (!is_its_own || !report::is_point_to_point(site.at("site.function").text) || !(number(site, "site.sent") > 0))
      continue;
    const double here = number(site, "site.calls");
    calls += here;
    if (here <= calls_of_most) continue;
    calls_of_most = here;
    most = &site;
  }
  if (most == nullptr || calls_of_most < nearly_all * calls) return;
  for (const char* field : {"file", "line", "caller"})
    if (const auto found = most->find(std::string("site.") + field); found != most->end())
      record[std::string(kind) + "." + field] = found->second;
}

/// Bytes between nodes if ranks had the best places that are found, as many on each node as there are. Not a number where
/// that takes too long, as advice is part of every report.
double placed_between(const report::comm::Data& data, const Traffic& traffic) {
  constexpr std::size_t most_pairs = 50'000;
  if (data.nodes.size() < 2 || !data.ranks_without_node().empty() || traffic.pairs().size() > most_pairs) return NAN;
  formats::Matrix matrix{data.ranks, {}};
  for (const auto& [pair, volume] : traffic.pairs()) matrix.entries.push_back({pair.first, pair.second, volume.bytes});
  std::vector<placement::Node> nodes;
  for (const std::string& name : data.nodes) nodes.push_back({name, 0});
  for (const int node : data.node_of) ++nodes[static_cast<std::size_t>(node)].cores;
  const placement::NodeShape shape =
      placement::NodeShape::flat(std::ranges::max(nodes, {}, &placement::Node::cores).cores);
  const placement::Machine machine(std::move(nodes), shape, {});
  return compare_mappings(placement::Traffic(matrix), machine, nullptr).own().cost.between_nodes;
}

/// 1 or 0; not a number where the node of one is unknown, and so are sums with it.
double is_between_nodes(const report::comm::Data& data, const std::pair<int, int>& pair) {
  if (!data.knows_node(pair.first) || !data.knows_node(pair.second)) return NAN;
  return data.node_of[static_cast<std::size_t>(pair.first)] != data.node_of[static_cast<std::size_t>(pair.second)];
}

}  // namespace

void read_comm(const report::Json& file, const std::string& path, const formats::run::Summary& of, Records& out) {
  const report::comm::Data data(formats::read_comm(file), report::comm::Beside(of));
  for (const Problem& doubt : doubts_of(data, path)) out.warnings.push_back(doubt);
  const auto message_time = out.run.find("run.message_time");
  const Traffic traffic(data, message_time == out.run.end() ? NAN : message_time->second.front());
  const std::vector<Record>& sites = out.by_kind["site"];
  double within = 0;
  double between = 0;
  double tiny_time = 0;
  for (const auto& [pair, volume] : traffic.pairs()) {
    const double apart = is_between_nodes(data, pair);
    between += apart * volume.bytes;
    within += (1 - apart) * volume.bytes;
    Writer writer(out.by_kind["pair"].emplace_back(), "pair");
    writer.put("from", pair.first);
    writer.put("to", pair.second);
    writer.put("messages", volume.messages);
    writer.put("bytes", volume.bytes);
    writer.put("mean_bytes", volume.bytes / volume.messages);
    writer.put("time", traffic.time_of(volume));
    writer.put("between", apart);
    writer.put("tiny", is_tiny(volume) ? 1 : 0);
    if (is_tiny(volume)) {
      tiny_time += traffic.time_of(volume);
      put_sender(sites, pair.first, "pair", out.by_kind["pair"].back());
    }
  }
  traffic.find_patterns(out.by_kind["pattern"]);
  for (Record& pattern : out.by_kind["pattern"])
    put_sender(sites, pattern.at("pattern.root").front(), "pattern", pattern);
  Writer run(out.run, "run");
  run.put("ranks", data.ranks);
  if (data.ranks_without_node().empty()) run.put("nodes", static_cast<double>(data.nodes.size()));
  run.put("tiny_time", tiny_time);
  run.put("bytes_within", within);
  run.put("bytes_between", between);
  run.put("bytes_between_placed", placed_between(data, traffic));
}

}  // namespace cairn::advise
