// SPDX-License-Identifier: BSD-3-Clause
// contradictions.cc - comparing conditions and values as they are written.

#include "policy/contradictions.hpp"

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

/// What the action gives the element; of the whole a single number is for each.
double value_for(const Action& action, std::size_t element) {
  const Value value = constant_value(*action.value);
  if (action.element || value.numbers.size() == 1) return value.front();
  return element < value.numbers.size() ? value.numbers[element] : std::numeric_limits<double>::quiet_NaN();
}

bool differ(const Action& a, const Action& b) {
  if (!a.value->is_constant() || !b.value->is_constant()) return false;
  if (a.element == b.element) return wording(a.value) != wording(b.value);
  if (a.element && b.element) return false;
  const std::size_t element = a.element ? *a.element : *b.element;
  return value_for(a, element) != value_for(b, element);
}

void compare(const Policy& policy, const Rule& a, const Action& of_a, const Rule& b, const Action& of_b) {
  if (of_a.kind != Action::Kind::set || of_b.kind != Action::Kind::set || of_a.name != of_b.name) return;
  if (!differ(of_a, of_b) || (!both_act(a, of_a, b, of_b) && !both_act(b, of_b, a, of_a))) return;
  const std::string who = &a == &b ? "rule '" + b.title + "' contradicts itself"
                                   : "rules '" + a.title + "' and '" + b.title + "' contradict each other";
  refuse(policy.file, of_b.at,
         who + ": '" + target_of(of_b) + "' would be set to " + format_value(constant_value(*of_a.value)) + " and to " +
             format_value(constant_value(*of_b.value)) + " at the same time",
         "conditions that exclude each other");
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
