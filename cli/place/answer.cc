// SPDX-License-Identifier: BSD-3-Clause
// answer.cc - a line for each mapping, and whether it pays; JSON

#include "cli/place/answer.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.hpp"
#include "cli/report/wording.hpp"
#include "formats/json_writer.hpp"
#include "formats/tags.hpp"

namespace cairn::place {

namespace {

using placement::Comparison;
using placement::Cost;
using placement::Machine;
using placement::Named;
using report::plural;

std::string amount(double value, Unit unit) {
  return unit == Unit::bytes ? report::bytes(value) : report::count(static_cast<std::uint64_t>(value + 0.5));
}

constexpr std::array<const char*, placement::distances> titles = {"same cache", "same NUMA", "same node", "same switch",
                                                                  "farther"};

/// Which distances there are between any two slots.
std::array<bool, placement::distances> distances_of(const Machine& machine) {
  std::array<bool, placement::distances> there{};
  for (int level = 0; level < machine.levels(); ++level) there[static_cast<std::size_t>(machine.within(level))] = true;
  return there;
}

std::string cores_text(const Machine& machine) {
  const auto [least, most] = std::ranges::minmax(machine.nodes(), {}, &placement::Node::cores);
  const std::string cores = plural(static_cast<std::uint64_t>(most.cores), "core");
  return least.cores == most.cores ? cores : fmt::format("{} to {}", least.cores, cores);
}

std::string heading(const Source& source, const Machine& machine, const Comparison& all) {
  double total = 0;
  for (const double part : all.own().cost.by_distance) total += part;
  std::string text =
      fmt::format("{}{} on {} with {}: {}{} between ranks{}\n\n",
                  source.program.empty() ? "" : fmt::format("{}, ", harmless(file_of(source.program))),
                  plural(all.own().mapping.size(), "rank"), plural(machine.nodes().size(), "node"), cores_text(machine),
                  amount(total, source.unit), source.unit == Unit::bytes ? "" : " messages",
                  source.collectives.empty() ? "" : ", " + source.collectives);
  return text;
}

std::vector<std::string> row_of(const Named& one, const Machine& machine, Unit unit) {
  const Cost& cost = one.cost;
  std::vector<std::string> row = {std::string(one.name), amount(cost.hop_bytes, unit), amount(cost.busiest_link, unit)};
  for (std::size_t i = 0; i < placement::distances; ++i)
    if (distances_of(machine)[i]) row.push_back(amount(cost.by_distance[i], unit));
  return row;
}

std::string table(const Machine& machine, const Comparison& all, Unit unit) {
  std::vector<std::vector<std::string>> rows = {
      {"mapping", unit == Unit::bytes ? "hop-bytes" : "hops", "busiest link"}};
  for (std::size_t i = 0; i < placement::distances; ++i)
    if (distances_of(machine)[i]) rows.front().emplace_back(titles[i]);
  for (const Named& one : all.mappings) rows.push_back(row_of(one, machine, unit));
  std::string text;
  for (const std::vector<std::string>& row : rows) {
    text += fmt::format("  {:<8}", row.front());
    for (std::size_t i = 1; i < row.size(); ++i) text += fmt::format("  {:>12}", row[i]);
    text += '\n';
  }
  return text;
}

/// Launchers can do that without a file.
std::string by_node_is_better(const Comparison& all) {
  const double slot = all.by_slot().cost.hop_bytes;
  const double node = all.by_node().cost.hop_bytes;
  if (node > (1 - placement::worth) * slot) return "";
  return fmt::format("Most launchers map by slot; by node takes {} fewer hop-bytes.\n",
                     report::percent(1 - node / slot));
}

std::string verdict(const Comparison& all) {
  const std::string usual = fmt::format("by {}, the better usual mapping", all.usual().name);
  if (!all.is_worth_it())
    return fmt::format("Not worth it: {} fewer hop-bytes than {}; below {} do not expect to see a difference.\n",
                       report::percent(all.gain()), usual, report::percent(placement::worth)) +
           by_node_is_better(all);
  std::string text = fmt::format("{} fewer hop-bytes than {}", report::percent(all.gain()), usual);
  const double before = all.usual().cost.between_nodes;
  const double after = all.own().cost.between_nodes;
  if (before > 0)
    text += fmt::format("; between nodes {} {}", report::percent(std::abs(1 - after / before)),
                        after <= before ? "less" : "more");
  return text + ".\n";
}

}  // namespace

std::string answer_text(const Source& source, const Machine& machine, const Comparison& all) {
  return heading(source, machine, all) + table(machine, all, source.unit) + "\n" + verdict(all);
}

std::string answer_json(const Source& source, const Machine& machine, const Comparison& all) {
  formats::JsonWriter json(2);
  json.object([&] {
    json("format", formats::placement_tag.text());
    json("unit", source.unit == Unit::bytes ? "bytes" : "messages");
    json("ranks", all.own().mapping.size());
    json.array("nodes", machine.nodes(), [&](const placement::Node& node) {
      json.on_one_line([&] {
        json.object([&] {
          json("name", node.name);
          json("cores", node.cores);
        });
      });
    });
    json.array("mappings", all.mappings, [&](const Named& one) {
      json.object([&] {
        json("name", one.name);
        json.on_one_line(
            [&] { json.array("cores", one.mapping, [&](int slot) { json.put(machine.slot(slot).first); }); });
        json.number("hop_bytes", one.cost.hop_bytes);
        json.number("bytes_between_nodes", one.cost.between_nodes);
        json.number("busiest_link", one.cost.busiest_link);
        json.object("bytes_by_distance", [&] {
          for (std::size_t i = 0; i < placement::distances; ++i)
            json.number(placement::distance_names[i], one.cost.by_distance[i]);
        });
      });
    });
  });
  return json.take();
}

}  // namespace cairn::place
