// SPDX-License-Identifier: BSD-3-Clause
// stack_file.cc - reading a stack file.

#include "cli/stack_file.hpp"

#include <fmt/format.h>

#include <toml++/toml.h>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "base/message.hpp"
#include "base/text.hpp"

namespace cairn::cli {

namespace {

constexpr const char* shape = "[[layer]] sections with tool = \"NAME\" and, if wanted, options = { NAME = VALUE }";

[[noreturn]] void wrong(const std::string& path, const toml::source_region& where, const std::string& what) {
  throw Problem("stack file '" + path + "', line " + std::to_string(where.begin.line) + ", column " +
                    std::to_string(where.begin.column) + ": " + what,
                shape);
}

std::string option_text(const std::string& path, const toml::node& value) {
  if (const auto* text = value.as_string()) return text->get();
  if (const auto* flag = value.as_boolean()) return flag->get() ? "on" : "off";
  if (value.is_integer() || value.is_floating_point()) {
    std::string out;
    value.visit([&](const auto& node) {
      if constexpr (toml::is_number<decltype(node)>) out = fmt::format("{}", node.get());
    });
    return out;
  }
  wrong(path, value.source(), "an option's value must be a string, a number, true or false");
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
    } else {
      wrong(path, key.source(), "unknown key '" + std::string(key.str()) + "'");
    }
  }
  if (layer.tool.empty()) wrong(path, table.source(), "a layer without 'tool'");
  return layer;
}

toml::table parse(const std::string& path) {
  std::ifstream in(path);
  if (!in || std::filesystem::is_directory(path))
    throw Problem("stack file '" + path + "' cannot be read", "the path of a TOML file");
  std::stringstream text;
  text << in.rdbuf();
  try {
    return toml::parse(text.str(), path);
  } catch (const toml::parse_error& error) {
    wrong(path, error.source(), std::string(error.description()));
  }
}

}  // namespace

std::vector<LayerRequest> read_stack_file(const std::string& path) {
  const toml::table file = parse(path);
  std::vector<LayerRequest> layers;
  for (const auto& [key, value] : file) {
    const auto* list = value.as_array();
    if (key != "layer") wrong(path, key.source(), "unknown key '" + std::string(key.str()) + "'");
    if (list == nullptr) wrong(path, value.source(), "'layer' must be an array of tables");
    for (const toml::node& entry : *list) {
      if (!entry.is_table()) wrong(path, entry.source(), "a layer must be a table");
      layers.push_back(read_layer(path, *entry.as_table()));
    }
  }
  return layers;
}

}  // namespace cairn::cli
