// SPDX-License-Identifier: BSD-3-Clause
// setting.hpp - a control variable's value as the user asks for it: NAME=VALUE[@RANKS], of an array also NAME[N]=VALUE
//
// Before it starts, an MPI library also reads from the environment, under names of its own, what tools see as control
// variables. A name with "env:" in front is that of an environment variable that is not in MPI_T. An @ that belongs to
// the value takes a backslash.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "request/filters.hpp"

namespace cairn::cli {

struct Setting {
  std::string name;
  std::string value;
  std::string ranks;                     // "0-3,8" as given; empty: all
  std::string origin;                    // "--set x=1", "stack file 'x.toml': x"
  Filters on;                            // the ranks, understood
  std::optional<std::size_t> element{};  // of an array; none: the whole

  /// "NAME", "NAME[1]".
  std::string target() const { return element ? name + "[" + std::to_string(*element) + "]" : name; }
  /// "NAME=VALUE@RANKS", for messages.
  std::string text() const { return target() + "=" + value + (ranks.empty() ? "" : "@" + ranks); }
  bool is_plain() const { return name.starts_with("env:"); }
};

/// `name` may have an element in brackets. Throws Problem.
Setting parse_setting(const std::string& text, const std::string& origin);
Setting make_setting(const std::string& name, const std::string& value, const std::string& ranks,
                     const std::string& origin);

/// Throws Problem if a rank is to have two values of one variable or element. An element's value counts over that of
/// the whole.
void refuse_contradictions(const std::vector<Setting>& settings);

/// The environment variable by which the MPI library gets a control variable's value, or the one that is named.
std::string environment_name(const std::string& name);

/// MpiFamily::id by the form of the name.
std::string mpi_of_name(const std::string& name);

}  // namespace cairn::cli
