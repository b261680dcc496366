// SPDX-License-Identifier: BSD-3-Clause
// expression.cc - evaluating: one pass over the nodes, operands before what they are part of.

#include "policy/expression.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace cairn::policy {

namespace {

double combine(Operation operation, double a, double b) {
  if (std::isnan(a) || std::isnan(b)) return std::numeric_limits<double>::quiet_NaN();
  switch (operation) {
    case Operation::add:
      return a + b;
    case Operation::subtract:
      return a - b;
    case Operation::multiply:
      return a * b;
    case Operation::divide:
      return a / b;
    case Operation::less:
      return a < b;
    case Operation::less_equal:
      return a <= b;
    case Operation::greater:
      return a > b;
    case Operation::greater_equal:
      return a >= b;
    case Operation::equal:
      return a == b;
    case Operation::unequal:
      return a != b;
    case Operation::both:
      return a != 0 && b != 0;
    default:
      return a != 0 || b != 0;
  }
}

void combine_texts(Operation operation, const Value& a, const Value& b, Value& result) {
  result.numbers.clear();
  if (!a.is_text || !b.is_text) return;
  const bool same = a.text == b.text;
  if (operation == Operation::equal || operation == Operation::unequal)
    result.numbers.push_back((operation == Operation::equal) == same);
}

void combine_lists(Operation operation, const Value& a, const Value& b, Value& result) {
  const std::size_t size_a = a.numbers.size();
  const std::size_t size_b = b.numbers.size();
  const std::size_t size = size_a == 1 ? size_b : size_b == 1 ? size_a : std::min(size_a, size_b);
  result.numbers.resize(size);
  for (std::size_t i = 0; i < size; ++i)
    result.numbers[i] = combine(operation, a.numbers[size_a == 1 ? 0 : i], b.numbers[size_b == 1 ? 0 : i]);
}

/// The smallest element that at least `share` percent of the elements do not exceed.
double percentile_of(std::vector<double>& scratch, const std::vector<double>& list, double percent) {
  scratch.assign(list.begin(), list.end());
  const double place = std::ceil(std::clamp(percent, 0.0, 100.0) / 100 * static_cast<double>(list.size())) - 1;
  const auto at = scratch.begin() + static_cast<std::ptrdiff_t>(std::max(0.0, place));
  std::nth_element(scratch.begin(), at, scratch.end());
  return *at;
}

void look_for(const Value& in, const Value& part, Value& result) {
  result.numbers.clear();
  if (in.is_text && part.is_text) result.numbers.push_back(in.text.find(part.text) != std::string::npos);
}

void reduce(Operation operation, const Value& of, const Value* parameter, Value& result) {
  const std::vector<double>& list = of.numbers;
  const auto nonzero = [](double each) { return each != 0 && !std::isnan(each); };
  double value = 0;
  if (operation == Operation::any) value = std::ranges::any_of(list, nonzero);
  else if (operation == Operation::all) value = !list.empty() && std::ranges::all_of(list, nonzero);
  else if (operation == Operation::count) value = static_cast<double>(list.size());
  else if (list.empty()) return result.numbers.clear();
  else if (operation == Operation::sum) value = std::accumulate(list.begin(), list.end(), 0.0);
  else if (operation == Operation::mean)
    value = std::accumulate(list.begin(), list.end(), 0.0) / static_cast<double>(list.size());
  else if (operation == Operation::least) value = *std::ranges::min_element(list);
  else if (operation == Operation::most) value = *std::ranges::max_element(list);
  else value = percentile_of(result.numbers, list, parameter->front());
  result.numbers.assign(1, value);
}

void pick(const Value& list, const Value& index, Value& result) {
  const double wanted = index.front();
  result.numbers.clear();
  if (wanted >= 0 && wanted < static_cast<double>(list.numbers.size()))
    result.numbers.push_back(list.numbers[static_cast<std::size_t>(wanted)]);
}

/// An unknown part is one element that is no number, so that those behind it keep their places.
void append(const Value& part, std::vector<double>& list) {
  if (part.numbers.empty()) list.push_back(std::numeric_limits<double>::quiet_NaN());
  list.insert(list.end(), part.numbers.begin(), part.numbers.end());
}

}  // namespace

double Value::front() const { return numbers.empty() ? std::numeric_limits<double>::quiet_NaN() : numbers.front(); }

bool holds(const Value& value) {
  return !value.numbers.empty() &&
         std::ranges::all_of(value.numbers, [](double each) { return each != 0 && !std::isnan(each); });
}

bool Expression::is_constant() const {
  return inputs.empty() && std::ranges::none_of(nodes, [](const Node& node) {
           return node.operation == Operation::change || node.operation == Operation::rate;
         });
}

Evaluator::Evaluator(Expression expression)
    : expression_(std::move(expression)), results_(expression_.nodes.size()), before_(expression_.nodes.size()) {
  for (std::size_t i = 0; i < results_.size(); ++i) results_[i] = expression_.nodes[i].constant;
}

const Value& Evaluator::evaluate(std::span<const Value* const> inputs, double now) {
  for (std::size_t i = 0; i < results_.size(); ++i) evaluate_node(i, inputs, now);
  return results_.back();
}

void Evaluator::evaluate_node(std::size_t index, std::span<const Value* const> inputs, double now) {
  const Node& node = expression_.nodes[index];
  Value& result = results_[index];
  const Value* const a = node.a < 0 ? nullptr : &results_[static_cast<std::size_t>(node.a)];
  const Value* const b = node.b < 0 ? nullptr : &results_[static_cast<std::size_t>(node.b)];
  switch (node.operation) {
    case Operation::constant:
      return;
    case Operation::input:
      result = *inputs[static_cast<std::size_t>(node.input)];
      return;
    case Operation::negate:
    case Operation::invert:
      result.numbers = a->numbers;
      for (double& each : result.numbers)
        each = node.operation == Operation::negate || std::isnan(each) ? -each : each == 0;
      return;
    case Operation::element:
      return pick(*a, *b, result);
    case Operation::join:
      result.numbers.clear();
      append(*a, result.numbers);
      if (b != nullptr) append(*b, result.numbers);
      return;
    case Operation::change:
    case Operation::rate:
      return compare_with_before(node, before_[index], result, now);
    default:
      break;
  }
  if (node.operation == Operation::contains) return look_for(*a, *b, result);
  if (node.operation >= Operation::any) return reduce(node.operation, *a, b, result);
  if (a->is_text || b->is_text) return combine_texts(node.operation, *a, *b, result);
  combine_lists(node.operation, *a, *b, result);
}

void Evaluator::compare_with_before(const Node& node, History& before, Value& result, double now) {
  const std::vector<double>& present = results_[static_cast<std::size_t>(node.a)].numbers;
  result.numbers.clear();
  if (before.known && before.numbers.size() == present.size()) {
    const double divisor = node.operation == Operation::rate ? now - before.time : 1;
    result.numbers.resize(divisor > 0 ? present.size() : 0);
    for (std::size_t i = 0; i < result.numbers.size(); ++i)
      result.numbers[i] = (present[i] - before.numbers[i]) / divisor;
  }
  before.numbers = present;
  before.time = now;
  before.known = true;
}

Value constant_value(const Expression& expression) { return Evaluator(expression).evaluate({}, 0); }

}  // namespace cairn::policy
