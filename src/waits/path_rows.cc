// SPDX-License-Identifier: BSD-3-Clause
// path_rows.cc - the critical path's profile

#include <algorithm>
#include <functional>
#include <map>
#include <set>

#include "waits/figures.hpp"

namespace cairn::waits {

namespace {

constexpr std::size_t most_pieces = 50;
constexpr std::size_t most_segments = 2000;

struct Sum {
  double seconds = 0;
  Index region = 0;
  std::set<int> ranks;
};

std::vector<formats::waits::NamedTime> sorted(const std::map<std::string, double>& times) {
  std::vector<formats::waits::NamedTime> rows;
  for (const auto& [name, seconds] : times) rows.push_back({name, seconds});
  std::ranges::stable_sort(rows, std::greater{}, &formats::waits::NamedTime::time);
  return rows;
}

/// Steps of one rank that follow each other are one.
void fill_segments(const Figures& figures, formats::waits::CriticalPath& path) {
  const auto since = [&](std::int64_t ns) { return figures.seconds(ns - figures.graph.begin_ns); };
  for (const PathStep& step : figures.path) {
    if (!path.segments.empty() && path.segments.back().rank == step.rank)
      path.segments.back().until = since(step.until);
    else path.segments.push_back({step.rank, since(step.from), since(step.until)});
  }
  if (path.segments.size() <= most_segments) return;
  std::vector<double> lengths;
  for (const auto& segment : path.segments) lengths.push_back(segment.until - segment.from);
  std::ranges::nth_element(lengths, lengths.begin() + most_segments, std::greater{});
  const double least = lengths[most_segments];
  std::erase_if(path.segments, [&](const auto& segment) { return segment.until - segment.from <= least; });
}

}  // namespace

void fill_path(const Figures& figures, Summary& summary) {
  formats::waits::CriticalPath& path = summary.path;
  std::map<Piece, Sum> pieces;
  std::map<int, double> ranks;
  std::map<std::string, double> regions, functions;
  for (const PathStep& step : figures.path) {
    const double seconds = figures.seconds(step.until - step.from);
    Sum& sum = pieces[step.piece];
    sum.seconds += seconds;
    sum.region = step.region;
    sum.ranks.insert(step.rank);
    ranks[step.rank] += seconds;
    regions[figures.graph.regions[step.region]] += seconds;
    if (step.piece.to != none) functions[figures.place(step.piece.to).at.caller] += seconds;
    (step.piece.to == none ? path.communication : path.work) += seconds;
  }
  path.length = path.work + path.communication;
  for (const auto& [piece, sum] : pieces) {
    const double imbalance = piece.to == none ? 0 : std::max(0.0, sum.seconds - figures.work.mean_of_others(piece, {}));
    path.imbalance += imbalance;
    path.pieces.push_back({piece.to == none ? "communication" : "work",
                           figures.place(piece.from),
                           figures.place(piece.to),
                           figures.graph.regions[sum.region],
                           sum.seconds,
                           imbalance,
                           {sum.ranks.begin(), sum.ranks.end()}});
  }
  std::ranges::stable_sort(path.pieces, std::greater{}, &formats::waits::PathPiece::time);
  if (path.pieces.size() > most_pieces) path.pieces.resize(most_pieces);
  for (const auto& [rank, seconds] : ranks) path.ranks.push_back({rank, seconds});
  std::ranges::stable_sort(path.ranks, std::greater{}, &formats::waits::RankTime::time);
  path.functions = sorted(functions);
  path.regions = sorted(regions);
  fill_segments(figures, path);
}

}  // namespace cairn::waits
