// SPDX-License-Identifier: BSD-3-Clause
// request.cc - parsing and writing the list of tools.

#include "request/request.hpp"

#include <algorithm>
#include <cstdlib>

#include "base/message.hpp"
#include "base/text.hpp"
#include "base/tool_settings.hpp"
#include "request/filters.hpp"

namespace cairn {

namespace {

constexpr const char* syntax = "TOOL[=OPTION:VALUE...][@FILTER:VALUE...], layers separated by commas";
constexpr const char* filter_syntax =
    "TOOL@FILTER:VALUE[:FILTER:VALUE...]; write \\@ for an @ that belongs to a path or value";

/// Splits at separators that no backslash precedes; backslashes stay for the next level of splitting.
std::vector<std::string> split_raw(std::string_view text, char separator) {
  std::vector<std::string> parts(1);
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\' && i + 1 < text.size()) {
      parts.back().append(text.substr(i, 2));
      ++i;
    } else if (text[i] == separator) {
      parts.emplace_back();
    } else {
      parts.back() += text[i];
    }
  }
  return parts;
}

LayerRequest parse_tool(const std::string& text) {
  auto sides = split_raw(text, '=');
  LayerRequest layer;
  layer.tool = split_escaped(sides[0], '\0').front();
  if (layer.tool.empty()) throw Problem("a tool's name is missing in '" + text + "'", syntax);
  if (sides.size() == 1) return layer;

  const std::string rest = join({sides.begin() + 1, sides.end()}, "=");
  auto words = split_escaped(rest, ':');
  if (words.size() % 2 != 0) {
    if (words.back().empty()) throw Problem("option '' of tool '" + layer.tool + "' has no value", syntax);
    words.emplace_back("on");
  }
  for (std::size_t i = 0; i < words.size(); i += 2) layer.options.push_back({words[i], words[i + 1]});
  return layer;
}

void add_filters(LayerRequest& layer, const std::string& text) {
  const auto words = split_raw(text, ':');
  if (words.size() % 2 != 0)
    throw Problem("filter '" + words.back() + "' of tool '" + layer.tool + "' has no value", filter_syntax);
  for (std::size_t i = 0; i < words.size(); i += 2)
    layer.filters.push_back({split_escaped(words[i], '\0').front(), split_escaped(words[i + 1], '+')});
}

LayerRequest parse_layer(const std::string& text) {
  const auto parts = split_raw(text, '@');
  LayerRequest layer = parse_tool(parts[0]);
  for (std::size_t i = 1; i < parts.size(); ++i) add_filters(layer, parts[i]);
  parse_filters(layer);
  return layer;
}

/// "name:value+value:name:value", the signs of every level escaped.
std::string format_filters(const std::vector<LayerFilter>& filters) {
  std::vector<std::string> words;
  for (const LayerFilter& filter : filters) {
    std::vector<std::string> values;
    for (const std::string& value : filter.values) values.push_back(escape(value, ",@:+"));
    words.push_back(escape(filter.name, ",@:") + ":" + join(values, "+"));
  }
  return join(words, ":");
}

}  // namespace

std::vector<LayerRequest> parse_tools(std::string_view text) {
  std::vector<LayerRequest> layers;
  if (text.empty()) return layers;
  for (const std::string& layer : split_raw(text, ',')) layers.push_back(parse_layer(layer));
  return layers;
}

std::string format_tools(const std::vector<LayerRequest>& layers) {
  std::vector<std::string> parts;
  for (const LayerRequest& layer : layers) {
    std::string part = escape(layer.tool, ",=@");
    char separator = '=';
    for (const ToolOption& option : layer.options) {
      part += separator + escape(option.name, ",:@") + ":" + escape(option.value, ",:@");
      separator = ':';
    }
    if (!layer.filters.empty()) part += "@" + format_filters(layer.filters);
    parts.push_back(part);
  }
  return join(parts, ",");
}

std::uint32_t instance_number(const std::vector<LayerRequest>& layers, std::size_t position) {
  const auto place = layers.begin() + static_cast<std::ptrdiff_t>(position);
  const auto same_tool = [&](const LayerRequest& other) { return other.tool == place->tool; };
  return static_cast<std::uint32_t>(1 + std::count_if(layers.begin(), place, same_tool));
}

namespace {

std::vector<LayerRequest> asked_of_cairn(std::string& source) {
  if (const char* text = std::getenv("CAIRN_TOOLS"); text != nullptr && *text != '\0') {
    const char* asked_by = std::getenv("CAIRN_ASKED_BY");
    source = asked_by != nullptr && *asked_by != '\0' ? asked_by : std::string("CAIRN_TOOLS=") + text;
    return parse_tools(text);
  }
  std::vector<LayerRequest> layers;
  if (const char* text = thesis_tools(); *text != '\0') {
    source = std::string(thesis_setting) + "=" + text;
    for (const std::string_view path : split(text, ':'))
      if (!path.empty()) layers.push_back({std::string(path), {}});
    return layers;
  }
  return layers;
}

/// A program's own QMPI tools, as MPICH reads them. A name that is asked for already is not asked for twice.
void add_qmpi_tools(std::vector<LayerRequest>& layers, std::string& source) {
  for (const char* list : qmpi_tool_lists) {
    const char* text = std::getenv(list);
    if (text == nullptr || *text == '\0') continue;
    const std::vector<LayerRequest> known = layers;
    for (const std::string_view name : split(text, ':'))
      if (!name.empty() && std::ranges::find(known, name, &LayerRequest::tool) == known.end())
        layers.push_back({std::string(name), {}});
    if (layers.size() != known.size()) source += (source.empty() ? "" : ", then ") + (std::string(list) + "=" + text);
    return;
  }
}

}  // namespace

std::vector<LayerRequest> tools_of_environment(std::string& source) {
  std::vector<LayerRequest> layers = asked_of_cairn(source);
  add_qmpi_tools(layers, source);
  return layers;
}

}  // namespace cairn
