// SPDX-License-Identifier: BSD-3-Clause
// function_list.hpp - a file that lists functions which tools shall not see, or which alone they shall see
//
// A name or glob in each line, to be left out; or TAU's format for selective instrumentation, of which the lists between
// BEGIN_EXCLUDE_LIST and END_EXCLUDE_LIST, BEGIN_INCLUDE_LIST and END_INCLUDE_LIST count: # stands for any characters,
// and names may be quoted and end with (). In both, lines that begin with # are comments.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace cairn {

struct FunctionList {
  std::vector<std::string> only;     // globs; none: all functions
  std::vector<std::string> without;  // globs
};

FunctionList parse_function_list(const std::string& text);

/// Nothing if the file cannot be read.
std::optional<FunctionList> read_function_list(const std::string& path);

}  // namespace cairn
