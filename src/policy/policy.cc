// SPDX-License-Identifier: BSD-3-Clause
// policy.cc - reading a policy file: definitions, rules and findings, clause by clause.

#include "policy/policy.hpp"

#include <cmath>
#include <cstdio>
#include <limits>

#include "base/file_bytes.hpp"
#include "base/message.hpp"
#include "formats/numbers.hpp"
#include "policy/contradictions.hpp"
#include "policy/expression_parser.hpp"

namespace cairn::policy {

namespace {

class Reader {
 public:
  Reader(std::string_view text, const std::string& file) : tokens_(tokens_of(text, file), file) { out_.file = file; }

  Policy run() {
    while (tokens_.peek().kind != Token::Kind::end) read_block();
    find_contradictions(out_);
    return std::move(out_);
  }

 private:
  using Kind = Token::Kind;
  static constexpr double most_counted = 1e9;  // calls, looks, seconds: whoever counts them uses integers

  void read_block() {
    if (tokens_.peek().is("let")) return read_definition();
    const Token word = tokens_.take();
    if (!word.is("rule") && !word.is("finding"))
      tokens_.refuse(word.at, "'" + word.text + "' cannot start a line here",
                     "let NAME = ..., rule \"TITLE\", finding \"TITLE\"");
    const std::string title = tokens_.expect(Kind::text, "a title in quotes").text;
    end_clause();
    if (word.text == "rule") read_rule(title, word.at);
    else read_finding(title, word.at);
  }

  void read_definition() {
    tokens_.take();
    const Token name = tokens_.expect(Kind::word, "a name");
    if (definitions_.contains(name.text)) tokens_.refuse(name.at, "'" + name.text + "' is defined twice");
    tokens_.expect("=", "'='");
    definitions_.emplace(name.text, parse_expression(tokens_, definitions_));
    end_clause();
  }

  bool in_block() const {
    const Token& next = tokens_.peek();
    return next.kind != Kind::end && !next.is("rule") && !next.is("finding") && !next.is("let");
  }

  void read_rule(const std::string& title, Position at) {
    Rule rule;
    rule.title = title;
    rule.at = at;
    while (in_block()) {
      read_clause(rule);
      end_clause();
    }
    check(rule);
    out_.rules.push_back(std::move(rule));
  }

  void read_clause(Rule& rule) {
    const Token word = tokens_.take();
    if (word.is("every") || word.is("at")) read_trigger(rule, word);
    else if (word.is("if")) once(rule.condition, word);
    else if (word.is("until")) once(rule.until, word);
    else if (word.is("minimize")) read_objective(rule, word);
    else if (word.is("times")) rule.times = count("the number of looks in a row");
    else if (word.is("cooldown")) rule.cooldown_s = parse_number(tokens_, "a time, like 30 s", Measure::time);
    else if (word.is("agree")) read_agreement(rule);
    else if (word.is("ranks")) read_ranks(rule);
    else if (word.is("else")) rule.actions.push_back(read_action(tokens_.take(), true));
    else rule.actions.push_back(read_action(word, false));
  }

  void once(std::optional<Expression>& clause, const Token& word) {
    if (clause) tokens_.refuse(word.at, "a second '" + word.text + "' in one block", "'and' or 'or' between the two");
    clause = parse_expression(tokens_, definitions_);
  }

  double count(const std::string& what) {
    const Position at = tokens_.peek().at;
    const double number = parse_number(tokens_, what, Measure::none);
    if (number < 1 || number != std::floor(number)) tokens_.refuse(at, what + " must be a whole number, 1 or more");
    if (number > most_counted) tokens_.refuse(at, what + " is too large", "at most 1e9");
    return number;
  }

  void read_trigger(Rule& rule, const Token& word) {
    if (rule.trigger)
      tokens_.refuse(word.at, "a second 'every' or 'at' in one rule", "a separate rule for the second one");
    Trigger& trigger = rule.trigger.emplace();
    trigger.at = word.at;
    if (word.is("at")) {
      if (tokens_.take_if("start")) trigger.kind = Trigger::Kind::start;
      else if (tokens_.take_if("end")) trigger.kind = Trigger::Kind::end;
      else tokens_.refuse_next("'start' or 'end'");
    } else if (tokens_.take_if("phase")) {
      trigger.kind = Trigger::Kind::phase;
    } else if (tokens_.peek(1).is("calls")) {
      trigger.kind = Trigger::Kind::calls;
      trigger.count = count("the number of calls");
      tokens_.take();
      tokens_.expect("of", "'of' and an MPI function");
      trigger.function = tokens_.expect(Kind::word, "an MPI function").text;
    } else {
      const Position at = tokens_.peek().at;
      trigger.count = parse_number(tokens_, "a time, like 10 s, a number of calls or 'phase'", Measure::time);
      if (trigger.count < 1e-3) tokens_.refuse(at, "the shortest interval is 1 ms");
      if (trigger.count > most_counted) tokens_.refuse(at, "no program runs that long", "every 1 h");
    }
  }

  void read_objective(Rule& rule, const Token& word) {
    once(rule.objective, word);
    if (tokens_.take_if("over")) rule.over = count("the number of looks");
    if (tokens_.take_if("within")) rule.tolerance = parse_number(tokens_, "a percentage, like 5 %", Measure::part);
  }

  void read_agreement(Rule& rule) {
    if (tokens_.take_if("any")) rule.agreement = Rule::Agreement::any;
    else if (tokens_.take_if("all")) rule.agreement = Rule::Agreement::all;
    else tokens_.refuse_next("'any' or 'all'");
  }

  void read_ranks(Rule& rule) {
    do {
      const Position at = tokens_.peek().at;
      const int first = rank("a rank");
      const int last = tokens_.take_if("-") ? rank("the last rank") : first;
      if (last < first) tokens_.refuse(at, "the last rank is lower than the first");
      rule.ranks.push_back({first, last});
    } while (tokens_.take_if(","));
  }

  int rank(const std::string& what) {
    const Token& token = tokens_.expect(Kind::number, what);
    if (token.number != std::floor(token.number) || token.number > std::numeric_limits<int>::max())
      tokens_.refuse(token.at, "'" + token.text + "' is not a rank", "whole numbers, like 0-3,8");
    return static_cast<int>(token.number);
  }

  void read_note(Action& action) {
    action.kind = Action::Kind::note;
    action.text = parse_text(tokens_, definitions_);
  }

  Action read_action(const Token& word, bool otherwise) {
    Action action;
    action.at = word.at;
    action.otherwise = otherwise;
    if (word.is("set")) read_set(action);
    else if (word.is("try")) read_try(action);
    else if (word.is("switch")) read_switch(action);
    else if (word.is("stop")) action.kind = Action::Kind::stop;
    else if (word.is("note")) read_note(action);
    else
      tokens_.refuse(
          word.at, "'" + word.text + "' is not a clause of a rule",
          "every, at, if, until, times, cooldown, agree, ranks, minimize, set, try, switch, note, stop, else");
    return action;
  }

  /// A variable's name, in quotes if it is not a single word.
  std::string variable_name() {
    if (tokens_.peek().kind == Kind::text) return tokens_.take().text;
    return tokens_.expect(Kind::word, "the name of a control variable").text;
  }

  /// NAME or NAME[1].
  void read_target(Action& action) {
    action.at = tokens_.peek().at;
    action.name = variable_name();
    if (!tokens_.take_if("[")) return;
    const Position at = tokens_.peek().at;
    const double element = tokens_.expect(Kind::number, "an element's number, from 0").number;
    if (element != std::floor(element) || element > most_counted)
      tokens_.refuse(at, "an element's number must be a whole number, from 0");
    action.element = static_cast<std::size_t>(element);
    tokens_.expect("]", "']'");
  }

  void read_set(Action& action) {
    read_target(action);
    tokens_.expect("=", "'='");
    action.value = parse_expression(tokens_, definitions_);
  }

  void read_try(Action& action) {
    action.kind = Action::Kind::try_values;
    read_target(action);
    tokens_.expect("in", "'in' and the values");
    do {
      const Position at = tokens_.peek().at;
      const Expression value = parse_expression(tokens_, definitions_);
      if (!value.is_constant()) tokens_.refuse(at, "a value to try must be a number or a string");
      action.candidates.push_back(constant_value(value));
    } while (tokens_.take_if(","));
  }

  void read_switch(Action& action) {
    action.kind = Action::Kind::switch_layer;
    action.at = tokens_.peek().at;
    action.name = variable_name();
    action.on = tokens_.peek().is("on");
    if (!tokens_.take_if("on") && !tokens_.take_if("off")) tokens_.refuse_next("'on' or 'off'");
  }

  void check(const Rule& rule) {
    if (!rule.trigger) tokens_.refuse(rule.at, "rule '" + rule.title + "' does not say when to look", "every 10 s");
    if (rule.actions.empty())
      tokens_.refuse(rule.at, "rule '" + rule.title + "' does nothing", "set, try, switch, note or stop");
    for (const Action& action : rule.actions) {
      if (action.otherwise && !rule.condition) tokens_.refuse(action.at, "'else' without 'if'");
      if (action.kind == Action::Kind::try_values) check_trial(rule, action);
    }
    for (const Rule& other : out_.rules)
      if (other.title == rule.title) tokens_.refuse(rule.at, "a second rule with the title '" + rule.title + "'");
  }

  void check_trial(const Rule& rule, const Action& action) {
    if (!rule.objective) tokens_.refuse(action.at, "'try' needs an objective", "minimize call_time(MPI_Allreduce)");
    if (rule.actions.size() > 1) tokens_.refuse(action.at, "'try' must be the only action of its rule");
    if (rule.condition || rule.until) tokens_.refuse(action.at, "'try' cannot be combined with 'if' or 'until'");
    if (rule.trigger->kind == Trigger::Kind::start || rule.trigger->kind == Trigger::Kind::end)
      tokens_.refuse(action.at, "'try' needs many looks", "every 1 s, or every 100 calls of a function");
  }

  void read_finding(const std::string& title, Position at) {
    Finding finding;
    finding.title = title;
    finding.at = at;
    while (in_block()) {
      read_clause(finding);
      end_clause();
    }
    if (!finding.condition) tokens_.refuse(at, "finding '" + title + "' has no condition", "if ...");
    if (!finding.gain) tokens_.refuse(at, "finding '" + title + "' does not say what can be gained", "gain SECONDS");
    if (finding.remedy.pieces.empty())
      tokens_.refuse(at, "finding '" + title + "' does not say what to do", "do \"...\"");
    out_.findings.push_back(std::move(finding));
  }

  void read_clause(Finding& finding) {
    const Token word = tokens_.take();
    if (word.is("for")) {
      tokens_.expect("each", "'each'");
      finding.record = tokens_.expect(Kind::word, "a kind of record").text;
    } else if (word.is("if")) once(finding.condition, word);
    else if (word.is("gain")) once(finding.gain, word);
    else if (word.is("cost")) once(finding.cost, word);
    else if (word.is("predict")) once(finding.predicted, word);
    else if (word.is("error")) once(finding.error, word);
    else if (word.is("ranks")) once(finding.ranks, word);
    else if (word.is("place")) read_place(finding);
    else if (word.is("kind")) read_kind(finding);
    else if (word.is("measured")) finding.is_measured = true;
    else if (word.is("sure")) read_sureness(finding);
    else if (word.is("because")) finding.evidence = parse_text(tokens_, definitions_);
    else if (word.is("do")) finding.remedy = parse_text(tokens_, definitions_);
    else if (word.is("set")) finding.settings.push_back(read_action(word, false));
    else if (word.is("has")) finding.needs.push_back(variable_name());
    else
      tokens_.refuse(
          word.at, "'" + word.text + "' is not a clause of a finding",
          "for each, if, kind, place, ranks, cost, gain, predict, error, measured, sure, because, do, set, has");
  }

  void read_kind(Finding& finding) {
    finding.kind_at = tokens_.peek().at;
    finding.kind = tokens_.expect(Kind::word, "a kind of finding").text;
  }

  void read_place(Finding& finding) {
    finding.place = {parse_expression(tokens_, definitions_)};
    for (const char* next : {"',' and the line", "',' and the function"}) {
      tokens_.expect(",", next);
      finding.place.push_back(parse_expression(tokens_, definitions_));
    }
  }

  void read_sureness(Finding& finding) {
    if (tokens_.take_if("low")) finding.sureness = Finding::Sureness::low;
    else if (tokens_.take_if("medium")) finding.sureness = Finding::Sureness::medium;
    else if (tokens_.take_if("high")) finding.sureness = Finding::Sureness::high;
    else tokens_.refuse_next("'low', 'medium' or 'high'");
  }

  void end_clause() {
    if (tokens_.peek().kind == Kind::end) return;
    tokens_.expect(Kind::line_end, "the end of the line");
  }

  Tokens tokens_;
  Definitions definitions_;
  Policy out_;
};

std::string scaled(double value, double base, std::initializer_list<const char*> names) {
  const char* const* name = names.begin();
  while (std::abs(value) >= base && name + 1 != names.end()) {
    value /= base;
    ++name;
  }
  return formats::significant(value, 3) + " " + *name;
}

std::string format_number(double value, Text::Unit unit) {
  if (std::isnan(value)) return "?";
  switch (unit) {
    case Text::Unit::bytes:
      return scaled(value, 1024, {"B", "KiB", "MiB", "GiB", "TiB"});
    case Text::Unit::time:
      return std::abs(value) >= 1 ? formats::significant(value, 3) + " s" : scaled(value * 1e6, 1000, {"us", "ms"});
    case Text::Unit::percent:
      return formats::significant(value * 100, 3) + " %";
    case Text::Unit::number:
      break;
  }
  return value == std::floor(value) && std::abs(value) < 1e15 ? formats::fixed(value, 0)
                                                              : formats::significant(value, 3);
}

}  // namespace

void refuse(const std::string& file, Position at, const std::string& what, const std::string& remedy) {
  throw Problem(
      "policy '" + file + "', line " + std::to_string(at.line) + ", column " + std::to_string(at.column) + ": " + what,
      remedy);
}

std::string target_of(const Action& action) {
  return action.element ? action.name + "[" + std::to_string(*action.element) + "]" : action.name;
}

Policy parse_policy(std::string_view text, const std::string& file) { return Reader(text, file).run(); }

Policy read_policy(const std::string& path) {
  const std::optional<std::string> text = whole_file(path);
  if (!text) throw Problem("policy '" + path + "' cannot be read", "the path of a policy file (docs/policies.md)");
  return parse_policy(*text, path);
}

std::string format_value(const Value& value, Text::Unit unit) {
  if (value.is_text) return value.text;
  if (value.numbers.empty()) return "?";
  if (value.numbers.size() == 1) return format_number(value.numbers.front(), unit);
  std::string text = "[";
  for (const double each : value.numbers) text += (text.size() > 1 ? ", " : "") + format_number(each, unit);
  return text + "]";
}

}  // namespace cairn::policy
