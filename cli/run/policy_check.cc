// SPDX-License-Identifier: BSD-3-Clause
// policy_check.cc - the variables of rules, compared with those that there are.

#include "cli/run/policy_check.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "cli/settings/setting.hpp"
#include "policy/expression_parser.hpp"
#include "policy/named_values.hpp"

namespace cairn::cli {

namespace {

using policy::Action;
using policy::Input;
using policy::Policy;
using policy::Rule;
using policy::Value;

/// Beside the sign.
int bits_of(const std::string& type) {
  if (type == "bool") return 1;
  if (type == "int") return std::numeric_limits<int>::digits;
  if (type == "unsigned") return std::numeric_limits<unsigned>::digits;
  return type.starts_with("unsigned") ? 64 : 63;
}

void known_function(const Policy& policy, const std::string& name, policy::Position at) {
  static const std::vector<std::string> functions = {
#define CAIRN_NAME(name) #name,
#include "generated/names.inc"
#undef CAIRN_NAME
  };
  if (std::ranges::find(functions, name) == functions.end())
    policy::refuse(policy.file, at, "there is no MPI function '" + name + "'", policy::nearest(name, functions));
}

class Check {
 public:
  Check(const Policy& policy, const Json& list) : policy_(policy), list_(list) {}

  void rule(const Rule& rule) const {
    for_each_expression(rule, [&](const policy::Expression& expression) {
      for (const Input& input : expression.inputs) read(input);
    });
    for (const Action& action : rule.actions) {
      if (sets(action)) set(rule, action);
      if (action.kind == Action::Kind::switch_layer) known_layer(action);
    }
  }

 private:
  [[noreturn]] void unknown(const std::string& name, policy::Position at, const std::string& what) const {
    std::vector<std::string> known;
    for (const char* kind : {"control_variables", "performance_variables"})
      for (const Json& entry : list_[kind]) known.push_back(entry["name"]);
    const std::string near = policy::nearest(name, known);
    policy::refuse(policy_.file, at, what, near.empty() ? "cairn vars" : near);
  }

  void read(const Input& input) const {
    if (input.kind != Input::Kind::name || input.may_come_later) return;
    if (find_named(list_["control_variables"], input.name) != nullptr ||
        find_named(list_["performance_variables"], input.name) != nullptr)
      return;
    unknown(
        input.name, input.at,
        "there is no variable '" + input.name + "'; if it appears only later, write variable(\"" + input.name + "\")");
  }

  void set(const Rule& rule, const Action& action) const {
    const Json* const entry = find_named(list_["control_variables"], action.name);
    const auto refuse = [&](const std::string& why, const std::string& remedy = "") {
      policy::refuse(policy_.file, action.at, "'" + target_of(action) + "' cannot be set: " + why, remedy);
    };
    if (entry == nullptr && find_named(list_["performance_variables"], action.name) != nullptr)
      refuse("it is a performance variable");
    if (entry == nullptr) unknown(action.name, action.at, "there is no control variable '" + action.name + "'");
    const auto scope = (*entry)["scope"].get<std::string>();
    if (scope == "constant" || scope == "readonly")
      refuse("the library accepts no new value at run time (its scope is " + scope + ")",
             "cairn run --set " + action.name + "=VALUE, before it starts");
    if (!rule.ranks.empty() && scope != "local")
      refuse("ranks must agree on it (its scope is " + scope + "), and the rule is for some ranks only");
    const std::size_t count = count_of(*entry);
    if (action.element && count <= std::max<std::size_t>(*action.element, 1)) refuse(policy::no_element(count));
    const std::size_t wanted = action.element ? 1 : count;
    if (action.value && action.value->is_constant()) check_value(*entry, wanted, constant_value(*action.value), refuse);
    for (const Value& candidate : action.candidates) check_value(*entry, wanted, candidate, refuse);
  }

  /// Of a variable that can be read only later it is not known.
  static std::size_t count_of(const Json& entry) {
    if (entry["type"] == "char") return 1;
    return entry.value("count", std::numeric_limits<std::size_t>::max());
  }

  /// `count`: how many elements are to be set.
  void check_value(const Json& entry, std::size_t count, const Value& value, const auto& refuse) const {
    const auto type = entry["type"].get<std::string>();
    if (value.is_text && type != "char" && !is_item(entry, value.text))
      refuse(policy::not_a_value(value.text), kind_of_value(entry, items_of(list_, entry)));
    if (!value.is_text && type == "char") refuse("it takes a string", "a value in quotes");
    if (value.numbers.size() > 1 && value.numbers.size() != count && entry.contains("count"))
      refuse(policy::not_so_many(count, value.numbers.size()));
    for (const double number : value.numbers) check_number(entry, type, number, refuse);
    if (!value.is_text && value.numbers.empty()) check_number(entry, type, value.front(), refuse);
  }

  void check_number(const Json& entry, const std::string& type, double number, const auto& refuse) const {
    const std::string text = format_value(Value::number(number));
    const auto unless = [&](bool good, const std::string& why) {
      if (!good) refuse(why, kind_of_value(entry, items_of(list_, entry)));
    };
    unless(std::isfinite(number), "the value is not a number");
    if (type != "double") unless(number == std::floor(number), text + " is not a whole number");
    if (type.starts_with("unsigned")) unless(number >= 0, text + " is negative");
    if (type != "double") unless(std::abs(number) < std::ldexp(1.0, bits_of(type)), text + " is too large");
    if (names_all_numbers(entry)) unless(is_item(entry, number), policy::not_a_value(text));
  }

  bool is_item(const Json& entry, const std::string& text) const {
    return std::ranges::any_of(items_of(list_, entry), [&](const Json& item) { return item["name"] == text; });
  }

  /// MPICH writes any number, and fails in the next collective call.
  bool names_all_numbers(const Json& entry) const {
    return mpi_of_name(entry["name"]) == "mpich" && !items_of(list_, entry).empty();
  }
  bool is_item(const Json& entry, double number) const {
    return std::ranges::any_of(items_of(list_, entry),
                               [&](const Json& item) { return item["value"].get<double>() == number; });
  }

  void known_layer(const Action& action) const {
    if (find_named(list_["control_variables"], action.name + "_active") == nullptr)
      policy::refuse(policy_.file, action.at, "there is no layer '" + action.name + "' in the stack",
                     "--tools " + action.name);
  }

  const Policy& policy_;
  const Json& list_;
};

}  // namespace

bool names_variables(const Policy& policy) {
  bool found = false;
  for (const Rule& rule : policy.rules) {
    for_each_expression(rule, [&](const policy::Expression& expression) {
      for (const Input& input : expression.inputs)
        found = found || (input.kind == Input::Kind::name && !input.may_come_later);
    });
    for (const Action& action : rule.actions)
      found = found || sets(action) || action.kind == Action::Kind::switch_layer;
  }
  return found;
}

void check_functions(const Policy& policy) {
  for (const Rule& rule : policy.rules) {
    if (rule.trigger->kind == policy::Trigger::Kind::calls)
      known_function(policy, rule.trigger->function, rule.trigger->at);
    for_each_expression(rule, [&](const policy::Expression& expression) {
      for (const Input& input : expression.inputs)
        if (input.kind == Input::Kind::calls || input.kind == Input::Kind::time)
          known_function(policy, input.name, input.at);
    });
  }
}

void check_policy(const Policy& policy, const Json& list) {
  for (const Rule& rule : policy.rules) Check(policy, list).rule(rule);
}

}  // namespace cairn::cli
