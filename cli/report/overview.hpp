// SPDX-License-Identifier: BSD-3-Clause
// overview.hpp - what a report begins with: efficiency, the findings, all ranks over time
#pragma once

#include <cmath>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "cli/advise/advice.hpp"

namespace cairn::report {

using Json = nlohmann::ordered_json;

struct Report;

/// A figure of the POP model, between 0 and 1. The deeper ones are factors of the one above.
struct Efficiency {
  std::string_view key;
  std::string_view title;
  std::string_view meaning;
  int depth = 0;
  double value = NAN;        // not a number: unknown
  std::string_view unknown;  // then: what would tell
  double before = NAN;       // of two runs: the first one's
  std::string_view talp{};   // TALP's name for the same; "": it has none
};

/// One of those that `cairn advise` has.
struct Finding {
  advise::Advice advice;
  std::string evidence;   // the table that has it; "": none
  std::string_view in;    // of two runs: "A", "B", "both"
  double before_s = NAN;  // of two runs: what it cost in the first one
};

struct Overview {
  std::vector<Efficiency> efficiency;
  std::vector<Finding> findings;  // the dearest first
  bool is_advised = false;        // there was something that findings could be made of
  std::string not_checked;        // "9 that need waits"
  std::vector<Json> strips;       // charts, of each run
};

/// Of the run in `folder`, whose sections are read.
void add_overview(const std::string& folder, Report& report);

/// Of the two that `report` compares.
void compare_overviews(const Report& a, const Report& b, Report& report);

/// For people.
std::string overview_text(const Report& report);
/// Into the report's JSON.
void put_overview(const Report& report, Json& out);

}  // namespace cairn::report
