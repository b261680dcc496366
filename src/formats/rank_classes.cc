// SPDX-License-Identifier: BSD-3-Clause
// rank_classes.cc - classes are where figures lie closer together than to all others

#include "formats/rank_classes.hpp"

#include <algorithm>
#include <cmath>

#include "formats/numbers.hpp"
#include "formats/ranks.hpp"
#include "formats/text.hpp"

namespace cairn::formats {

namespace {

constexpr double about_the_same = 0.05;  // of the greatest figure
constexpr double wide_gap = 0.25;        // of all figures' range; so there are at most four classes
constexpr std::size_t few_ranks = 3;

/// Cut where the gap is wide.
std::vector<RankClass> cut(const std::vector<std::pair<int, double>>& sorted, double gap) {
  std::vector<RankClass> classes;
  for (const auto& [rank, figure] : sorted) {
    if (classes.empty() || figure - classes.back().most > gap) classes.push_back({{}, figure, figure});
    classes.back().ranks.push_back(rank);
    classes.back().most = figure;
  }
  return classes;
}

bool are_apart(const std::vector<RankClass>& classes, std::size_t ranks) {
  if (ranks > few_ranks && 2 * classes.size() > ranks) return false;
  for (std::size_t i = 1; i < classes.size(); ++i) {
    const double gap = classes[i].least - classes[i - 1].most;
    for (const RankClass& side : {classes[i - 1], classes[i]})
      if (side.most - side.least > gap) return false;
  }
  return true;
}

}  // namespace

std::vector<RankClass> rank_classes(std::vector<std::pair<int, double>> figures) {
  if (figures.empty()) return {};
  std::ranges::sort(figures, {}, [](const auto& one) { return std::pair(one.second, one.first); });
  const double least = figures.front().second;
  const double most = figures.back().second;
  const double range = most - least;
  std::vector<RankClass> classes = cut(figures, wide_gap * range);
  const double size = std::max(std::abs(least), std::abs(most));
  if (range <= about_the_same * size || !are_apart(classes, figures.size()))
    classes = cut(figures, std::max(range, 1.0) * 2);
  for (RankClass& one : classes) std::ranges::sort(one.ranks);
  return classes;
}

std::string classes_text(const std::vector<RankClass>& classes) {
  std::string out;
  for (const RankClass& one : classes) {
    add(out, {out.empty() ? "" : ", ", plain_number(one.least)});
    if (one.most > one.least) add(out, {" to ", plain_number(one.most)});
    add(out, {" on ", named_ranks(one.ranks)});
  }
  return out;
}

}  // namespace cairn::formats
