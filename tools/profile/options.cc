// SPDX-License-Identifier: BSD-3-Clause
// options.cc - the tool's description of itself, and reading what the user set

#include "options.hpp"

#include <charconv>
#include <string_view>

extern "C" {
const char cairn_tool_about[] =
    "abi 1\n"
    "summary calls, time and bytes of each MPI function, with the imbalance over ranks\n"
    "option top 10 functions shown in the table on the terminal\n"
    "option table on whether the table is shown: on or off\n";
}

namespace profile {

namespace {

bool read(std::string_view text, unsigned& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc{} && end == text.data() + text.size();
}

bool read(std::string_view text, bool& on) {
  on = text == "on";
  return text == "on" || text == "off";
}

}  // namespace

Options read_options(const cairn_tool_instance& instance) {
  Options options;
  for (unsigned i = 0; i < instance.option_count; ++i) {
    const std::string_view name = instance.options[i].name;
    const std::string value = instance.options[i].value;
    const Options before = options;
    const bool good = name == "top" ? read(value, options.top) : name != "table" || read(value, options.table);
    if (good) continue;
    options = before;
    instance.warn(&instance,
                  ("option '" + std::string(name) + "' cannot be '" + value + "'; its default is used").c_str());
  }
  return options;
}

Summary describe(const cairn_tool_instance& instance) {
  Summary summary;
  summary.program = instance.program;
  summary.tool = instance.tool;
  if (instance.instance > 1) summary.tool += " #" + std::to_string(instance.instance);
  return summary;
}

std::string file_name(unsigned instance) {
  return instance > 1 ? "profile." + std::to_string(instance) + ".json" : "profile.json";
}

}  // namespace profile
