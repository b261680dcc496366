// SPDX-License-Identifier: BSD-3-Clause
// objective.hpp - the figure by which runs are compared
#pragma once

#include <regex>
#include <string>

#include "cli/trial.hpp"
#include "cli/tune/search.hpp"

namespace cairn::tune {

class Objective {
 public:
  /// Seconds from the command's start to its end; or, by a regular expression with one group, the last number of that
  /// form in its output; or, by a JSON pointer, a figure of the profile.json that the run wrote. Throws Problem.
  Objective(const std::string& expression, const std::string& pointer);

  /// Runs get a folder for what tools write.
  bool needs_folder() const { return !pointer_.empty(); }
  Measured measure(const cli::Trial& trial, const std::string& folder) const;
  /// "wall time of the command in s"
  std::string text() const;

 private:
  std::string expression_;
  std::regex form_;
  std::string pointer_;
};

}  // namespace cairn::tune
