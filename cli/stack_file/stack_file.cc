// SPDX-License-Identifier: BSD-3-Clause
// stack_file.cc - reading a stack file.

#include "cli/stack_file/stack_file.hpp"

#include <fmt/format.h>

#include <toml++/toml.h>
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <optional>

#include "base/file_bytes.hpp"
#include "base/job.hpp"
#include "base/message.hpp"
#include "base/text.hpp"
#include "cli/stack_file/pnmpi_file.hpp"
#include "request/filters.hpp"

namespace cairn::cli {

namespace {

constexpr const char* shape =
    "[[layer]] sections with tool = \"NAME\" and optionally options = { NAME = VALUE } and filters (ranks = \"0-3\")";
constexpr const char* set_shape = "NAME = VALUE, or NAME = { value = VALUE, ranks = \"0-3\" }";

[[noreturn]] void wrong(const std::string& path, const toml::source_region& where, const std::string& what,
                        const std::string& remedy = shape) {
  throw Problem("stack file '" + path + "', line " + std::to_string(where.begin.line) + ", column " +
                    std::to_string(where.begin.column) + ": " + what,
                remedy);
}

/// A string, a number or a switch as text; none for anything else.
std::optional<std::string> plain_text(const toml::node& value) {
  if (const auto* text = value.as_string()) return text->get();
  if (const auto* flag = value.as_boolean()) return flag->get() ? "on" : "off";
  if (value.is_integer() || value.is_floating_point()) {
    std::string out;
    value.visit([&](const auto& node) {
      if constexpr (toml::is_number<decltype(node)>) out = fmt::format("{}", node.get());
    });
    return out;
  }
  return std::nullopt;
}

std::string option_text(const std::string& path, const toml::node& value) {
  if (auto text = plain_text(value)) return *text;
  wrong(path, value.source(), "an option's value must be a string, a number, true or false");
}

/// A value or a list of values. In the text for ranks, commas part them too.
std::vector<std::string> filter_values(const std::string& path, const std::string& name, const toml::node& value) {
  std::vector<std::string> values;
  const auto add = [&](const toml::node& node) {
    const auto text = plain_text(node);
    if (!text)
      wrong(path, node.source(), "a filter's value must be a string, a number, true or false, or a list of them");
    for (const std::string_view part : split(*text, name == "ranks" ? ',' : '\0')) values.emplace_back(part);
  };
  if (const auto* list = value.as_array())
    for (const toml::node& node : *list) add(node);
  else add(value);
  return values;
}

bool is_filter(std::string_view name) {
  return std::ranges::any_of(filter_kinds(), [&](const FilterKind& kind) { return kind.name == name; });
}

LayerFilter read_filter(const std::string& path, const std::string& name, const toml::node& value) {
  const LayerFilter filter{name, filter_values(path, name, value)};
  try {
    parse_filters({"", {}, {filter}});
  } catch (const Problem& problem) {
    wrong(path, value.source(), "'" + name + "' cannot be '" + join(filter.values, "+") + "'", problem.remedy);
  }
  return filter;
}

std::string tool_from(const std::string& path, const std::string& tool) {
  if (tool.find('/') == std::string::npos || tool.front() == '/') return tool;
  return std::filesystem::absolute(folder_of(path) + "/" + tool).lexically_normal().string();
}

LayerRequest read_layer(const std::string& path, const toml::table& table) {
  LayerRequest layer;
  for (const auto& [key, value] : table) {
    if (key == "tool") {
      const auto* text = value.as_string();
      if (text == nullptr || text->get().empty())
        wrong(path, value.source(), "'tool' must be a name or path in quotes");
      layer.tool = tool_from(path, text->get());
    } else if (key == "options") {
      const auto* options = value.as_table();
      if (options == nullptr) wrong(path, value.source(), "'options' must be a table");
      for (const auto& [name, option] : *options)
        layer.options.push_back({std::string(name.str()), option_text(path, option)});
    } else if (is_filter(key.str())) {
      layer.filters.push_back(read_filter(path, std::string(key.str()), value));
    } else {
      wrong(path, key.source(), "unknown key '" + std::string(key.str()) + "'");
    }
  }
  if (layer.tool.empty()) wrong(path, table.source(), "a layer without 'tool'");
  return layer;
}

std::string setting_text(const std::string& path, const toml::node& value, const std::string& what) {
  if (const auto* flag = value.as_boolean()) return flag->get() ? "true" : "false";  // as libraries have it
  if (auto text = plain_text(value)) return *text;
  if (const auto* list = value.as_array(); list != nullptr && !list->empty()) {
    std::vector<std::string> elements;
    for (const toml::node& element : *list) elements.push_back(setting_text(path, element, "each element of " + what));
    return join(elements, ",");
  }
  wrong(path, value.source(), what + " must be a string, a number, true, false or a list of these", set_shape);
}

Setting read_setting(const std::string& path, const std::string& name, const toml::node& value) {
  std::string text;
  std::string ranks;
  if (const auto* table = value.as_table()) {
    if (!table->contains("value")) wrong(path, value.source(), "'" + name + "' has no 'value'", set_shape);
    for (const auto& [key, part] : *table)
      if (key == "value") text = setting_text(path, part, "'value'");
      else if (key == "ranks") ranks = setting_text(path, part, "'ranks'");
      else wrong(path, key.source(), "unknown key '" + std::string(key.str()) + "'", set_shape);
  } else {
    text = setting_text(path, value, "'" + name + "'");
  }
  try {
    return make_setting(name, text, ranks, "stack file '" + path + "': " + name);
  } catch (const Problem& problem) {
    wrong(path, value.source(), problem.what(), problem.remedy);
  }
}

std::string read_text(const std::string& path) {
  std::optional<std::string> text = whole_file(path);
  if (!text) throw Problem("stack file '" + path + "' cannot be read", "the path of a TOML file");
  return *std::move(text);
}

toml::table parse(const std::string& path, const std::string& text) {
  try {
    return toml::parse(text, path);
  } catch (const toml::parse_error& error) {
    wrong(path, error.source(), std::string(error.description()));
  }
}

}  // namespace

void warn_of_stack_file(const std::string& text) {
  if (speaks_for_job()) tell(Severity::warning, text);
}

std::vector<LayerRequest> read_stack_file(const std::string& path,
                                          const std::function<void(const std::string&)>& warn) {
  const std::string text = read_text(path);
  if (is_pnmpi_file(text)) {
    const char* folders = std::getenv("PNMPI_LIB_PATH");
    return read_pnmpi_file(text, folders != nullptr ? folders : "",
                           [&](const std::string& remark) { warn("PnMPI configuration '" + path + "', " + remark); });
  }
  const toml::table file = parse(path, text);
  std::vector<LayerRequest> layers;
  for (const auto& [key, value] : file) {
    const auto* list = value.as_array();
    if (key == "set") continue;
    if (key != "layer") wrong(path, key.source(), "unknown key '" + std::string(key.str()) + "'");
    if (list == nullptr) wrong(path, value.source(), "'layer' must be an array of tables");
    for (const toml::node& entry : *list) {
      if (!entry.is_table()) wrong(path, entry.source(), "a layer must be a table");
      layers.push_back(read_layer(path, *entry.as_table()));
    }
  }
  return layers;
}

std::vector<Setting> read_stack_settings(const std::string& path) {
  std::vector<Setting> settings;
  const std::string text = read_text(path);
  if (is_pnmpi_file(text)) return settings;
  const toml::table file = parse(path, text);
  const toml::node* set = file.get("set");
  if (set == nullptr) return settings;
  if (!set->is_table()) wrong(path, set->source(), "'set' must be a table", set_shape);
  for (const auto& [name, value] : *set->as_table())
    settings.push_back(read_setting(path, std::string(name.str()), value));
  return settings;
}

}  // namespace cairn::cli
