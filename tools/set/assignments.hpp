// SPDX-License-Identifier: BSD-3-Clause
// assignments.hpp - the tool's options as lists: "NAME=VALUE;NAME[1]=VALUE", a backslash takes the next character
// literally
#pragma once

#include <charconv>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace set {

struct Assignment {
  std::string name;
  std::string value;

  /// "NAME[1]" is 1; none: the whole variable.
  std::optional<std::size_t> element() const {
    const std::size_t open = name.find('[');
    std::size_t number = 0;
    const char* const end = name.data() + name.size();
    if (open == std::string::npos) return std::nullopt;
    const auto [rest, error] = std::from_chars(name.data() + open + 1, end, number);
    return rest == end - 1 && error == std::errc() ? std::optional(number) : std::nullopt;
  }
  std::string variable() const { return element() ? name.substr(0, name.find('[')) : name; }
};

/// A part without "=" is a name with an empty value.
inline std::vector<Assignment> read_assignments(std::string_view text) {
  std::vector<Assignment> all;
  if (text.empty()) return all;
  all.emplace_back();
  std::string* growing = &all.back().name;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\' && i + 1 < text.size()) *growing += text[++i];
    else if (text[i] == ';') growing = &all.emplace_back().name;
    else if (text[i] == '=' && growing == &all.back().name) growing = &all.back().value;
    else *growing += text[i];
  }
  return all;
}

}  // namespace set
