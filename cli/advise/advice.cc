// SPDX-License-Identifier: BSD-3-Clause
// advice.cc - evaluating findings record by record, and ranking them

#include "cli/advise/advice.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>

#include "base/text.hpp"
#include "cli/advise/kinds.hpp"
#include "cli/advise/rules.hpp"
#include "policy/expression_parser.hpp"

namespace cairn::advise {

namespace {

using policy::Evaluator;
using policy::Expression;
using policy::Finding;
using policy::Value;

const Value& look_up(const Records& records, const Record& record, const std::string& name) {
  return value_in(record.contains(name) ? record : records.run, name);
}

/// An expression that is asked of record after record.
class Question {
 public:
  Question(const Expression& expression, const Records& records) : evaluator_(expression), records_(records) {}

  const Value& ask(const Record& record) {
    inputs_.clear();
    for (const policy::Input& input : evaluator_.expression().inputs)
      inputs_.push_back(&look_up(records_, record, input.name));
    return evaluator_.evaluate(inputs_, 0);
  }

 private:
  Evaluator evaluator_;
  const Records& records_;
  std::vector<const Value*> inputs_;
};

/// In full, for a command line; "" for what is not known.
std::string setting_text(const Value& value) {
  if (value.is_text) return value.text;
  return std::isfinite(value.front()) ? fmt::format("{:.15g}", value.front()) : "";
}

bool is_same(const Value& one, const Value& other) {
  if (one.is_text != other.is_text) return false;
  return one.is_text ? one.text == other.text : one.front() == other.front();
}

/// Whether the MPI library has the variables that the advice is about.
bool can_be_followed(const Finding& finding, const Records& records) {
  return std::ranges::all_of(finding.needs, [&](const std::string& name) {
    return records.library != nullptr && records.library->find(name) != nullptr;
  });
}

/// Of a finding that holds of a record: its expressions' values.
class Answers {
 public:
  Answers(const Finding& finding, const Records& records, const Record& record)
      : finding_(finding), records_(records), record_(record) {}

  Value value(const Expression& expression) const { return Question(expression, records_).ask(record_); }
  double number(const std::optional<Expression>& expression) const {
    return expression ? value(*expression).front() : NAN;
  }
  std::string text(const policy::Text& text) const {
    return fill_in(text, [&](const Expression& expression) { return value(expression); });
  }

  void find_place(Advice& advice) const {
    if (finding_.place.empty()) return;
    advice.file = value(finding_.place[0]).text;
    const double line = value(finding_.place[1]).front();
    advice.line = std::isfinite(line) ? static_cast<int>(line) : 0;
    advice.function = value(finding_.place[2]).text;
  }

  void find_ranks(Advice& advice) const {
    if (!finding_.ranks) return;
    for (const double rank : value(*finding_.ranks).numbers)
      if (rank >= 0) advice.ranks.push_back(static_cast<int>(rank));
  }

  /// By the run's settings, or by what the library has anyway.
  bool is_in_force(const policy::Action& action, const Value& wanted) const {
    const Value& set = look_up(records_, {}, "setting." + action.name);
    if (set.is_text || !set.numbers.empty()) return is_same(set, wanted);
    const bool is_asked = std::ranges::find(finding_.needs, action.name) != finding_.needs.end();
    const Value* const own = is_asked && records_.library != nullptr ? records_.library->find(action.name) : nullptr;
    return own != nullptr && is_same(*own, wanted);
  }

  /// False if all that the finding would set is in force.
  bool find_settings(Advice& advice) const {
    std::size_t in_force = 0;
    for (const policy::Action& action : finding_.settings) {
      const Value wanted = value(*action.value);
      if (is_in_force(action, wanted)) ++in_force;
      else if (const std::string text = setting_text(wanted); !text.empty())
        advice.settings.emplace_back(action.name, text);
    }
    return in_force == 0 || in_force < finding_.settings.size();
  }

 private:
  const Finding& finding_;
  const Records& records_;
  const Record& record_;
};

/// None if all that it would set is in force.
std::optional<Advice> advice_of(const Finding& finding, const Records& records, const Record& record, double gain) {
  const Answers answers(finding, records, record);
  const double run_s = look_up(records, record, "run.time").front();
  const auto within_run = [&](double seconds) { return std::isnan(run_s) ? seconds : std::min(seconds, run_s); };
  Advice advice;
  advice.title = finding.title;
  advice.record = finding.record;
  advice.kind = finding.kind.empty() ? std::string(finding_kinds.back().name) : finding.kind;
  advice.gain_s = within_run(gain);
  const double cost = answers.number(finding.cost);
  advice.cost_s = within_run(std::isnan(cost) ? gain : cost);
  advice.cost_share = run_s > 0 ? advice.cost_s / run_s : 0;
  advice.predicted_run_s = answers.number(finding.predicted);
  if (std::isfinite(advice.predicted_run_s)) {
    advice.predicted_error_s = answers.number(finding.error);
    advice.gain_s = std::max(0.0, run_s - advice.predicted_run_s);
  }
  advice.gain_share = run_s > 0 ? advice.gain_s / run_s : 0;
  advice.is_measured = finding.is_measured;
  advice.sureness = finding.sureness;
  advice.evidence = answers.text(finding.evidence);
  advice.remedy = answers.text(finding.remedy);
  answers.find_place(advice);
  answers.find_ranks(advice);
  if (!answers.find_settings(advice)) return std::nullopt;
  return advice;
}

/// A record of which a finding holds; it may gain nothing where it costs something, and what it gains may be unknown.
struct Candidate {
  const Record* record;
  double gain;

  /// What is gained for sure is more than what is not known, and that more than nothing.
  std::pair<int, double> order() const {
    if (std::isnan(gain)) return {1, 0};
    return {gain > 0 ? 2 : 0, gain};
  }
};

std::vector<Candidate> candidates(const Finding& finding, const Records& records, const std::vector<Record>& of,
                                  std::size_t& held) {
  Question condition(*finding.condition, records);
  Question gain_of(*finding.gain, records);
  std::optional<Question> cost_of;
  if (finding.cost) cost_of.emplace(*finding.cost, records);
  std::vector<Candidate> found;
  for (const Record& record : of) {
    if (!holds(condition.ask(record))) continue;
    ++held;
    const double gain = gain_of.ask(record).front();
    const auto costs_something = [&] { return cost_of && cost_of->ask(record).front() > 0; };
    if (std::isnan(gain) || gain > 0 || (gain == 0 && costs_something())) found.push_back({&record, gain});
  }
  return found;
}

/// What is measured is a finding for each record; of guesses that look alike, the one with most to gain.
void look(const Finding& finding, const Records& records, const std::vector<Record>& of, std::vector<Advice>& out) {
  std::size_t held = 0;
  std::vector<Candidate> found = candidates(finding, records, of, held);
  if (found.empty() || !can_be_followed(finding, records)) return;
  if (!finding.is_measured) found = {*std::ranges::max_element(found, {}, &Candidate::order)};
  for (const Candidate& one : found) {
    std::optional<Advice> advice = advice_of(finding, records, *one.record, one.gain);
    if (!advice) continue;
    if (!finding.is_measured) advice->others = held - 1;
    out.push_back(std::move(*advice));
  }
}

std::string kind_of(const std::string& name) { return name.substr(0, name.find('.')); }

/// A site has the fields of a call, too.
bool has_fields_of(std::string_view kind, const Field& field) {
  return field.kind == kind || (kind == "site" && field.kind == "call");
}

/// What a name stands for, or null.
const Field* field_of(const std::string& name) {
  const std::string kind = kind_of(name);
  const auto found = std::ranges::find_if(fields(), [&](const Field& field) {
    return has_fields_of(kind, field) && name == kind + "." + std::string(field.name);
  });
  return found == fields().end() ? nullptr : &*found;
}

void check_input(const policy::Policy& policy, const Finding& finding, const policy::Input& input) {
  if (input.kind != policy::Input::Kind::name)
    policy::refuse(policy.file, input.at, "only a rule for a running program can ask for this",
                   "cairn advise --fields");
  const std::string kind = kind_of(input.name);
  if (kind == "setting") return;  // any name
  if (field_of(input.name) != nullptr && (kind == "run" || kind == finding.record)) return;
  std::vector<std::string> known;
  for (const Field& field : fields())
    if (field.kind == "run" || has_fields_of(finding.record, field))
      known.push_back(fmt::format("{}.{}", field.kind == "run" ? field.kind : finding.record, field.name));
  const std::string near = policy::nearest(input.name, known);
  policy::refuse(policy.file, input.at,
                 "'" + input.name + "' is not a field that finding '" + finding.title + "' can see",
                 near.empty() ? "cairn advise --fields" : near);
}

void check_kind(const policy::Policy& policy, const Finding& finding) {
  if (finding.kind.empty() || std::ranges::find(finding_kinds, finding.kind, &FindingKind::name) != finding_kinds.end())
    return;
  std::vector<std::string> known;
  for (const FindingKind& kind : finding_kinds) known.emplace_back(kind.name);
  const std::string near = policy::nearest(finding.kind, known);
  policy::refuse(policy.file, finding.kind_at, "there are no findings of kind '" + finding.kind + "'",
                 near.empty() ? "cairn advise --kinds" : near);
}

std::set<std::string> needed_tools(const Finding& finding) {
  std::set<std::string> tools;
  for_each_expression(finding, [&](const Expression& expression) {
    for (const policy::Input& input : expression.inputs)
      if (const Field* field = field_of(input.name); field != nullptr && !field->tool.empty())
        tools.emplace(field->tool);
  });
  return tools;
}

/// "comm, vars"; "" if the finding can be looked at.
std::string missing_tools(const Finding& finding, const Records& records) {
  std::vector<std::string> missing;
  for (const std::string& tool : needed_tools(finding))
    if (std::ranges::find(records.tools, tool) == records.tools.end()) missing.push_back(tool);
  return join(missing, ", ");
}

}  // namespace

const std::string& built_in_rules() {
  static const std::string& all = *new std::string(std::string(rules_policy) + "\n" + library_policy);
  return all;
}

void check_fields(const policy::Policy& policy) {
  for (const Finding& finding : policy.findings) {
    check_kind(policy, finding);
    const auto is_kind = [&](const Field& field) { return field.kind == finding.record; };
    if (!finding.record.empty() && std::ranges::none_of(fields(), is_kind))
      policy::refuse(policy.file, finding.at, "there are no records '" + finding.record + "'", "cairn advise --fields");
    for_each_expression(finding, [&](const Expression& expression) {
      for (const policy::Input& input : expression.inputs) check_input(policy, finding, input);
      for (const policy::Node& node : expression.nodes)
        if (node.operation == policy::Operation::change || node.operation == policy::Operation::rate)
          policy::refuse(policy.file, node.at, "a finding is evaluated once: there is no change",
                         "cairn advise --fields");
    });
  }
}

Result find_advice(const policy::Policy& policy, const Records& records, std::size_t most) {
  static const std::vector<Record> once(1);
  Result result;
  for (const Finding& finding : policy.findings) {
    if (const std::string missing = missing_tools(finding, records); !missing.empty()) {
      result.not_looked_at.push_back(finding.title);
      ++result.for_want[missing];
      continue;
    }
    const auto of = records.by_kind.find(finding.record);
    if (finding.record.empty()) look(finding, records, once, result.advice);
    else if (of != records.by_kind.end()) look(finding, records, of->second, result.advice);
  }
  std::ranges::stable_sort(result.advice, std::greater<>(),
                           [](const Advice& one) { return std::isnan(one.cost_s) ? 0 : one.cost_s; });
  if (result.advice.size() > most) {
    result.left_out = result.advice.size() - most;
    result.advice.resize(most);
  }
  return result;
}

}  // namespace cairn::advise
