// SPDX-License-Identifier: BSD-3-Clause
// path_rows.cc - the critical path's profile

#include <algorithm>
#include <functional>

#include "waits/figures.hpp"
#include "waits/largest.hpp"

namespace cairn::waits {

namespace {

constexpr std::size_t most_pieces = 50;
constexpr std::size_t most_segments = 2000;

std::vector<formats::waits::NamedTime> sorted(const std::map<std::string, double>& times) {
  std::vector<formats::waits::NamedTime> rows;
  for (const auto& [name, seconds] : times) rows.push_back({name, seconds});
  std::ranges::stable_sort(rows, std::greater{}, &formats::waits::NamedTime::time);
  return rows;
}

}  // namespace

/// Sections overlap by what ranks leave their last operation at different times: what is before the end of the section
/// before lies on that one's path. Steps of one rank that follow each other are one stretch.
void PathSums::add(const Figures& section) {
  for (const PathStep& step : section.path) {
    const std::int64_t from = std::max(step.from, until_);
    if (step.until <= from) continue;
    const double seconds = seconds_of(step.until - from);
    OnPath& sum = pieces_[step.piece];
    sum.region = step.region;
    sum.seconds += seconds;
    sum.ranks.insert(step.rank);
    ranks_[step.rank] += seconds;
    regions_[step.region] += seconds;
    if (!stretches_.empty() && stretches_.back().rank == step.rank) stretches_.back().until = step.until;
    else stretches_.push_back({step.rank, from, step.until});
  }
  if (!section.path.empty()) until_ = std::max(until_, section.path.back().until);
  if (stretches_.size() > 16 * most_segments) leave_out_short();
}

void PathSums::leave_out_short() {
  keep_largest(stretches_, most_segments, [](const Stretch& one) { return one.until - one.from; });
}

void PathSums::fill(const Names& names, const RunTime& run, const WorkSums& work, Summary& summary) {
  formats::waits::CriticalPath& path = summary.path;
  std::map<std::string, double> functions;
  std::map<std::string, double> regions;
  for (const auto& [piece, sum] : pieces_) {
    const bool is_work = piece.to != none;
    (is_work ? path.work : path.communication) += sum.seconds;
    if (is_work) functions[names.place(piece.to).at.caller] += sum.seconds;
    const double imbalance = is_work ? std::max(0.0, sum.seconds - work.mean_of_others(piece, {})) : 0;
    path.imbalance += imbalance;
    path.pieces.push_back({is_work ? "work" : "communication",
                           names.place(piece.from),
                           names.place(piece.to),
                           names.regions[sum.region],
                           sum.seconds,
                           imbalance,
                           {sum.ranks.begin(), sum.ranks.end()}});
  }
  path.length = path.work + path.communication;
  std::ranges::stable_sort(path.pieces, std::greater{}, &formats::waits::PathPiece::time);
  if (path.pieces.size() > most_pieces) path.pieces.resize(most_pieces);
  for (const auto& [rank, seconds] : ranks_) path.ranks.push_back({rank, seconds});
  std::ranges::stable_sort(path.ranks, std::greater{}, &formats::waits::RankTime::time);
  for (const auto& [region, seconds] : regions_) regions[names.regions[region]] += seconds;
  path.functions = sorted(functions);
  path.regions = sorted(regions);
  leave_out_short();
  const auto since = [&](std::int64_t ns) { return seconds_of(ns - run.begin_ns()); };
  for (const Stretch& one : stretches_) path.segments.push_back({one.rank, since(one.from), since(one.until)});
}

}  // namespace cairn::waits
