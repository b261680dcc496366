// SPDX-License-Identifier: BSD-3-Clause
// advice.hpp - findings of a policy that hold of a run, the most promising first
#pragma once

#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "cli/advise/records.hpp"
#include "policy/policy.hpp"

namespace cairn::advise {

struct Advice {
  std::string title;
  std::string record;  // the kind of records that it is of; "": the run
  std::string kind;    // of finding_kinds
  std::string file;    // the place; empty: not known
  int line = 0;
  std::string function;          // of the program
  std::vector<int> ranks;        // who causes it; none: not known
  double cost_s = 0;             // lost by an average rank, at most the run's length; not a number: not known
  double cost_share = 0;         // of the run
  double predicted_run_s = NAN;  // with that mended; not a number: not known
  double predicted_error_s = NAN;
  bool is_measured = false;  // cause and cost; otherwise the cause is a guess
  double gain_s = 0;         // of the run, at most its length; not a number: not known
  double gain_share = 0;     // of the run
  policy::Finding::Sureness sureness = policy::Finding::Sureness::medium;
  std::string evidence;
  std::string remedy;
  std::vector<std::pair<std::string, std::string>> settings;  // control variable, value
  std::size_t others = 0;                                     // further records of which the same holds
};

struct Result {
  std::vector<Advice> advice;
  std::size_t left_out = 0;                     // those that cost least
  std::vector<std::string> not_looked_at;       // titles whose records the run does not have
  std::map<std::string, std::size_t> for_want;  // how many of these, by the tools that were missing
};

/// The findings that come with Cairn.
const std::string& built_in_rules();

/// Throws Problem, with line and column, if a finding asks for a record or field that there is not.
void check_fields(const policy::Policy& policy);

/// How many are shown unless another number is asked for.
inline constexpr std::size_t findings_shown = 10;

/// At most `most` of them.
Result find_advice(const policy::Policy& policy, const Records& records, std::size_t most);

std::string advice_text(const Result& result, const Records& records);
/// {"format": "cairn-advice 1", ...} (docs/advice.md)
nlohmann::ordered_json advice_json(const Result& result, const Records& records);

/// "9 that need waits; 2 that need vars": findings that the run's tools do not allow; "" if there are none.
std::string not_checked(const Result& result);
/// "cost: 1.2 s (20 % of the run)", "gain: up to 1.2 s (…); sure: high, a guess": the cost only where the gain is another.
std::vector<std::string> figures_of(const Advice& advice);
/// "cairn run --set …"; "" without settings.
std::string command_of(const Advice& advice);
nlohmann::ordered_json advice_json(const Advice& advice);

/// "high"
const char* word_of(policy::Finding::Sureness sureness);

}  // namespace cairn::advise
