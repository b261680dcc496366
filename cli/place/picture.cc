// SPDX-License-Identifier: BSD-3-Clause
// picture.cc - draws who exchanges how much with whom in the order of the cores: on the left as ranks are usually placed,
// on the right as cairn places them; lines part the switches, nodes and what is in them

#include "cli/place/picture.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "base/text.hpp"
#include "cli/report/wording.hpp"

namespace cairn::place {

namespace {

using placement::Distance;
using placement::Machine;
using placement::Mapping;
using placement::Named;
using placement::Traffic;

constexpr double side = 440;
constexpr double gap = 40;
constexpr double top = 64;
constexpr int most_cells = 128;         // to a side; beyond, a cell is several ranks
constexpr std::size_t most_lines = 64;  // of a level; beyond, they would be all there is to see

/// Slots with a rank, ascending.
std::vector<int> slots_in_use(const Mapping& mapping) {
  std::vector<int> slots = mapping;
  std::ranges::sort(slots);
  return slots;
}

const char* objects_name(Distance within) {
  switch (within) {
    case Distance::cache:
      return "caches";
    case Distance::numa:
      return "NUMA nodes";
    case Distance::node:
      return "nodes";
    default:
      return "switches";
  }
}

class Panel {
 public:
  Panel(const Traffic& traffic, const Machine& machine, const Named& one, double left)
      : traffic_(traffic), machine_(machine), one_(one), left_(left), slots_(slots_in_use(one.mapping)) {}

  std::string draw() const {
    std::string text = fmt::format(R"(<text x="{}" y="52" font-size="14">{}: {} hop-bytes, {} between nodes</text>)"
                                   "\n",
                                   left_, one_.name == "cairn" ? std::string("cairn") : fmt::format("by {}", one_.name),
                                   report::bytes(one_.cost.hop_bytes), report::bytes(one_.cost.between_nodes));
    return text + cells() + lines() +
           fmt::format(R"(<rect x="{}" y="{}" width="{}" height="{}" fill="none" stroke="#334"/>)"
                       "\n",
                       left_, top, side, side);
  }

 private:
  std::string cells() const {
    const auto ranks = static_cast<double>(slots_.size());
    const int count = std::min(most_cells, static_cast<int>(slots_.size()));
    const auto cell_of = [&](int rank) {
      const int slot = one_.mapping[static_cast<std::size_t>(rank)];
      const auto place = std::ranges::lower_bound(slots_, slot) - slots_.begin();
      return static_cast<int>(static_cast<double>(place) * count / ranks);
    };
    std::map<std::pair<int, int>, double> sums;
    for (int rank = 0; rank < traffic_.ranks(); ++rank)
      for (const placement::Partner& partner : traffic_.partners(rank))
        sums[{cell_of(rank), cell_of(partner.rank)}] += partner.amount;
    double most = 0;
    for (const auto& [cell, sum] : sums) most = std::max(most, sum);
    std::string text;
    const double size = side / count;
    for (const auto& [cell, sum] : sums)
      text += fmt::format(
          R"svg(<rect x="{:.2f}" y="{:.2f}" width="{:.2f}" height="{:.2f}" fill="hsl(215,70%,{:.0f}%)"/>)svg"
          "\n",
          left_ + cell.second * size, top + cell.first * size, size, size, lightness(sum, most));
    return text;
  }

  /// Dark is much; four powers of ten are told apart.
  static double lightness(double sum, double most) {
    return 30 + 55 * std::min(1.0, std::log10(most / std::max(sum, most * 1e-4)) / 4);
  }

  std::string lines() const {
    std::string text;
    for (int level = 1; level < machine_.levels(); ++level) {
      const std::vector<double> cuts = cuts_of(level);
      if (cuts.size() > most_lines) break;
      const double width = std::max(0.5, 2.5 - level * 0.75);
      for (const double at : cuts)
        text += fmt::format(
            R"(<path d="M{0:.2f} {1:.2f}V{2:.2f}M{3:.2f} {4:.2f}H{5:.2f}" stroke="#c40" stroke-width="{6:.2f}"/>)"
            "\n",
            left_ + at, top, top + side, left_, top + at, left_ + side, width);
    }
    return text;
  }

  /// Where objects of a level begin, but for the first.
  std::vector<double> cuts_of(int level) const {
    std::vector<double> cuts;
    for (std::size_t i = 1; i < slots_.size(); ++i)
      if (machine_.object_of(level, slots_[i]) != machine_.object_of(level, slots_[i - 1]))
        cuts.push_back(side * static_cast<double>(i) / static_cast<double>(slots_.size()));
    return cuts;
  }

  const Traffic& traffic_;
  const Machine& machine_;
  const Named& one_;
  double left_;
  std::vector<int> slots_;
};

std::string legend(const Machine& machine) {
  std::vector<std::string> names;
  for (int level = 1; level < machine.levels(); ++level) {
    const std::string name = objects_name(machine.within(level));
    if (names.empty() || names.back() != name) names.push_back(name);
  }
  return "Who exchanges how much with whom, in the order of the cores; the darker, the more." +
         (names.empty() ? "" : " Lines part " + join(names, ", ") + ".");
}

}  // namespace

std::string picture(const std::string& run, const Traffic& traffic, const Machine& machine,
                    const placement::Comparison& all) {
  const double width = 3 * gap + 2 * side;
  std::string text = fmt::format(
      R"(<svg xmlns="http://www.w3.org/2000/svg" width="{0}" height="{1}" viewBox="0 0 {0} {1}" font-family="sans-serif" fill="#223">)"
      "\n"
      R"(<rect width="100%" height="100%" fill="#fff"/>)"
      "\n"
      R"(<text x="{2}" y="28" font-size="14">{3}</text>)"
      "\n",
      width, top + side + gap, gap, legend(machine));
  text += report::picture_mark(run);
  text += Panel(traffic, machine, all.usual(), gap).draw();
  text += Panel(traffic, machine, all.own(), 2 * gap + side).draw();
  return text + "</svg>\n";
}

}  // namespace cairn::place
