// SPDX-License-Identifier: BSD-3-Clause
// contradictions.cc - comparing conditions and values as they are written.

#include "policy/contradictions.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <map>

namespace cairn::policy {

namespace {

/// The same text for expressions that say the same in the same words.
std::string wording(const Expression& expression, int index) {
  if (index < 0) return "";
  const Node& node = expression.nodes[static_cast<std::size_t>(index)];
  if (node.operation == Operation::constant) {
    if (node.constant.is_text) return '"' + node.constant.text + '"';
    char text[64];
    std::snprintf(text, sizeof text, "%.17g", node.constant.front());
    return text;
  }
  if (node.operation == Operation::input) {
    const Input& input = expression.inputs[static_cast<std::size_t>(node.input)];
    return std::to_string(static_cast<int>(input.kind)) + "'" + input.name + "'";
  }
  return std::to_string(static_cast<int>(node.operation)) + "(" + wording(expression, node.a) + "," +
         wording(expression, node.b) + ")";
}

std::string wording(const std::optional<Expression>& expression) {
  return expression ? wording(*expression, static_cast<int>(expression->nodes.size()) - 1) : "";
}

/// What several comparisons leave of a number's range.
struct Range {
  double low = -std::numeric_limits<double>::infinity();
  double high = std::numeric_limits<double>::infinity();
  bool open_low = false;
  bool open_high = false;

  bool is_empty() const { return low > high || (low == high && (open_low || open_high)); }
  void at_least(double value, bool open) {
    if (!(value > low || (value == low && open))) return;
    low = value;
    open_low = open;
  }
  void at_most(double value, bool open) {
    if (!(value < high || (value == high && open))) return;
    high = value;
    open_high = open;
  }
};

using Ranges = std::map<std::string, Range>;

Operation mirrored(Operation operation) {
  switch (operation) {
    case Operation::less:
      return Operation::greater;
    case Operation::less_equal:
      return Operation::greater_equal;
    case Operation::greater:
      return Operation::less;
    case Operation::greater_equal:
      return Operation::less_equal;
    default:
      return operation;
  }
}

void narrow(Range& range, Operation operation, double value) {
  if (operation == Operation::less || operation == Operation::less_equal)
    range.at_most(value, operation == Operation::less);
  else if (operation == Operation::greater || operation == Operation::greater_equal)
    range.at_least(value, operation == Operation::greater);
  else if (operation == Operation::equal) range.at_least(value, false), range.at_most(value, false);
}

/// Of the comparisons with constants that `and` joins.
void collect(const Expression& expression, int index, Ranges& ranges) {
  const Node& node = expression.nodes[static_cast<std::size_t>(index)];
  if (node.operation == Operation::both) {
    collect(expression, node.a, ranges);
    collect(expression, node.b, ranges);
  } else if (node.operation >= Operation::less && node.operation <= Operation::equal) {
    const Node& a = expression.nodes[static_cast<std::size_t>(node.a)];
    const Node& b = expression.nodes[static_cast<std::size_t>(node.b)];
    if (b.operation == Operation::constant && !b.constant.is_text)
      narrow(ranges[wording(expression, node.a)], node.operation, b.constant.front());
    else if (a.operation == Operation::constant && !a.constant.is_text)
      narrow(ranges[wording(expression, node.b)], mirrored(node.operation), a.constant.front());
  }
}

bool never_holds(const Expression& condition) {
  if (condition.is_constant()) return !holds(constant_value(condition));
  Ranges ranges;
  collect(condition, static_cast<int>(condition.nodes.size()) - 1, ranges);
  for (const auto& [of, range] : ranges)
    if (range.is_empty()) return true;
  return false;
}

bool same_time(const Rule& a, const Rule& b) {
  return a.trigger->kind == b.trigger->kind && a.trigger->count == b.trigger->count &&
         a.trigger->function == b.trigger->function && a.ranks == b.ranks;
}

/// Whether both act whenever the first one does.
bool both_act(const Rule& a, const Action& of_a, const Rule& b, const Action& of_b) {
  if (of_a.otherwise != of_b.otherwise) return false;
  return &a == &b || (same_time(a, b) && (!b.condition || wording(a.condition) == wording(b.condition)));
}

/// The variable that the action gives values; "": none.
std::string variable_of(const Action& action) {
  if (action.kind == Action::Kind::switch_layer) return action.name + "_active";
  return sets(action) ? action.name : "";
}

/// The value that it gives, if the words alone tell.
std::optional<Value> value_of(const Action& action) {
  if (action.kind == Action::Kind::switch_layer) return Value::number(action.on ? 1 : 0);
  if (action.kind != Action::Kind::set || !action.value->is_constant()) return std::nullopt;
  return constant_value(*action.value);
}

/// Of the whole a single number is for each element.
double value_for(const Action& action, const Value& value, std::size_t element) {
  if (action.element || value.numbers.size() == 1) return value.front();
  return element < value.numbers.size() ? value.numbers[element] : std::numeric_limits<double>::quiet_NaN();
}

bool differ(const Action& of_a, const Value& a, const Action& of_b, const Value& b) {
  if (of_a.element == of_b.element) return a.is_text != b.is_text || a.text != b.text || a.numbers != b.numbers;
  if (of_a.element && of_b.element) return false;
  const std::size_t element = of_a.element ? *of_a.element : *of_b.element;
  return value_for(of_a, a, element) != value_for(of_b, b, element);
}

/// Whether the value that the action gives is all that the other rule waits for.
bool calls_for(const Action& action, const Value& value, const Rule& other) {
  if (action.element || !other.condition || other.until || other.times > 1 || other.cooldown_s > 0) return false;
  const std::vector<Input>& inputs = other.condition->inputs;
  const auto is_read = [&](const Input& input) {
    return input.kind == Input::Kind::name && input.name == variable_of(action);
  };
  if (!std::ranges::all_of(inputs, is_read)) return false;
  const std::vector<const Value*> values(inputs.size(), &value);
  return holds(Evaluator(*other.condition).evaluate(values, 0));
}

/// `a` is looked at before `b`, or is the same rule.
void refuse_two_values(const Policy& policy, const Rule& a, const Action& of_a, const Rule& b, const Action& of_b) {
  const std::optional<Value> first = value_of(of_a);
  const std::optional<Value> second = value_of(of_b);
  if (!first || !second || !differ(of_a, *first, of_b, *second)) return;
  const bool follows = &a != &b && same_time(a, b) && !of_b.otherwise && calls_for(of_a, *first, b);
  if (!follows && !both_act(a, of_a, b, of_b) && !both_act(b, of_b, a, of_a)) return;
  const std::string who = &a == &b ? "rule '" + b.title + "' contradicts itself"
                                   : "rules '" + a.title + "' and '" + b.title + "' contradict each other";
  const std::string target = variable_of(of_b) + target_of(of_b).substr(of_b.name.size());
  refuse(policy.file, of_b.at,
         who + ": '" + target + "' would be set to " + format_value(*first) + " and to " + format_value(*second) +
             " at the same time",
         "conditions that exclude each other");
}

bool on_common_ranks(const Rule& a, const Rule& b) {
  if (a.ranks.empty() || b.ranks.empty()) return true;
  return std::ranges::any_of(a.ranks, [&](const RankRange& one) {
    return std::ranges::any_of(
        b.ranks, [&](const RankRange& other) { return one.first <= other.last && other.first <= one.last; });
  });
}

bool tries(const Action& action) { return action.kind == Action::Kind::try_values; }

/// A trial measures its own values and restores the one from before: nothing else may change the variable meanwhile.
void refuse_disturbed_trial(const Policy& policy, const Rule& a, const Action& of_a, const Rule& b,
                            const Action& of_b) {
  if (of_a.element && of_b.element && of_a.element != of_b.element) return;
  if (a.trigger->kind == Trigger::Kind::start || b.trigger->kind == Trigger::Kind::start) return;
  if (!on_common_ranks(a, b)) return;
  const auto named = [](const Rule& rule, const Action& action) {
    return "'" + rule.title + "' (line " + std::to_string(action.at.line) + ")";
  };
  const std::string who = "rules " + named(a, of_a) + " and " + named(b, of_b);
  if (tries(of_a) && tries(of_b))
    refuse(policy.file, of_b.at,
           who + " both try values of '" + variable_of(of_b) + "', so neither would measure its own alone",
           "one rule that tries all of them");
  refuse(policy.file, of_b.at,
         who + " disturb each other: one tries values of '" + variable_of(of_b) + "', which the other sets meanwhile",
         "'at start' for a value to begin with, or one of the two rules");
}

void compare(const Policy& policy, const Rule& a, const Action& of_a, const Rule& b, const Action& of_b) {
  if (variable_of(of_a).empty() || variable_of(of_a) != variable_of(of_b)) return;
  if (tries(of_a) || tries(of_b)) refuse_disturbed_trial(policy, a, of_a, b, of_b);
  else refuse_two_values(policy, a, of_a, b, of_b);
}

}  // namespace

void find_contradictions(const Policy& policy) {
  for (std::size_t i = 0; i < policy.rules.size(); ++i) {
    const Rule& rule = policy.rules[i];
    if (rule.condition && never_holds(*rule.condition))
      refuse(policy.file, rule.at, "the condition of rule '" + rule.title + "' can never hold");
    for (std::size_t j = 0; j <= i; ++j)
      for (const Action& earlier : policy.rules[j].actions)
        for (const Action& later : rule.actions)
          if (&earlier < &later || j < i) compare(policy, policy.rules[j], earlier, rule, later);
  }
}

}  // namespace cairn::policy
