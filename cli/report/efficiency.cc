// SPDX-License-Identifier: BSD-3-Clause
// efficiency.cc - which figures there are, and whose

#include "cli/report/efficiency.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "waits/wording.hpp"

namespace cairn::report {

namespace {

constexpr std::string_view by_waits = "'waits' tells";
constexpr std::string_view scalability = "computation_scalability";
constexpr std::string_view between_nodes = "load_balance_between_nodes";
constexpr std::string_view in_nodes = "load_balance_in_nodes";

constexpr std::array efficiencies = std::to_array<Efficiency>({
    {.key = "parallel_efficiency",
     .title = "parallel efficiency",
     .meaning = "an average rank's work outside MPI, of the run time",
     .unknown = "'waits' and 'profile' tell",
     .talp = "Parallel efficiency"},
    {.key = "load_balance",
     .title = "load balance",
     .meaning = "an average rank's work, of the busiest one's",
     .depth = 1,
     .unknown = by_waits,
     .talp = "Load Balance"},
    {.key = in_nodes,
     .title = "within nodes",
     .meaning = "the same on each node alone",
     .depth = 2,
     .unknown = by_waits,
     .talp = "LB_in"},
    {.key = between_nodes,
     .title = "between nodes",
     .meaning = "an average node's work, of the busiest one's",
     .depth = 2,
     .unknown = by_waits,
     .talp = "LB_out"},
    {.key = "communication_efficiency",
     .title = "communication efficiency",
     .meaning = "the busiest rank's work, of the run time",
     .depth = 1,
     .unknown = by_waits,
     .talp = "Communication efficiency"},
    {.key = "serialisation_efficiency",
     .title = "serialisation",
     .meaning = "what remains of it on an ideal network: ranks wait for each other's work",
     .depth = 2,
     .unknown = by_waits},
    {.key = "transfer_efficiency",
     .title = "transfer",
     .meaning = "the run time on an ideal network, of the real one",
     .depth = 2,
     .unknown = by_waits},
});

/// It splits communication efficiency, if that can be known.
bool is_of_waits(const Section& section) { return section.tool == "waits"; }

/// The section of the whole run that tells most.
const Section* teller_of(const Report& report) {
  const Section* best = nullptr;
  std::pair most{std::ptrdiff_t{0}, true};
  for (const Section& section : report.sections) {
    if (!section.part.empty()) continue;
    const std::ptrdiff_t told =
        std::ranges::count_if(efficiencies, [&](const Efficiency& one) { return section.fact(one.key) != nullptr; });
    const std::pair here{told, is_of_waits(section)};
    if (here > most) best = &section;
    most = std::max(most, here);
  }
  return best;
}

double value_of(const Section& section, std::string_view key) {
  const Fact* const fact = section.fact(key);
  return fact != nullptr && fact->value.is_number() ? fact->value.get<double>() : NAN;
}

bool is_of_nodes(const Efficiency& one) { return one.key == between_nodes || one.key == in_nodes; }

/// The work of all ranks does not grow where a program scales well.
Efficiency computation_scalability(const Report& a, const Report& b) {
  Efficiency one{.key = scalability,
                 .title = "computation scalability",
                 .meaning = "all ranks' work in A, of that in B; for the same problem",
                 .unknown = "the same tool in both runs tells"};
  const Section* const before = teller_of(a);
  const Section* const after = teller_of(b);
  if (before == nullptr || after == nullptr || before->tool != after->tool) return one;
  if (before->fact(analysed_fact) != nullptr || after->fact(analysed_fact) != nullptr) {
    one.unknown = "runs of which all is analysed tell";
    return one;
  }
  if (before->fact(known_ranks_fact) != nullptr || after->fact(known_ranks_fact) != nullptr) {
    one.unknown = "runs with records of all ranks tell";
    return one;
  }
  one.before = 1;
  one.value = value_of(*before, work_fact) / value_of(*after, work_fact);
  if (!std::isfinite(one.value)) one.value = NAN;
  return one;
}

}  // namespace

std::string_view efficiency_title(std::string_view key) {
  const auto found = std::ranges::find(efficiencies, key, &Efficiency::key);
  return found == efficiencies.end() ? key : found->title;
}

std::vector<Efficiency> efficiency_of(const Report& report) {
  const Section* const section = teller_of(report);
  if (section == nullptr) return {};
  std::vector<Efficiency> figures;
  for (Efficiency one : efficiencies) {
    one.value = value_of(*section, one.key);
    if (is_of_waits(*section)) one.unknown = waits::unknown_text;
    if (!std::isnan(one.value) || !is_of_nodes(one)) figures.push_back(one);
  }
  return figures;
}

Table efficiency_table(const std::vector<Efficiency>& figures) {
  const bool is_of_two = std::ranges::find(figures, scalability, &Efficiency::key) != figures.end();
  Table table{"efficiency", "Efficiency", {{"figure", "figure"}, {"talp", "TALP's name"}}, {}};
  if (is_of_two) table.columns.push_back({"value_a", "A", Kind::fraction});
  table.columns.push_back({is_of_two ? "value_b" : "value", is_of_two ? "B" : "value", Kind::fraction});
  const auto json = [](double value) { return std::isfinite(value) ? Json(value) : Json(); };
  for (const Efficiency& one : figures) {
    std::vector<Json>& row = table.rows.emplace_back();
    row = {Json(one.key), Json(one.talp)};
    if (is_of_two) row.push_back(json(one.before));
    row.push_back(json(one.value));
  }
  return table;
}

std::vector<Efficiency> compare_efficiency(const Report& a, const Report& b) {
  std::vector<Efficiency> figures = efficiency_of(b);
  const std::vector<Efficiency> before = efficiency_of(a);
  if (figures.empty() || before.empty()) return {};
  for (Efficiency& one : figures)
    if (const auto found = std::ranges::find(before, one.key, &Efficiency::key); found != before.end())
      one.before = found->value;
  figures.push_back(computation_scalability(a, b));
  return figures;
}

}  // namespace cairn::report
