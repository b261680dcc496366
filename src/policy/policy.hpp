// SPDX-License-Identifier: BSD-3-Clause
// policy.hpp - what a policy file says, as data: rules for a running program, findings for a finished one
//
// The language is described for its users in docs/policies.md. Who runs rules: tools/policy; findings: `cairn advise`.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "policy/expression.hpp"

namespace cairn::policy {

/// Words with values in between: "queue of {length} messages, {size:bytes}".
struct Text {
  enum class Unit { number, bytes, time, percent };
  struct Piece {
    std::string literal;              // what comes before the value
    std::optional<Expression> value;  // none: the text ends with the literal
    Unit unit = Unit::number;
  };
  std::vector<Piece> pieces;
};

/// When a rule is looked at.
struct Trigger {
  enum class Kind { seconds, calls, phase, start, end };
  Kind kind = Kind::seconds;
  double count = 0;      // seconds or calls between two looks
  std::string function;  // "MPI_Allreduce", whose calls are counted
  Position at;
};

struct Action {
  enum class Kind {
    set,
    try_values,
    switch_layer,  // `name` on or off
    note,
    stop,  // the policy is over, what it holds is released
  };
  Kind kind = Kind::set;
  Position at;
  bool otherwise = false;  // when the condition does not hold
  std::string name;
  std::optional<std::size_t> element{};  // of an array; none: the whole
  std::optional<Expression> value{};     // of `set`
  std::vector<Value> candidates{};       // of `try`
  bool on = false;
  Text text{};
};

/// "NAME", "NAME[1]".
std::string target_of(const Action& action);

/// Both included.
struct RankRange {
  int first = 0;
  int last = 0;
  bool operator==(const RankRange&) const = default;
};

/// Whether it gives a control variable values.
inline bool sets(const Action& action) {
  return action.kind == Action::Kind::set || action.kind == Action::Kind::try_values;
}

struct Rule {
  /// Whose condition counts where the ranks decide together.
  enum class Agreement { none, any, all };

  std::string title;
  Position at;
  std::optional<Trigger> trigger;
  std::optional<Expression> condition;
  std::optional<Expression> until;      // acts again only after this held
  std::optional<Expression> objective;  // to be small; a change that makes it larger is taken back
  Agreement agreement = Agreement::none;
  double times = 1;              // the condition holds so often in a row
  double cooldown_s = 0;         // between two times that it acts
  double over = 3;               // looks over which the objective is averaged
  double tolerance = 0.05;       // by which the objective may seem worse
  std::vector<RankRange> ranks;  // none: every rank
  std::vector<Action> actions;
};

/// Advice, found in the records of a run.
struct Finding {
  enum class Sureness { low, medium, high };

  std::string title;
  Position at;
  std::string record;  // "site": one look per record of that kind; empty: one look
  std::optional<Expression> condition;
  std::optional<Expression> gain;  // seconds of the run that may be saved
  std::string kind;                // "late_sender"; empty: not given
  Position kind_at;
  std::optional<Expression> cost;       // seconds that an average rank loses; none: as much as the gain
  std::optional<Expression> predicted;  // seconds of the run with that mended
  std::optional<Expression> error;      // of these
  std::optional<Expression> ranks;      // who causes it: a list
  std::vector<Expression> place;        // file, line and function; none, or these three
  bool is_measured = false;             // cause and cost are; otherwise the cause is a guess
  Sureness sureness = Sureness::medium;
  Text evidence;
  Text remedy;
  std::vector<Action> settings;    // of kind set
  std::vector<std::string> needs;  // control variables that the MPI library must have
};

struct Policy {
  std::string file;
  std::vector<Rule> rules;
  std::vector<Finding> findings;
};

/// Calls visit(Expression) for each expression of the rule.
template <class Visit>
void for_each_expression(const Rule& rule, Visit visit);
template <class Visit>
void for_each_expression(const Finding& finding, Visit visit);

/// Throws Problem, which names file, line and column, if the text is not a policy or contradicts itself.
Policy parse_policy(std::string_view text, const std::string& file);

/// The same of a file.
Policy read_policy(const std::string& path);

/// "policy 'FILE', line 3, column 7: WHAT" as a Problem; throws.
[[noreturn]] void refuse(const std::string& file, Position at, const std::string& what, const std::string& remedy = {});

/// The words with their values filled in; `value_of` gives the value of an expression.
template <class ValueOf>
std::string fill_in(const Text& text, ValueOf value_of);

/// "1.25 s", "64 KiB", "12 %", "3.5"; several values in brackets; "?" for what is not known.
std::string format_value(const Value& value, Text::Unit unit = Text::Unit::number);

template <class Visit>
void for_each_expression(const Text& text, Visit visit) {
  for (const Text::Piece& piece : text.pieces)
    if (piece.value) visit(*piece.value);
}

template <class Visit>
void for_each_expression(const std::vector<Action>& actions, Visit visit) {
  for (const Action& action : actions) {
    if (action.value) visit(*action.value);
    for_each_expression(action.text, visit);
  }
}

template <class Visit>
void for_each_expression(const Rule& rule, Visit visit) {
  for (const auto* each : {&rule.condition, &rule.until, &rule.objective})
    if (*each) visit(**each);
  for_each_expression(rule.actions, visit);
}

template <class Visit>
void for_each_expression(const Finding& finding, Visit visit) {
  for (const auto* each :
       {&finding.condition, &finding.gain, &finding.cost, &finding.predicted, &finding.error, &finding.ranks})
    if (*each) visit(**each);
  for (const Expression& each : finding.place) visit(each);
  for_each_expression(finding.evidence, visit);
  for_each_expression(finding.remedy, visit);
  for_each_expression(finding.settings, visit);
}

template <class ValueOf>
std::string fill_in(const Text& text, ValueOf value_of) {
  std::string out;
  for (const Text::Piece& piece : text.pieces) {
    out += piece.literal;
    if (piece.value) out += format_value(value_of(*piece.value), piece.unit);
  }
  return out;
}

}  // namespace cairn::policy
