// SPDX-License-Identifier: BSD-3-Clause
// function_list.cc - plain lists and TAU's

#include "request/function_list.hpp"

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <string_view>
#include <system_error>
#include <utility>

#include "base/file_bytes.hpp"
#include "base/text.hpp"

namespace cairn {

namespace {

/// TAU's way to write a glob.
std::string glob_of(std::string_view name) {
  if (name.size() > 1 && name.front() == '"' && name.back() == '"') name = name.substr(1, name.size() - 2);
  name = trimmed(name);
  if (name.ends_with("()")) name.remove_suffix(2);
  std::string glob(trimmed(name));
  std::ranges::replace(glob, '#', '*');
  return glob;
}

/// TAU's lists are of the program's own functions for the most part.
bool may_be_of_mpi(const std::string& glob) { return !glob.empty() && std::strchr("M*?[\\", glob.front()) != nullptr; }

}  // namespace

FunctionList parse_function_list(const std::string& text) {
  FunctionList list;
  const bool is_taus = text.find("BEGIN_") != std::string::npos;
  std::vector<std::string>* into = is_taus ? nullptr : &list.without;
  for (const std::string_view raw : split(text, '\n')) {
    const std::string_view line = trimmed(raw);
    if (line.empty() || line.front() == '#') continue;
    if (line == "BEGIN_EXCLUDE_LIST") into = &list.without;
    else if (line == "BEGIN_INCLUDE_LIST") into = &list.only;
    else if (line.starts_with("BEGIN_") || line.starts_with("END_")) into = nullptr;
    else if (into != nullptr)
      if (std::string glob = glob_of(line); may_be_of_mpi(glob) || (into == &list.only && into->empty()))
        into->push_back(std::move(glob));  // a list of others alone still says that none is of MPI
  }
  return list;
}

std::optional<FunctionList> read_function_list(const std::string& path) {
  std::error_code none;
  if (!std::filesystem::is_regular_file(path, none)) return std::nullopt;  // a pipe can be read once, and may never end
  const std::optional<std::string> text = whole_file(path);
  return text ? std::optional(parse_function_list(*text)) : std::nullopt;
}

}  // namespace cairn
