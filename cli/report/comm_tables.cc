// SPDX-License-Identifier: BSD-3-Clause
// comm_tables.cc - comm.json as tables

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <set>

#include "cli/report/comm_parts.hpp"
#include "formats/text.hpp"

namespace cairn::report {

namespace {

using comm::Data;
using comm::kinds;
using comm::Pairs;
using comm::total_of;
using comm::Volume;
using comm::Whole;

/// Whether they are on one node; null: unknown.
Json nodes_text(const Data& data, int from, int to) {
  if (!data.knows_node(from) || !data.knows_node(to)) return {};
  return data.node_of[static_cast<std::size_t>(from)] == data.node_of[static_cast<std::size_t>(to)] ? "one" : "two";
}

Json node_name(const Data& data, std::size_t rank) {
  return data.node_of[rank] == Data::unknown_node ? Json()
                                                  : Json(data.nodes[static_cast<std::size_t>(data.node_of[rank])]);
}

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
  if (!with_shares) table.title += ", without what collective calls send to all ranks alike";
  std::vector<const Pairs::value_type*> order;
  for (const auto& pair : pairs) order.push_back(&pair);
  std::ranges::stable_sort(order, std::greater<>(), [](const auto* pair) { return total_of(pair->second).bytes; });
  table.rows.reserve(order.size());
  for (const auto* pair : order) {
    const auto [from, to] = pair->first;
    const Volume total = total_of(pair->second);
    std::vector<Json> row = {from, to, total.bytes, total.messages};
    for (const Volume& sum : pair->second) row.insert(row.end(), {sum.bytes, sum.messages});
    row.push_back(nodes_text(data, from, to));
    table.rows.push_back(std::move(row));
  }
  return table;
}

/// What stands apart from the sums. Without rows no table: most runs have nothing of it.
void add_apart(const char* name, const char* title, const std::vector<comm::Flow>& flows, std::vector<Table>& tables) {
  if (flows.empty()) return;
  Table table{name,
              title,
              {{"from", "from", Kind::number, Column::tells_apart, true},
               {"to", "to", Kind::number, Column::tells_apart, true},
               {"bytes", "bytes", Kind::bytes, Column::sum, true},
               {"messages", "messages", Kind::count, Column::sum, true}},
              {}};
  std::vector<comm::Flow> order = flows;
  std::ranges::stable_sort(order, std::greater<>(), &comm::Flow::bytes);
  for (const comm::Flow& flow : order) table.rows.push_back({flow.from, flow.to, flow.bytes, flow.messages});
  tables.push_back(std::move(table));
}

std::vector<std::size_t> degrees(const Data& data, const Pairs& pairs) {
  std::vector<std::size_t> partners(static_cast<std::size_t>(data.ranks));
  for (const auto& [pair, sums] : pairs)
    if (sums[comm::p2p].messages + sums[comm::osc].messages > 0) ++partners[static_cast<std::size_t>(pair.first)];
  return partners;
}

Table rank_table(const Data& data, const Whole& whole, const Pairs& pairs) {
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
  for (const comm::Phase& phase : data.phases)
    for (const formats::comm::Files& one : phase.files) {
      auto& [read, written] = files.at(static_cast<std::size_t>(one.rank));
      read += static_cast<double>(one.read.bytes);
      written += static_cast<double>(one.written.bytes);
    }
  const std::vector<std::size_t> partners = degrees(data, pairs);
  for (std::size_t rank = 0; rank < whole.sent.size(); ++rank)
    table.rows.push_back({rank, node_name(data, rank), whole.sent[rank].bytes, whole.sent[rank].messages,
                          whole.received[rank].bytes, whole.received[rank].messages, partners[rank], files[rank].first,
                          files[rank].second});
  return table;
}

/// Of a communicator.
struct CallSums {
  Volume one_to_all, all_to_one, all_to_all;
  std::set<int> in_all_to_all;  // ranks that have counted such calls
};

std::vector<CallSums> call_sums(const Data& data) {
  std::vector<CallSums> sums(data.communicators.size());
  for (const comm::Phase& phase : data.phases)
    for (const formats::comm::Calls& calls : phase.calls) {
      CallSums& sum = sums.at(calls.communicator);
      sum.one_to_all.add(calls.one_to_all);
      sum.all_to_one.add(calls.all_to_one);
      sum.all_to_all.add(calls.all_to_all);
      if (calls.all_to_all.messages != 0) sum.in_all_to_all.insert(calls.rank);
    }
  return sums;
}

/// Every rank counts a call that all of them make, if it has the tool. Null: the members are not known, and so is how many
/// of these calls are one.
Json calls_of_all(const comm::Communicator& one, const CallSums& sums) {
  if (sums.in_all_to_all.empty()) return 0;
  if (one.members.empty()) return {};
  return std::round(sums.all_to_all.messages / static_cast<double>(sums.in_all_to_all.size()));
}

Table communicator_table(const Data& data) {
  Table table{"comm_communicators",
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
  const std::vector<CallSums> sums = call_sums(data);
  for (std::size_t i = 0; i < sums.size(); ++i) {
    const comm::Communicator& one = data.communicators[i];
    const CallSums& its = sums[i];
    table.rows.push_back({one.name, one.members_text + (one.remote.empty() ? "" : " and others"), one.number,
                          its.one_to_all.messages, its.one_to_all.bytes, its.all_to_one.messages, its.all_to_one.bytes,
                          calls_of_all(one, its), its.all_to_all.bytes});
  }
  return table;
}

/// Bytes and messages per item.
void add_kind_columns(Table& table) {
  for (std::size_t kind = 0; kind < kinds; ++kind) {
    table.columns.push_back(
        {std::string(comm::kind_keys[kind]) + "_bytes", comm::kind_names[kind], Kind::bytes, Column::sum, true});
    table.columns.push_back(
        {std::string(comm::kind_keys[kind]) + "_messages", "messages", Kind::count, Column::sum, true});
  }
}

Table phase_table(const Data& data, const Whole& whole) {
  Table table{"phases", "Phases", {{"phase", "phase", Kind::text, Column::tells_apart, true}}, {}};
  add_kind_columns(table);
  for (std::size_t i = 0; i < data.phases.size(); ++i) {
    std::vector<Json> row = {name_of(data.phases[i])};
    for (const Volume& sum : whole.by_phase[i]) row.insert(row.end(), {sum.bytes, sum.messages});
    table.rows.push_back(std::move(row));
  }
  return table;
}

/// One row per snapshot.
Table moment_table(const Data& data) {
  Table table{"snapshots",
              "Over time, from snapshot to snapshot",
              {{"snapshot", "snapshot", Kind::text, Column::tells_apart, true},
               {"until_s", "until", Kind::seconds, Column::nothing, true},
               {"ranks", "ranks", Kind::number, Column::nothing, true}},
              {}};
  add_kind_columns(table);
  table.columns.push_back({"bytes_so_far", "bytes so far", Kind::bytes, Column::nothing, true});
  table.columns.push_back({"messages_so_far", "messages so far", Kind::count, Column::nothing, true});
  Volume so_far;
  for (const comm::Moment& moment : data.moments) {
    so_far.add(total_of(moment.sums));
    std::vector<Json> row = {name_of(moment), moment.seconds(), moment.ranks};
    for (const Volume sum : moment.sums) row.insert(row.end(), {sum.bytes, sum.messages});
    row.insert(row.end(), {so_far.bytes, so_far.messages});
    table.rows.push_back(std::move(row));
  }
  return table;
}

}  // namespace

std::string name_of(const comm::Phase& phase) { return formats::name_or(phase.name, "outside of regions"); }

std::string name_of(const comm::Moment& moment) {
  return moment.number == comm::Moment::end ? "end" : std::to_string(moment.number);
}

std::vector<Table> comm_tables(const CommParts& parts) {
  const auto& [data, whole, with_shares, pairs] = parts;
  std::vector<Table> tables = {pair_table(data, pairs, with_shares), rank_table(data, whole, pairs),
                               communicator_table(data), phase_table(data, whole), moment_table(data)};
  add_apart("inner", "Pairs of ranks, inside the library", data.beside.inner, tables);
  add_apart("coll_modelled", "Pairs of ranks, collective calls by a model", data.beside.modelled, tables);
  return tables;
}

}  // namespace cairn::report
