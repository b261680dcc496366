// SPDX-License-Identifier: BSD-3-Clause
// explain.cc - settings in the environment, and the table of `cairn run --explain`

#include "cli/run/explain.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "base/message.hpp"
#include "cli/settings/setting.hpp"
#include "cli/settings/variable_query.hpp"

namespace cairn::cli {

void add_environment(std::vector<Explained>& rows, const std::string& mpi) {
  if (mpi.empty()) return;
  Json list;
  try {
    list = ask_variables({mpi, "", true, {}, true});
  } catch (const Problem& problem) {
    rows.push_back({"control variables", "unknown", problem.what()});
    return;
  }
  for (const Json& entry : list["control_variables"]) {
    const auto name = entry["name"].get<std::string>();
    const std::string variable = environment_name(name);
    const char* value = std::getenv(variable.c_str());
    if (value != nullptr && std::ranges::find(rows, name, &Explained::what) == rows.end())
      rows.push_back({name, value, "environment: " + variable});
  }
}

std::string explanation(const std::vector<Explained>& rows) {
  std::size_t what = 0;
  std::size_t value = 0;
  for (const Explained& row : rows) {
    what = std::max(what, row.what.size());
    value = std::max(value, row.value.size());
  }
  std::string out;
  for (const Explained& row : rows)
    out += fmt::format("{:<{}}  {:<{}}  {}\n", row.what, what, row.value, value, row.origin);
  return out;
}

}  // namespace cairn::cli
