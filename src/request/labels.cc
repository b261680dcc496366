// SPDX-License-Identifier: BSD-3-Clause
// labels.cc - reads and writes lists of labels

#include "request/labels.hpp"

#include <algorithm>

#include "base/text.hpp"

namespace cairn {

namespace {

bool is_name(std::string_view text) {
  constexpr std::string_view allowed = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.";
  return !text.empty() && text.find_first_not_of(allowed) == std::string_view::npos;
}

bool is_value(std::string_view text) {
  return std::ranges::none_of(text, [](unsigned char c) { return c == ',' || c < ' ' || c == 0x7f; });
}

}  // namespace

bool add_label(Labels& labels, std::string_view text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string_view::npos) return false;
  const std::string name(text.substr(0, equals));
  const std::string value(text.substr(equals + 1));
  if (!is_name(name) || !is_value(value)) return false;
  const auto same = std::ranges::find(labels, name, &Labels::value_type::first);
  if (same != labels.end()) same->second = value;
  else labels.emplace_back(name, value);
  return true;
}

Labels labels_of(std::string_view list) {
  Labels labels;
  for (const std::string_view part : split(list, ',')) add_label(labels, part);
  return labels;
}

std::string list_of(const Labels& labels) {
  std::vector<std::string> parts;
  for (const auto& [name, value] : labels) parts.push_back(name + "=" + value);
  return join(parts, ",");
}

}  // namespace cairn
