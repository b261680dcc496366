// SPDX-License-Identifier: BSD-3-Clause
// assignments.hpp - the tool's options as lists: "NAME=VALUE;NAME=VALUE", a backslash takes the next character
// literally
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace set {

struct Assignment {
  std::string name;
  std::string value;
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
