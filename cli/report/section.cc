// SPDX-License-Identifier: BSD-3-Clause
// section.cc - finding things in sections and tables

#include "cli/report/section.hpp"

#include <algorithm>

namespace cairn::report {

std::size_t Table::find(std::string_view key) const {
  const auto found = std::find_if(columns.begin(), columns.end(), [&](const Column& c) { return c.key == key; });
  return static_cast<std::size_t>(found - columns.begin());
}

const Fact* Section::fact(std::string_view key) const {
  const auto found = std::find_if(facts.begin(), facts.end(), [&](const Fact& f) { return f.key == key; });
  return found == facts.end() ? nullptr : &*found;
}

std::string name_of(const Section& section) {
  const std::string name =
      section.instance == 1 ? section.tool : section.tool + " #" + std::to_string(section.instance);
  return section.part.empty() ? name : name + ", " + section.part;
}

}  // namespace cairn::report
