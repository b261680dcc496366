// SPDX-License-Identifier: BSD-3-Clause
// report.hpp - what a search has found, for people and for programs
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "cli/tune/candidates.hpp"
#include "cli/tune/search.hpp"

namespace cairn::tune {

struct Result {
  std::vector<Candidate> candidates;  // the first is the base
  Found found;
};

struct Report {
  std::vector<std::string> command;
  std::string objective;
  SearchOptions options;
  std::vector<Result> results;  // one, or one for each variable after the other

  /// The best that is known; empty: the default.
  Candidate best() const;
  /// "the command failed without any setting: exit code 1": why a search ended early, with nothing left to compare with;
  /// empty: it did not.
  std::string why_ended_early() const;
};

std::string text_of(const Report& report);

/// {"format": "cairn-tune 1", …}: docs/tuning.md has the rest.
nlohmann::ordered_json json_of(const Report& report);

}  // namespace cairn::tune
