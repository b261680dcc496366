// SPDX-License-Identifier: BSD-3-Clause
// comm_section.cc - comm.json as a section: what matters, tables, and the matrix for the page

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "base/text.hpp"
#include "cli/report/chart.hpp"
#include "cli/report/comm_data.hpp"
#include "cli/report/entries.hpp"
#include "cli/report/reading.hpp"
#include "cli/report/wording.hpp"

namespace cairn::report {

namespace {

using comm::coll;
using comm::Data;
using comm::for_each_flow;
using comm::kinds;
using comm::Volume;

using Sums = std::array<Volume, kinds>;
using Pairs = std::map<std::pair<int, int>, Sums>;

constexpr double most_pairs = 1e6;  // more shared pairs are told by communicator only
constexpr std::size_t pairs_listed = 50'000;
constexpr double cells_on_page = 100'000;  // of a layer; more are put together
constexpr int grid_on_page = 256;

std::vector<int> each_alone(const Data& data) {
  std::vector<int> groups(static_cast<std::size_t>(data.ranks));
  std::iota(groups.begin(), groups.end(), 0);
  return groups;
}

/// Whether what is shared is told pair by pair.
bool tells_shared_pairs(const Data& data) {
  double pairs = 0;
  for (const comm::Phase& phase : data.phases) pairs += shared_pairs(data, phase);
  return pairs <= most_pairs;
}

Pairs pairs_of(const Data& data, bool with_shares) {
  Pairs pairs;
  const std::vector<int> alone = each_alone(data);
  for (comm::Phase phase : data.phases) {
    if (!with_shares) phase.shares.clear();
    for (int kind = 0; kind < kinds; ++kind)
      for_each_flow(data, phase, static_cast<comm::Kind>(kind), alone, data.ranks,
                    [&](int from, int to, const Volume& volume) {
                      pairs[{from, to}][static_cast<std::size_t>(kind)].add(volume);
                    });
  }
  return pairs;
}

Volume total_of(const Sums& sums) {
  Volume total;
  for (const Volume& sum : sums) total.add(sum);
  return total;
}

struct Whole {
  Sums sums;                           // by kind
  std::vector<Volume> sent, received;  // by rank
  std::vector<Sums> by_phase;
  Volume between_nodes, within_nodes;
};

Whole whole_of(const Data& data) {
  Whole whole;
  whole.sent.resize(static_cast<std::size_t>(data.ranks));
  whole.received.resize(whole.sent.size());
  for (const comm::Phase& phase : data.phases) {
    Sums& sums = whole.by_phase.emplace_back();
    for (std::size_t i = 0; i < kinds; ++i) {
      const auto kind = static_cast<comm::Kind>(i);
      for_each_flow(data, phase, kind, data.node_of, static_cast<int>(data.nodes.size()),
                    [&](int from, int to, const Volume& volume) {
                      sums[i].add(volume);
                      (from == to ? whole.within_nodes : whole.between_nodes).add(volume);
                    });
      add_by_rank(data, phase, kind, whole.sent, whole.received);
      whole.sums[i].add(sums[i]);
    }
  }
  return whole;
}

// ------------------------------------------------------------ tables

Table pair_table(const Data& data, const Pairs& pairs, bool with_shares) {
  Table table{"pairs",
              "Pairs of ranks",
              {{"from", "from", Kind::number, Column::tells_apart, true},
               {"to", "to", Kind::number, Column::tells_apart, true},
               {"bytes", "bytes", Kind::bytes, Column::sum, true},
               {"messages", "messages", Kind::count, Column::sum, true},
               {"p2p_bytes", "point-to-point", Kind::bytes, Column::sum, true},
               {"p2p_messages", "messages of it", Kind::count, Column::sum},
               {"osc_bytes", "one-sided", Kind::bytes, Column::sum, true},
               {"osc_messages", "messages of it", Kind::count, Column::sum},
               {"coll_bytes", "collective", Kind::bytes, Column::sum, true},
               {"coll_messages", "messages of it", Kind::count, Column::sum},
               {"nodes", "nodes", Kind::text, Column::nothing, true}},
              {}};
  if (!with_shares) table.title += ", without what collective calls give to all alike";
  std::vector<const Pairs::value_type*> order;
  for (const auto& pair : pairs) order.push_back(&pair);
  std::ranges::stable_sort(order, std::greater<>(), [](const auto* pair) { return total_of(pair->second).bytes; });
  if (order.size() > pairs_listed) order.resize(pairs_listed);
  for (const auto* pair : order) {
    const auto [from, to] = pair->first;
    const Volume total = total_of(pair->second);
    std::vector<Json> row = {from, to, total.bytes, total.messages};
    for (const Volume& sum : pair->second) row.insert(row.end(), {sum.bytes, sum.messages});
    const bool same = data.node_of[static_cast<std::size_t>(from)] == data.node_of[static_cast<std::size_t>(to)];
    row.emplace_back(same ? "one" : "two");
    table.rows.push_back(std::move(row));
  }
  return table;
}

std::vector<std::size_t> degrees(const Data& data, const Pairs& pairs) {
  std::vector<std::size_t> partners(static_cast<std::size_t>(data.ranks));
  for (const auto& [pair, sums] : pairs)
    if (sums[comm::p2p].messages + sums[comm::osc].messages > 0) ++partners[static_cast<std::size_t>(pair.first)];
  return partners;
}

Table rank_table(const Data& data, const Whole& whole, const Pairs& pairs, const Json& file) {
  Table table{"ranks",
              "Ranks",
              {{"rank", "rank", Kind::number, Column::tells_apart, true},
               {"node", "node", Kind::text, Column::nothing, true},
               {"sent_bytes", "sent", Kind::bytes, Column::sum, true},
               {"sent_messages", "messages sent", Kind::count, Column::sum, true},
               {"received_bytes", "received", Kind::bytes, Column::sum, true},
               {"received_messages", "messages received", Kind::count, Column::sum, true},
               {"partners", "sends directly to", Kind::number, Column::nothing, true},
               {"read_bytes", "read from files", Kind::bytes, Column::sum},
               {"written_bytes", "written to files", Kind::bytes, Column::sum}},
              {}};
  std::vector<std::pair<double, double>> files(whole.sent.size());
  for (const Json& phase : at(file, "phases"))
    for (const Json& row : at(phase, "files")) {
      auto& [read, written] = files.at(row.at(0).get<std::size_t>());
      read += row.at(2).get<double>();
      written += row.at(4).get<double>();
    }
  const std::vector<std::size_t> partners = degrees(data, pairs);
  for (std::size_t rank = 0; rank < whole.sent.size(); ++rank)
    table.rows.push_back({rank, data.nodes[static_cast<std::size_t>(data.node_of[rank])], whole.sent[rank].bytes,
                          whole.sent[rank].messages, whole.received[rank].bytes, whole.received[rank].messages,
                          partners[rank], files[rank].first, files[rank].second});
  return table;
}

Table communicator_table(const Data& data, const Json& file) {
  Table table{"communicators",
              "Communicators with collective calls",
              {{"name", "name", Kind::text, Column::tells_apart, true},
               {"members", "processes", Kind::text, Column::tells_apart, true},
               {"number", "communicators", Kind::count, Column::nothing, true},
               {"one_to_all_calls", "one to all", Kind::count, Column::sum, true},
               {"one_to_all_bytes", "bytes sent so", Kind::bytes, Column::sum, true},
               {"all_to_one_calls", "all to one", Kind::count, Column::sum, true},
               {"all_to_one_bytes", "bytes sent so", Kind::bytes, Column::sum, true},
               {"all_to_all_calls", "all to all", Kind::count, Column::sum, true},
               {"all_to_all_bytes", "bytes sent so", Kind::bytes, Column::sum, true}},
              {}};
  std::vector<std::array<double, 6>> sums(data.communicators.size());
  for (const Json& phase : at(file, "phases"))
    for (const Json& row : at(phase, "collectives"))
      for (std::size_t i = 0; i < 6; ++i) sums.at(row.at(0).get<std::size_t>())[i] += row.at(i + 2).get<double>();
  for (std::size_t i = 0; i < sums.size(); ++i) {
    const comm::Communicator& one = data.communicators[i];
    // A call of all is counted by each.
    const double processes = std::max<double>(1, static_cast<double>(one.members.size() + one.remote.size()));
    table.rows.push_back({one.name, one.members_text + (one.remote.empty() ? "" : " and others"), one.number,
                          sums[i][0], sums[i][1], sums[i][2], sums[i][3], std::round(sums[i][4] / processes),
                          sums[i][5]});
  }
  return table;
}

std::string phase_name(const comm::Phase& phase) { return phase.name.empty() ? "outside of regions" : phase.name; }

Table phase_table(const Data& data, const Whole& whole) {
  Table table{"phases", "Phases", {{"phase", "phase", Kind::text, Column::tells_apart, true}}, {}};
  for (std::size_t kind = 0; kind < kinds; ++kind) {
    table.columns.push_back(
        {std::string(comm::kind_keys[kind]) + "_bytes", comm::kind_names[kind], Kind::bytes, Column::sum, true});
    table.columns.push_back(
        {std::string(comm::kind_keys[kind]) + "_messages", "messages", Kind::count, Column::sum, true});
  }
  for (std::size_t i = 0; i < data.phases.size(); ++i) {
    std::vector<Json> row = {phase_name(data.phases[i])};
    for (const Volume& sum : whole.by_phase[i]) row.insert(row.end(), {sum.bytes, sum.messages});
    table.rows.push_back(std::move(row));
  }
  return table;
}

// ------------------------------------------------------------ charts

/// A layer's cells as one list of numbers: from, to, messages, bytes, in groups of `block` ranks.
Json cells_of(const Data& data, const comm::Phase& phase, comm::Kind kind, int block) {
  std::vector<int> group_of(static_cast<std::size_t>(data.ranks));
  for (std::size_t i = 0; i < group_of.size(); ++i) group_of[i] = static_cast<int>(i) / block;
  std::map<std::pair<int, int>, Volume> sums;
  for_each_flow(data, phase, kind, group_of, (data.ranks + block - 1) / block,
                [&](int from, int to, const Volume& volume) {
                  sums[{from, to}].add(volume);
                });
  Json cells = Json::array();
  for (const auto& [pair, sum] : sums) {
    cells.push_back(pair.first);
    cells.push_back(pair.second);
    cells.push_back(sum.messages);
    cells.push_back(sum.bytes);
  }
  return cells;
}

int block_for(const Data& data, const comm::Phase& phase, comm::Kind kind) {
  double cells = static_cast<double>(phase.flows[kind].size());
  if (kind == coll) cells += shared_pairs(data, phase);
  if (cells <= cells_on_page) return 1;
  return std::max(1, (data.ranks + grid_on_page - 1) / grid_on_page);
}

Json matrix_chart(const Data& data) {
  Json layers = Json::array();
  for (const comm::Phase& phase : data.phases)
    for (std::size_t i = 0; i < kinds; ++i) {
      const auto kind = static_cast<comm::Kind>(i);
      const int block = block_for(data, phase, kind);
      Json cells = cells_of(data, phase, kind, block);
      if (!cells.empty())
        layers.push_back({{"kind", comm::kind_names[i]},
                          {"phase", phase_name(phase)},
                          {"block", block},
                          {"cells", std::move(cells)}});
    }
  if (!data.inner.empty()) {
    comm::Phase inner{"", {data.inner, {}, {}}, {}};
    const int block = block_for(data, inner, comm::p2p);
    layers.push_back({{"kind", "inside the library"},
                      {"phase", ""},
                      {"block", block},
                      {"apart", true},
                      {"cells", cells_of(data, inner, comm::p2p, block)}});
  }
  return {{"type", "matrix"},
          {"title", "Who sends how much to whom"},
          {"ranks", data.ranks},
          {"nodes", data.node_of},
          {"layers", std::move(layers)}};
}

/// Sizes of messages by kind; parts of collective calls that all get alike count once.
Json size_series(const Json& file) {
  const std::pair<const char*, std::vector<std::pair<const char*, std::size_t>>> sources[] = {
      {"point-to-point", {{"p2p", 4}}},
      {"one-sided", {{"osc_put", 4}, {"osc_get", 4}}},
      {"collective", {{"coll", 4}, {"coll_shared", 5}}}};
  Json series = Json::array();
  for (const auto& [name, lists] : sources) {
    std::map<double, double> bins;
    for (const Json& phase : at(file, "phases"))
      for (const auto& [key, column] : lists)
        for (const Json& row : at(phase, key))
          for (const Json& bin : row.at(column)) bins[bin.at(0).get<double>()] += bin.at(1).get<double>();
    Json pairs = Json::array();
    for (const auto& [limit, messages] : bins) pairs.push_back({limit, messages});
    if (!pairs.empty()) series.push_back({{"name", name}, {"bins", std::move(pairs)}});
  }
  return series;
}

Json size_chart(const Json& file) {
  Json chart = histogram_chart("Sizes of messages", Kind::bytes, size_series(file));
  if (!chart.is_null()) chart["together"] = "all kinds";
  return chart;
}

Json heavy_pairs(const Table& pairs) {
  Table labelled = pairs;
  labelled.columns.push_back({"pair", "pair", Kind::text});
  if (labelled.rows.size() > 12) labelled.rows.resize(12);
  for (std::vector<Json>& row : labelled.rows)
    row.emplace_back(fmt::format("{} to {}", row[0].get<int>(), row[1].get<int>()));
  return bar_chart("Pairs with the most bytes", labelled, "pair", "", "bytes");
}

Json rank_heat(const Table& ranks) {
  Json rows = Json::array();
  for (const char* const key : {"sent_bytes", "received_bytes"}) {
    Json values = Json::array();
    for (const std::vector<Json>& row : ranks.rows) values.push_back(row[ranks.find(key)]);
    rows.push_back({{"name", key == std::string("sent_bytes") ? "sent" : "received"}, {"values", std::move(values)}});
  }
  return heat_chart("Bytes of each rank", Kind::bytes, rows);
}

// ------------------------------------------------------------ what matters

std::vector<Fact> facts_of(const Json& file, const Whole& whole) {
  std::vector<Fact> facts = {{"program", "program", Kind::text, text_at(file, "program"), false},
                             {"ranks", "ranks", Kind::number, at(file, "ranks"), false}};
  for (std::size_t i = 0; i < kinds; ++i) {
    const std::string key = comm::kind_keys[i];
    facts.push_back(
        {key + "_bytes", std::string(comm::kind_names[i]) + " bytes", Kind::bytes, whole.sums[i].bytes, true});
    facts.push_back({key + "_messages", std::string(comm::kind_names[i]) + " messages", Kind::count,
                     whole.sums[i].messages, false});
  }
  facts.push_back({"between_nodes_bytes", "bytes between nodes", Kind::bytes, whole.between_nodes.bytes, true});
  facts.push_back({"within_nodes_bytes", "bytes within nodes", Kind::bytes, whole.within_nodes.bytes, false});
  return facts;
}

std::string share(double part, double of) { return percent(of > 0 ? part / of : 0); }

void find_volume(const Whole& whole, std::vector<Finding>& findings) {
  const Volume total = total_of(whole.sums);
  std::vector<std::string> parts;
  for (std::size_t i = 0; i < kinds; ++i)
    if (whole.sums[i].messages > 0)
      parts.push_back(fmt::format("{} {} in {} messages", comm::kind_names[i], bytes(whole.sums[i].bytes),
                                  count(static_cast<std::uint64_t>(whole.sums[i].messages))));
  findings.push_back(
      {bytes(total.bytes), "sent from rank to rank", parts.empty() ? "No messages." : join(parts, ", ") + "."});
}

void find_nodes(const Data& data, const Whole& whole, std::vector<Finding>& findings) {
  if (data.nodes.size() < 2) return;
  const double all = whole.between_nodes.bytes + whole.within_nodes.bytes;
  findings.push_back(
      {share(whole.between_nodes.bytes, all), "of the bytes go from one node to another",
       fmt::format("{} between {} nodes, {} within them; ranks that exchange much on one node make it less.",
                   bytes(whole.between_nodes.bytes), data.nodes.size(), bytes(whole.within_nodes.bytes))});
}

void find_inner(const Data& data, std::vector<Finding>& findings) {
  Volume sum;
  for (const comm::Flow& flow : data.inner) sum.add(flow);
  if (sum.messages > 0)
    findings.push_back(
        {bytes(sum.bytes), "sent by the library itself",
         fmt::format("{} messages that Open MPI makes of collective and one-sided calls, by its own monitoring; "
                     "they are not in the sums above.",
                     count(static_cast<std::uint64_t>(sum.messages)))});
}

void find_pair(const Table& pairs, std::size_t pair_count, bool with_shares, double all,
               std::vector<Finding>& findings) {
  if (pairs.rows.empty() || all <= 0) return;
  const std::vector<Json>& row = pairs.rows.front();
  findings.push_back(
      {share(row[2].get<double>(), all),
       fmt::format("of the bytes go from rank {} to rank {}", row[0].get<int>(), row[1].get<int>()),
       fmt::format("{} in {} messages, more than between any other two; {} pairs exchange anything{}.",
                   bytes(row[2].get<double>()), count(static_cast<std::uint64_t>(row[3].get<double>())),
                   count(pair_count), with_shares ? "" : ", what collective calls give to all alike left aside")});
}

void find_ranks(const Whole& whole, std::vector<Finding>& findings) {
  const auto most = std::ranges::max_element(whole.sent, {}, &Volume::bytes);
  if (most == whole.sent.end() || most->bytes <= 0) return;
  const double mean = std::accumulate(whole.sent.begin(), whole.sent.end(), 0.0,
                                      [](double sum, const Volume& one) { return sum + one.bytes; }) /
                      static_cast<double>(whole.sent.size());
  findings.push_back({fmt::format("{:.2f}x", most->bytes / mean),
                      fmt::format("the mean is sent by rank {}", most - whole.sent.begin()),
                      fmt::format("{} of it, where the mean over ranks is {}.", bytes(most->bytes), bytes(mean))});
}

}  // namespace

void read_comm(const Json& file, Section& section) {
  const Data data(file);
  const Whole whole = whole_of(data);
  const bool with_shares = tells_shared_pairs(data);
  const Pairs pairs = pairs_of(data, with_shares);
  section.facts = facts_of(file, whole);
  section.tables = {pair_table(data, pairs, with_shares), rank_table(data, whole, pairs, file),
                    communicator_table(data, file), phase_table(data, whole)};
  find_volume(whole, section.findings);
  find_inner(data, section.findings);
  find_nodes(data, whole, section.findings);
  find_pair(section.tables[0], pairs.size(), with_shares, total_of(whole.sums).bytes, section.findings);
  find_ranks(whole, section.findings);
  for (Json chart :
       {matrix_chart(data), heavy_pairs(section.tables[0]), rank_heat(section.tables[1]), size_chart(file)})
    if (!chart.is_null()) section.charts.push_back(std::move(chart));
}

}  // namespace cairn::report
