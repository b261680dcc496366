// SPDX-License-Identifier: BSD-3-Clause
// vars_board.cc - rows and names of variables from a board, put together

#include "cli/report/vars_board.hpp"

#include <cstring>
#include <map>
#include <span>
#include <tuple>
#include <vector>

#include "base/message.hpp"
#include "cairn/board.hpp"
#include "formats/tags.hpp"
#include "formats/vars_board.hpp"
#include "live/board_reader.hpp"

namespace cairn::report {

namespace {

struct About {
  std::string name;
  std::string of_class;
  bool of_tool = false;
  bool has_changes = false;
};

/// Function, region and place.
using RowKey = std::tuple<std::uint64_t, std::string, std::uint64_t>;

struct Found {
  std::map<std::uint64_t, About> variables;
  std::map<RowKey, std::vector<formats::vars::Figures>> rows;
  std::uint64_t lost = 0;
};

void add_about(Found& found, std::uint64_t number, std::span<const char> content) {
  formats::vars::VariableAbout head{};
  if (content.size() < sizeof head) return;
  std::memcpy(&head, content.data(), sizeof head);
  content = content.subspan(sizeof head);
  About& about = found.variables[number];
  about.name = live::next_text(content);
  about.of_class = live::next_text(content);
  about.of_tool = head.of_tool != 0;
  about.has_changes = head.has_changes != 0;
}

void add_row(Found& found, std::uint64_t function, std::span<const char> content) {
  formats::vars::RowHead head{};
  if (content.size() < sizeof head) return;
  std::memcpy(&head, content.data(), sizeof head);
  content = content.subspan(sizeof head);
  if (head.cell_size < sizeof(formats::vars::Figures) || head.count > content.size() / head.cell_size) return;
  std::span<const char> rest = content.subspan(std::size_t{head.count} * head.cell_size);
  std::vector<formats::vars::Figures>& cells = found.rows[{function, live::next_text(rest), head.place}];
  if (cells.size() < head.count) cells.resize(head.count);
  for (std::size_t i = 0; i < head.count; ++i) {
    formats::vars::Figures figures;
    std::memcpy(&figures, content.data() + i * head.cell_size, sizeof figures);
    if (figures.samples > cells[i].samples) cells[i] = figures;
  }
}

Found read_board(const where::Process& killed) {
  Found found;
  const live::BoardReader board(killed, board::variables);
  if (board.is_there() && !board.is_whole()) throw Problem("the memory of what calls did is damaged");
  found.lost = board.lost();
  board.for_each([&](std::uint32_t what, std::uint64_t number, std::span<const char> content) {
    if (what == static_cast<std::uint32_t>(formats::vars::Published::about)) add_about(found, number, content);
    if (what == static_cast<std::uint32_t>(formats::vars::Published::row)) add_row(found, number, content);
  });
  return found;
}

Json change_of(const About& about, const formats::vars::Figures& figures) {
  Json change = {{"variable", about.name}, {"class", about.of_class}, {"read", figures.samples}};
  change["changed"] = figures.changed;
  if (about.has_changes) {
    change["total"] = figures.total;
    change["most"] = figures.most;
  } else {
    change["min"] = figures.least_value;
    change["mean"] = figures.sum_of_values / static_cast<double>(figures.samples);
    change["max"] = figures.most_value;
  }
  return change;
}

/// As the tool leaves out what never changed.
Json changes_of(const Found& found, const where::Process& killed, where::Places& places) {
  Json changes = Json::array();
  for (const auto& [key, cells] : found.rows) {
    const auto& [function, region, place] = key;
    if (function >= killed.functions->size()) continue;
    for (const auto& [number, about] : found.variables) {
      if (number >= cells.size() || cells[number].changed == 0) continue;
      Json& change = changes.emplace_back(change_of(about, cells[number]));
      change["function"] = (*killed.functions)[function].name;
      change["region"] = region;
      if (place != 0) change["place"] = places.text(killed, place);
    }
  }
  return changes;
}

Json variables_of(const Found& found) {
  Json variables = Json::array();
  for (const auto& [number, about] : found.variables) {
    double in_calls = 0;
    for (const auto& [key, cells] : found.rows)
      if (number < cells.size()) in_calls += cells[number].total;
    variables.push_back({{"name", about.name}, {"class", about.of_class}, {"of", about.of_tool ? "tool" : "library"}});
    if (about.has_changes) variables.back()["in_calls"] = in_calls;
  }
  return variables;
}

}  // namespace

VarsOnBoard vars_on_board(const where::Process& killed, where::Places& places) {
  if (killed.functions == nullptr) return {};
  const Found found = read_board(killed);
  if (found.rows.empty()) return {{}, found.lost};
  return {{{"format", formats::vars_tag.text()},
           {"run", killed.run},
           {"program", killed.program},
           {"ranks", 1},
           {"variables", variables_of(found)},
           {"changes", changes_of(found, killed, places)},
           {"left_out", Json::array()}},
          found.lost};
}

}  // namespace cairn::report
