// SPDX-License-Identifier: BSD-3-Clause
// waits_tables.cc - causes, waits, pairs, critical path, efficiencies and changes of waits.json as tables and charts

#include "cli/report/waits_tables.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.hpp"
#include "cli/report/chart.hpp"
#include "cli/report/efficiency.hpp"
#include "formats/ranks.hpp"
#include "waits/changes.hpp"
#include "waits/wording.hpp"

namespace cairn::report {

namespace {

using formats::waits::PartEfficiency;

Json file_of_place(const formats::waits::Place& place) { return place.at.file.empty() ? Json() : Json(place.at.file); }
Json line_of_place(const formats::waits::Place& place) { return place.at.line > 0 ? Json(place.at.line) : Json(); }

bool has_region(const auto& rows) {
  return std::ranges::any_of(rows, [](const auto& row) { return !row.region.empty(); });
}

Table cause_table(const WaitsSummary& waits) {
  const bool regions = has_region(waits.causes);
  const bool samples = std::ranges::any_of(waits.causes, [](const auto& cause) { return !cause.samples.empty(); });
  const bool sent_first = std::ranges::any_of(waits.causes, [](const auto& cause) { return cause.sent_first_run > 0; });
  Table table{"wait_causes",
              "What others wait for",
              {{"ranks", "because of ranks", Kind::text, Column::tells_apart, true},
               {"what", "what they do", Kind::text, Column::tells_apart, true},
               {"region", "region", Kind::text, Column::tells_apart, regions},
               {"cost_s", "costs all ranks", Kind::seconds, Column::sum, true},
               {"share", "of all waiting", Kind::fraction, Column::state, true},
               {"own_s", "takes them", Kind::seconds, Column::sum, true},
               {"elsewhere_s", "takes a mean other one", Kind::seconds, Column::nothing, true},
               {"functions", "mostly in", Kind::text, Column::nothing, samples},
               {"times", "times", Kind::count, Column::sum, true},
               {"predicted_run_s", "run without that", Kind::seconds, Column::nothing, true},
               {"sent_first_run_s", "run with it after what is sent", Kind::seconds, Column::nothing, sent_first},
               {"kind", "kind", Kind::text},
               {"felt", "waited for in", Kind::text},
               {"file", "file", Kind::text},
               {"line", "line", Kind::number}},
              {}};
  for (const formats::waits::Cause& cause : waits.causes) {
    const formats::waits::Place felt = cause.symptoms.empty() ? formats::waits::Place{} : cause.symptoms.front().place;
    const bool is_known = cause.kind != "start";
    const bool is_predicted = cause.predicted_run > 0 && cause.predicted_run != waits.replayed;
    table.rows.push_back({formats::ranks_text(cause.ranks), waits::work_text(cause), cause.region, cause.cost,
                          cause.share, is_known ? Json(cause.own) : Json(), is_known ? Json(cause.elsewhere) : Json(),
                          waits::sampled_text(cause), cause.times, is_predicted ? Json(cause.predicted_run) : Json(),
                          cause.sent_first_run > 0 ? Json(cause.sent_first_run) : Json(), cause.kind,
                          waits::call_text(felt), file_of_place(felt), line_of_place(felt)});
  }
  return table;
}

Table wait_table(const WaitsSummary& waits) {
  const bool regions = has_region(waits.waits);
  Table table{"waits",
              "Where ranks wait",
              {{"kind", "kind", Kind::text, Column::tells_apart, true},
               {"function", "function", Kind::text, Column::tells_apart, true},
               {"place", "called at", Kind::text, Column::tells_apart, true},
               {"communicator", "communicator", Kind::text, Column::tells_apart, true},
               {"region", "region", Kind::text, Column::tells_apart, regions},
               {"time_s", "time, all ranks", Kind::seconds, Column::sum, true},
               {"count", "calls", Kind::count, Column::sum, true},
               {"max_s", "longest on a rank", Kind::seconds, Column::nothing, true},
               {"max_rank", "which", Kind::number, Column::nothing, true},
               {"ranks", "ranks", Kind::text},
               {"file", "file", Kind::text},
               {"line", "line", Kind::number}},
              {}};
  for (const formats::waits::Wait& wait : waits.waits)
    table.rows.push_back({kind_text(wait.kind), wait.place.function, formats::place_text(wait.place.at),
                          wait.communicator, wait.region, wait.time, wait.count, wait.most, wait.worst_rank,
                          formats::ranks_text(wait.ranks), file_of_place(wait.place), line_of_place(wait.place)});
  return table;
}

Table pair_table(const WaitsSummary& waits) {
  Table table{"wait_pairs",
              "Who waits for whom",
              {{"waiter", "rank", Kind::number, Column::tells_apart, true},
               {"late", "waits for rank", Kind::number, Column::tells_apart, true},
               {"time_s", "time", Kind::seconds, Column::sum, true},
               {"count", "times", Kind::count, Column::sum, true}},
              {}};
  for (const formats::waits::Pair& pair : waits.pairs)
    table.rows.push_back({pair.waiter, pair.culprit, pair.time, pair.count});
  return table;
}

Table path_table(const WaitsSummary& waits) {
  const bool regions = has_region(waits.path.pieces);
  Table table{"critical_path",
              "The critical path",
              {{"what", "what", Kind::text, Column::tells_apart, true},
               {"region", "region", Kind::text, Column::tells_apart, regions},
               {"time_s", "on the path", Kind::seconds, Column::sum, true},
               {"imbalance_s", "beyond the mean rank", Kind::seconds, Column::sum, true},
               {"ranks", "ranks", Kind::text, Column::nothing, true}},
              {},
              Question::time};
  for (const formats::waits::PathPiece& piece : waits.path.pieces)
    table.rows.push_back(
        {piece_text(piece), piece.region, piece.time, piece.imbalance, formats::ranks_text(piece.ranks)});
  return table;
}

std::vector<Column> efficiency_columns() {
  std::vector<Column> columns = {{"time_s", "time", Kind::seconds, Column::sum, true}};
  for (const char* key : {"parallel_efficiency", "load_balance", "communication_efficiency", "serialisation_efficiency",
                          "transfer_efficiency"})
    columns.push_back({key, std::string(efficiency_title(key)), Kind::fraction, Column::state, true});
  return columns;
}

Table node_table(const WaitsSummary& waits) {
  Table table{"efficiency_by_node",
              "Efficiency of nodes",
              {{"node", "node", Kind::text, Column::tells_apart, true},
               {"ranks", "ranks", Kind::text, Column::nothing, true},
               {"parallel_efficiency", std::string(efficiency_title("parallel_efficiency")), Kind::fraction,
                Column::state, true},
               {"load_balance", std::string(efficiency_title("load_balance")), Kind::fraction, Column::state, true},
               {"communication_efficiency", std::string(efficiency_title("communication_efficiency")), Kind::fraction,
                Column::state, true}},
              {},
              Question::time};
  for (const formats::waits::NodeEfficiency& one : waits.nodes)
    table.rows.push_back({one.node, formats::ranks_text(one.ranks), one.parallel, one.load_balance, one.communication});
  return table;
}

Json known(double part) { return part >= 0 ? Json(part) : Json(); }

Table region_table(const WaitsSummary& waits) {
  Table table{"efficiency_by_region", "Efficiency of regions", efficiency_columns(), {}, Question::time};
  table.columns.insert(table.columns.begin(), {"region", "region", Kind::text, Column::tells_apart, true});
  for (const PartEfficiency& part : waits.regions)
    table.rows.push_back({formats::name_or(part.region, "(outside)"), part.time, part.of.parallel, part.of.load_balance,
                          part.of.communication, known(part.of.serialisation), known(part.of.transfer)});
  return table;
}

Table window_table(const WaitsSummary& waits) {
  Table table{"efficiency_over_time", "Efficiency over time", efficiency_columns(), {}, Question::time};
  table.columns.insert(table.columns.begin(), {{"from_s", "from", Kind::seconds, Column::tells_apart, true},
                                               {"until_s", "until", Kind::seconds, Column::nothing, true}});
  for (const PartEfficiency& part : waits.windows)
    table.rows.push_back({part.from, part.until, part.time, part.of.parallel, part.of.load_balance,
                          part.of.communication, known(part.of.serialisation), known(part.of.transfer)});
  return table;
}

std::string change_text(const std::string& change) {
  for (const waits::NamedChange& one : waits::named_changes)
    if (change == one.name) return one.meaning;
  return change;
}

Table change_table(const WaitsSummary& waits) {
  Table table{"what_if",
              "The run time if",
              {{"change", "change", Kind::text, Column::tells_apart, true},
               {"meaning", "that is", Kind::text, Column::nothing, true},
               {"predicted_run_s", "the run takes", Kind::seconds, Column::state, true},
               {"gain_s", "spared", Kind::seconds, Column::nothing, true},
               {"error_s", "error", Kind::seconds, Column::nothing, true}},
              {},
              Question::change};
  for (const formats::waits::WhatIf& one : waits.what_if)
    table.rows.push_back({one.change, change_text(one.change), one.predicted_run,
                          std::max(0.0, waits.replayed - one.predicted_run), one.error});
  return table;
}

/// "heat3d.c:280", "heat3d.c:280 to 309"
std::string short_place(const formats::waits::Place& from, const formats::waits::Place& to) {
  const auto place = [](const formats::waits::Place& at) {
    if (at.at.file.empty()) return at.function;
    return fmt::format("{}:{}", file_of(at.at.file), at.at.line);
  };
  if (to.function.empty()) return place(from);
  const bool is_same = from.at.file == to.at.file && !from.at.file.empty();
  return place(from) + " to " + (is_same ? std::to_string(to.at.line) : place(to));
}

std::string short_text(const formats::waits::Place& from, const formats::waits::Place& to) {
  return to.function.empty() ? from.function : from.function + " to " + to.function;
}

constexpr double least_drawn = 0.01;  // of all

/// For a chart, which has room for few words.
Table short_table(const char* value) {
  return {"", "", {{"where", "where"}, {"what", "what"}, {value, "time", Kind::seconds}}, {}};
}

Table short_causes(const WaitsSummary& waits) {
  Table table = short_table("cost_s");
  for (const formats::waits::Cause& cause : waits.causes)
    if (cause.share >= least_drawn && cause.kind != "usual_work")
      table.rows.push_back({formats::ranks_text(cause.ranks) + ": " + short_place(cause.from, cause.to),
                            cause.kind == "start" ? "start of MPI" : short_text(cause.from, cause.to), cause.cost});
  return table;
}

Table short_path(const WaitsSummary& waits) {
  Table table = short_table("time_s");
  for (const formats::waits::PathPiece& piece : waits.path.pieces)
    if (piece.time >= least_drawn * waits.path.length)
      table.rows.push_back({short_place(piece.from, piece.to), short_text(piece.from, piece.to), piece.time});
  return table;
}

}  // namespace

std::string kind_text(const std::string& kind) {
  std::string text = kind;
  std::ranges::replace(text, '_', ' ');
  return text;
}

std::string piece_text(const formats::waits::PathPiece& piece) {
  const bool is_work = piece.kind == "work";
  return (is_work ? "work " : "") + waits::piece_text(is_work, piece.from, piece.to);
}

std::vector<Table> waits_tables(const WaitsSummary& waits) {
  return {cause_table(waits), wait_table(waits),   pair_table(waits),   path_table(waits),
          node_table(waits),  region_table(waits), window_table(waits), change_table(waits)};
}

std::vector<Json> waits_charts(const WaitsSummary& waits, const std::vector<Table>& tables) {
  std::vector<Json> charts;
  const auto add = [&](Json chart, Question question) {
    if (chart.is_null()) return;
    chart["question"] = key_of(question);
    charts.push_back(std::move(chart));
  };
  const auto table = [&](const char* name) { return *std::ranges::find(tables, name, &Table::name); };
  add(bar_chart("What others wait for: cost to all ranks", short_causes(waits), "where", "what", "cost_s"),
      Question::waiting);
  add(bar_chart("Where ranks wait", table("waits"), "function", "place", "time_s"), Question::waiting);
  add(bar_chart("The critical path", short_path(waits), "where", "what", "time_s"), Question::time);
  add(bar_chart("Time of regions", table("efficiency_by_region"), "region", "", "time_s"), Question::time);
  return charts;
}

}  // namespace cairn::report
