// SPDX-License-Identifier: BSD-3-Clause
// advice.cc - evaluating findings record by record, ranking, and showing what was found.

#include "cli/advise/advice.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>

#include "base/text.hpp"
#include "cli/advise/rules.hpp"
#include "formats/tags.hpp"
#include "policy/expression_parser.hpp"

namespace cairn::advise {

namespace {

using policy::Evaluator;
using policy::Expression;
using policy::Finding;
using policy::Value;

const Value& look_up(const Records& records, const Record& record, const std::string& name) {
  static const Value unknown;
  for (const Record* each : {&record, &records.run})
    if (const auto found = each->find(name); found != each->end()) return found->second;
  return unknown;
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

/// Whether the run had it so.
bool is_in_force(const Records& records, const std::string& name, const Value& value) {
  const Value& present = look_up(records, {}, "setting." + name);
  if (present.is_text != value.is_text) return false;
  return present.is_text ? present.text == value.text : present.front() == value.front();
}

/// None if all that it would set is in force.
std::optional<Advice> advice_of(const Finding& finding, const Records& records, const Record& record, double gain) {
  const auto value = [&](const Expression& expression) { return Value(Question(expression, records).ask(record)); };
  const double run_s = look_up(records, record, "run.time").front();
  Advice advice;
  advice.title = finding.title;
  advice.gain_s = std::isnan(run_s) ? gain : std::min(gain, run_s);
  advice.gain_share = run_s > 0 ? advice.gain_s / run_s : 0;
  advice.sureness = finding.sureness;
  advice.evidence = fill_in(finding.evidence, value);
  advice.remedy = fill_in(finding.remedy, value);
  std::size_t in_force = 0;
  for (const policy::Action& action : finding.settings) {
    const Value wanted = value(*action.value);
    if (is_in_force(records, action.name, wanted)) ++in_force;
    else if (const std::string text = setting_text(wanted); !text.empty())
      advice.settings.emplace_back(action.name, text);
  }
  if (in_force > 0 && in_force == finding.settings.size()) return std::nullopt;
  return advice;
}

/// Of the records of which the finding holds, the one with most to gain.
void look(const Finding& finding, const Records& records, const std::vector<Record>& of, std::vector<Advice>& out) {
  Question condition(*finding.condition, records);
  Question gain_of(*finding.gain, records);
  const Record* best = nullptr;
  double most = 0;
  std::size_t held = 0;
  for (const Record& record : of) {
    if (!holds(condition.ask(record))) continue;
    ++held;
    const double gain = gain_of.ask(record).front();
    if (!(gain > most)) continue;
    most = gain;
    best = &record;
  }
  if (best == nullptr) return;
  std::optional<Advice> advice = advice_of(finding, records, *best, most);
  if (!advice) return;
  advice->others = held - 1;
  out.push_back(std::move(*advice));
}

std::string kind_of(const std::string& name) { return name.substr(0, name.find('.')); }

/// What a name stands for, or null. A site has the fields of a call, too.
const Field* field_of(const std::string& name) {
  const std::string kind = kind_of(name);
  const auto found = std::ranges::find_if(fields(), [&](const Field& field) {
    const bool same_kind = field.kind == kind || (kind == "site" && field.kind == "call");
    return same_kind && name == kind + "." + std::string(field.name);
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
    if (field.kind == "run" || field.kind == finding.record)
      known.push_back(fmt::format("{}.{}", field.kind, field.name));
  const std::string near = policy::nearest(input.name, known);
  policy::refuse(policy.file, input.at, "'" + input.name + "' is no field that finding '" + finding.title + "' can see",
                 near.empty() ? "cairn advise --fields" : near);
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

bool can_be_looked_at(const Finding& finding, const Records& records) {
  return std::ranges::all_of(needed_tools(finding), [&](const std::string& tool) {
    return std::ranges::find(records.tools, tool) != records.tools.end();
  });
}

std::string command_of(const Advice& advice) {
  std::string text;
  for (const auto& [name, value] : advice.settings) {
    const bool is_word = value.find_first_of(" \t'\"\\$;&|<>*?()") == std::string::npos;
    text += fmt::format(" --set {}{}={}{}", is_word ? "" : "'", name, value, is_word ? "" : "'");
  }
  return "cairn run" + text;
}

}  // namespace

const char* word_of(Finding::Sureness sureness) {
  constexpr const char* words[] = {"low", "medium", "high"};
  return words[static_cast<int>(sureness)];
}

const char* built_in_rules() { return rules_policy; }

void check_fields(const policy::Policy& policy) {
  for (const Finding& finding : policy.findings) {
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
    if (!can_be_looked_at(finding, records)) {
      result.not_looked_at.push_back(finding.title);
      continue;
    }
    const auto of = records.by_kind.find(finding.record);
    if (finding.record.empty()) look(finding, records, once, result.advice);
    else if (of != records.by_kind.end()) look(finding, records, of->second, result.advice);
  }
  std::ranges::stable_sort(result.advice, std::greater<>(), &Advice::gain_s);
  if (result.advice.size() > most) result.advice.resize(most);
  return result;
}

std::string advice_text(const Result& result, const Records& records) {
  const std::string subject = records.program.empty() ? "the run" : "'" + std::string(file_of(records.program)) + "'";
  std::string text =
      fmt::format("{} finding{} for {}\n", result.advice.size(), result.advice.size() == 1 ? "" : "s", subject);
  for (std::size_t i = 0; i < result.advice.size(); ++i) {
    const Advice& advice = result.advice[i];
    text += fmt::format("\n{}. {}\n   gain: up to {} ({} of the run); sure: {}\n   why:  {}\n   do:   {}\n", i + 1,
                        advice.title, format_value(Value::number(advice.gain_s), policy::Text::Unit::time),
                        format_value(Value::number(advice.gain_share), policy::Text::Unit::percent),
                        word_of(advice.sureness), advice.evidence, advice.remedy);
    if (!advice.settings.empty()) text += "         " + command_of(advice) + "\n";
    if (advice.others > 0) text += fmt::format("   and {} more like it\n", advice.others);
  }
  if (!result.not_looked_at.empty())
    text += fmt::format("\nnot checked, because the run had only {}: {}\n", join(records.tools, ", "),
                        join(result.not_looked_at, "; "));
  return text;
}

report::Section advice_section(const Result& result) {
  report::Section section;
  section.tool = "advice";
  for (const Advice& advice : result.advice)
    section.findings.push_back({format_value(Value::number(advice.gain_share), policy::Text::Unit::percent),
                                advice.title,
                                advice.evidence + ". To do: " + advice.remedy +
                                    (advice.settings.empty() ? "" : " " + command_of(advice)) + "."});
  return section;
}

nlohmann::ordered_json advice_json(const Result& result, const Records& records) {
  nlohmann::ordered_json out = {
      {"format", formats::advice_tag.text()}, {"program", records.program}, {"tools", records.tools}};
  out["findings"] = nlohmann::ordered_json::array();
  for (const Advice& advice : result.advice) {
    nlohmann::ordered_json settings = nlohmann::ordered_json::object();
    for (const auto& [name, value] : advice.settings) settings[name] = value;
    out["findings"].push_back({{"title", advice.title},
                               {"gain_s", advice.gain_s},
                               {"gain_share", advice.gain_share},
                               {"sure", word_of(advice.sureness)},
                               {"evidence", advice.evidence},
                               {"remedy", advice.remedy},
                               {"settings", std::move(settings)},
                               {"others", advice.others}});
  }
  out["not_looked_at"] = result.not_looked_at;
  return out;
}

}  // namespace cairn::advise
