// SPDX-License-Identifier: BSD-3-Clause
// cause_rows.cc - causes with their ranks, and what changes would bring

#include <algorithm>
#include <functional>
#include <map>
#include <string>
#include <tuple>
#include <utility>

#include "waits/figures.hpp"

namespace cairn::waits {

namespace {

constexpr std::size_t most_causes = 30;
constexpr std::size_t most_predicted = 6;  // each is a replay of the whole run
constexpr std::size_t most_free = 6;       // likewise
constexpr double least_calls = 0.01;       // of all ranks' time
constexpr std::size_t most_symptoms = 5;
constexpr std::size_t most_sampled = 5;
constexpr double least_part = 0.2;  // of the dearest rank's cost: that a rank is one of those who cause it

std::vector<int> ranks_of(const CauseSum& cause) {
  double most = 0;
  for (const auto& [rank, cost] : cause.by_rank) most = std::max(most, cost);
  std::vector<int> ranks;
  for (const auto& [rank, cost] : cause.by_rank)
    if (cost >= least_part * most) ranks.push_back(rank);
  return ranks;
}

/// Of each function the dearest line.
void add_samples(const Figures& figures, const CauseSum& cause, formats::waits::Cause& row) {
  struct Function {
    std::int64_t ns = 0;
    std::map<int, std::int64_t> lines;
    Index site = none;
    std::int64_t most = 0;
  };
  std::map<std::tuple<std::string, std::string, std::string>, Function> functions;
  for (const auto& [site, ns] : figures.samples.of(cause.pieces, row.ranks)) {
    const formats::SourcePosition& at = figures.places[site].at;
    Function& function = functions[{at.object, at.file, at.caller}];
    function.ns += ns;
    std::int64_t& line = function.lines[at.line];
    line += ns;
    if (line <= function.most) continue;
    function.most = line;
    function.site = site;
  }
  std::vector<formats::waits::Sampled>& all = row.samples;
  for (const auto& [name, function] : functions)
    all.push_back({figures.places[function.site].at, figures.seconds(function.ns)});
  std::ranges::stable_sort(all, std::greater{}, &formats::waits::Sampled::time);
  for (std::size_t i = most_sampled; i < all.size(); ++i) row.other_samples += all[i].time;
  if (all.size() > most_sampled) all.resize(most_sampled);
}

formats::waits::Cause row_of(const Figures& figures, const CauseSum& cause, double all) {
  formats::waits::Cause row;
  row.kind = cause.piece.from == none ? "start" : cause.piece.to == none ? "communication" : "work";
  row.ranks = ranks_of(cause);
  row.from = figures.place(cause.piece.from);
  row.to = figures.place(cause.piece.to);
  row.region = figures.graph.regions[cause.region];
  row.cost = 1e-9 * cause.cost_ns;
  row.share = all > 0 ? cause.cost_ns / all : 0;
  row.times = cause.times;
  for (const auto& [piece, cost] : cause.pieces) {
    for (const int rank : row.ranks) row.own += figures.work.of(piece, rank);
    row.elsewhere += figures.work.mean_of_others(piece, row.ranks);
  }
  add_samples(figures, cause, row);
  for (const auto& [what, cost] : cause.symptoms)
    row.symptoms.push_back(
        {std::string(wait_names[static_cast<std::size_t>(what.first)]), figures.place(what.second), 1e-9 * cost});
  std::ranges::stable_sort(row.symptoms, std::greater{}, &formats::waits::Symptom::cost);
  if (row.symptoms.size() > most_symptoms) row.symptoms.resize(most_symptoms);
  return row;
}

/// Start and end of the run are not calls that a program could do without.
std::vector<std::pair<std::int64_t, Index>> dearest_calls(const Figures& figures) {
  const Graph& graph = figures.graph;
  std::vector<std::pair<std::int64_t, Index>> sums(graph.sites.size());
  for (Index site = 0; site < sums.size(); ++site) sums[site].second = site;
  std::int64_t run = 0;
  for (const Lane& lane : graph.lanes) {
    run += lane.is_main ? graph.end_ns - graph.begin_ns : 0;
    for (Index node = lane.first + 1; node < lane.last - (lane.is_whole ? 1 : 0); ++node)
      sums[graph.nodes[node].site].first +=
          graph.nodes[node].exit - graph.nodes[node].entry - figures.waits.ns(graph, node);
  }
  std::erase_if(
      sums, [&](const auto& one) { return static_cast<double>(one.first) < least_calls * static_cast<double>(run); });
  std::ranges::sort(sums, std::greater{});
  if (sums.size() > most_free) sums.resize(most_free);
  return sums;
}

}  // namespace

void fill_causes(Figures& figures, Summary& summary) {
  double all = 0;
  for (const CauseSum& cause : figures.causes) all += cause.cost_ns;
  for (const CauseSum& cause : figures.causes) {
    if (summary.causes.size() == most_causes) {
      summary.other_causes += 1e-9 * cause.cost_ns;
      continue;
    }
    formats::waits::Cause& row = summary.causes.emplace_back(row_of(figures, cause, all));
    row.predicted_run = figures.predictions.replayed_s();
    if (row.kind != "work" || summary.causes.size() > most_predicted) continue;
    const Prediction predicted = figures.predictions.as_the_others(cause.pieces, row.ranks);
    row.predicted_run = predicted.run_s;
    row.error = predicted.error_s;
  }
  summary.replayed = figures.predictions.replayed_s();
  for (const NamedChange& one : named_changes) {
    const Prediction predicted = (figures.predictions.*one.predict)();
    summary.what_if.push_back({one.name, predicted.run_s, predicted.error_s});
  }
  for (const auto& [ns, site] : dearest_calls(figures)) {
    const Prediction predicted = figures.predictions.free_calls(site);
    summary.free_calls.push_back({figures.place(site), figures.seconds(ns), predicted.run_s, predicted.error_s});
  }
}

}  // namespace cairn::waits
