// SPDX-License-Identifier: BSD-3-Clause
// tool_about.cc - parsing a tool's own description and checking options against it.

#include "request/tool_about.hpp"

#include <algorithm>
#include <cstdlib>

#include "base/message.hpp"
#include "base/text.hpp"

namespace cairn {

namespace {

std::string take_word(std::string_view& line) {
  const auto end = std::min(line.find(' '), line.size());
  std::string word(line.substr(0, end));
  line.remove_prefix(std::min(end + 1, line.size()));
  return word;
}

unsigned number(const std::string& word) { return static_cast<unsigned>(std::strtoul(word.c_str(), nullptr, 10)); }

std::string list_of(const std::vector<ToolAbout::Option>& options) {
  std::vector<std::string> names;
  for (const ToolAbout::Option& option : options) names.push_back(option.name);
  return join(names, ", ");
}

}  // namespace

ToolAbout parse_tool_about(std::string_view text) {
  ToolAbout about;
  for (std::string_view line : split(text, '\n')) {
    const std::string kind = take_word(line);
    if (kind == "abi") about.abi = number(take_word(line));
    if (kind == "summary") about.summary = line;
    if (kind == "outermost") about.outermost = true;
    if (kind == "levels") about.obeys_levels = true;
    if (kind == "handles") about.knows_handles = true;
    if (kind == "wraps")
      for (const std::string_view name : split(line, ' ')) about.wraps.emplace_back(name);
    if (kind == "needs" || kind == "offers") {
      ToolAbout::Need service;
      service.service = take_word(line);
      service.version = number(take_word(line));
      (kind == "needs" ? about.needs : about.offers).push_back(service);
    }
    if (kind == "option") {
      ToolAbout::Option option;
      option.name = take_word(line);
      option.default_value = take_word(line);
      option.help = line;
      about.options.push_back(option);
    }
  }
  return about;
}

void check_options(const LayerRequest& layer, const ToolAbout& about) {
  for (const ToolOption& wanted : layer.options) {
    const bool known =
        std::ranges::any_of(about.options, [&](const ToolAbout::Option& option) { return option.name == wanted.name; });
    if (known) continue;
    if (about.options.empty())
      throw Problem("it takes no options, but '" + wanted.name + "' was given", "the tool's name alone");
    throw Problem("it has no option '" + wanted.name + "'", "one of its options: " + list_of(about.options));
  }
}

void check_place(const LayerRequest& layer, std::size_t place, const ToolAbout& about) {
  if (!about.outermost) return;
  if (place > 0)
    throw Problem("it changes what the program sees of MPI, so no tool can be above it",
                  "'" + layer.tool + "' as the first tool");
  if (!layer.filters.empty())
    throw Problem("it changes what the program sees of MPI, so it takes no filters", "it without '@'");
}

}  // namespace cairn
