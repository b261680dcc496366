// SPDX-License-Identifier: BSD-3-Clause
// comm_charts.cc - comm.json as charts for the page

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "cli/report/chart.hpp"
#include "cli/report/comm_parts.hpp"

namespace cairn::report {

namespace {

using comm::coll;
using comm::Data;
using comm::for_each_flow;
using comm::kinds;
using comm::Volume;

constexpr double cells_on_page = 100'000;  // per layer; beyond that, ranks are grouped
constexpr int grid_on_page = 256;

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
  double cells = static_cast<double>(flow_count(phase, kind));
  if (kind == coll) cells += shared_pairs(data, phase);
  if (cells <= cells_on_page) return 1;
  return std::max(1, (data.ranks + grid_on_page - 1) / grid_on_page);
}

/// A layer that is not part of the total.
void add_apart(const Data& data, const char* kind, const std::vector<comm::Flow>& flows, Json& layers) {
  if (flows.empty()) return;
  const comm::Phase phase{"", {flows}, {}, {}, {}, {}};
  const int block = block_for(data, phase, comm::p2p);
  layers.push_back({{"kind", kind},
                    {"phase", ""},
                    {"block", block},
                    {"apart", true},
                    {"cells", cells_of(data, phase, comm::p2p, block)}});
}

Json matrix_chart(const Data& data) {
  Json layers = Json::array();
  for (const comm::Phase& phase : data.phases)
    for (std::size_t i = 0; i < kinds; ++i) {
      const auto kind = static_cast<comm::Kind>(i);
      const int block = block_for(data, phase, kind);
      Json cells = cells_of(data, phase, kind, block);
      if (!cells.empty())
        layers.push_back(
            {{"kind", comm::kind_names[i]}, {"phase", name_of(phase)}, {"block", block}, {"cells", std::move(cells)}});
    }
  add_apart(data, "inside the library", data.beside.inner, layers);
  add_apart(data, "collective, modelled", data.beside.modelled, layers);
  return {{"type", "matrix"},
          {"title", "Who sends how much to whom"},
          {"ranks", data.ranks},
          {"nodes", data.node_of},
          {"layers", std::move(layers)}};
}

/// Message sizes by kind; a part of a collective call that goes to all partners counts once.
Json size_series(const Data& data) {
  Json series = Json::array();
  for (std::size_t i = 0; i < kinds; ++i) {
    std::map<double, double> bins;
    const auto add = [&](const auto& rows) {
      for (const auto& row : rows)
        for (const auto& [bin, messages] : row.sizes) bins[std::ldexp(1.0, bin)] += static_cast<double>(messages);
    };
    for (const comm::Phase& phase : data.phases) {
      for (const comm::FlowKind kind : comm::flow_kinds_of(static_cast<comm::Kind>(i))) add(phase.flows[kind]);
      if (i == coll) add(phase.shares);
    }
    if (!bins.empty()) series.push_back({{"name", comm::kind_names[i]}, {"bins", bins}});
  }
  return series;
}

Json size_chart(const Data& data) {
  Json chart = histogram_chart("Sizes of messages", Kind::bytes, size_series(data));
  if (!chart.is_null()) chart["together"] = "all kinds";
  return chart;
}

Json heavy_pairs(const Table& pairs) {
  constexpr std::size_t shown = 12;
  Table labelled{pairs.name, pairs.title, pairs.columns, {}};
  labelled.columns.push_back({"pair", "pair", Kind::text});
  for (std::size_t i = 0; i < std::min(shown, pairs.rows.size()); ++i) labelled.rows.push_back(pairs.rows[i]);
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

/// Messages and bytes between snapshots, by kind.
Json moment_chart(const Data& data) {
  if (data.moments.empty()) return {};
  Json until = Json::array();
  Json names = Json::array();
  for (const comm::Moment& moment : data.moments) {
    until.push_back(moment.seconds());
    names.push_back(name_of(moment));
  }
  Json series = Json::array();
  for (std::size_t kind = 0; kind < kinds; ++kind) {
    if (std::ranges::all_of(data.moments, [&](const comm::Moment& one) { return one.sums[kind].messages == 0; }))
      continue;
    Json messages = Json::array();
    Json bytes = Json::array();
    for (const comm::Moment& moment : data.moments) {
      messages.push_back(moment.sums[kind].messages);
      bytes.push_back(moment.sums[kind].bytes);
    }
    series.push_back(
        {{"name", comm::kind_names[kind]}, {"messages", std::move(messages)}, {"bytes", std::move(bytes)}});
  }
  if (series.empty()) return {};
  return {{"type", "rates"},
          {"title", "Over time"},
          {"until", std::move(until)},
          {"names", std::move(names)},
          {"series", std::move(series)}};
}

}  // namespace

std::vector<Json> comm_charts(const CommParts& parts, const std::vector<Table>& tables) {
  std::vector<Json> charts;
  for (Json chart : {matrix_chart(parts.data), moment_chart(parts.data), heavy_pairs(tables[0]), rank_heat(tables[1]),
                     size_chart(parts.data)})
    if (!chart.is_null()) charts.push_back(std::move(chart));
  return charts;
}

}  // namespace cairn::report
