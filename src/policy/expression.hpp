// SPDX-License-Identifier: BSD-3-Clause
// expression.hpp - arithmetic of policies: what a line says, and its value again and again
//
// A value is a list of numbers (one, or one per element of an array variable) or a text. Operators work element by
// element; a single number meets every element, and of two lists the shorter one ends the result. What cannot be known
// (a variable that is not there, a change before the second reading) is a list without elements, and no condition holds
// of it; nor of an element that is no number (0 / 0). Numbers are doubles: counters are exact up to 2^53.
//
// Evaluation allocates nothing once every list has reached its length.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace cairn::policy {

/// Where something stands in a policy file; both count from 1.
struct Position {
  int line = 1;
  int column = 1;
};

struct Value {
  bool is_text = false;
  std::vector<double> numbers;
  std::string text;

  static Value number(double value) { return {false, {value}, {}}; }
  static Value words(std::string value) { return {true, {}, std::move(value)}; }
  /// The only number, or the first one; NaN if there is none.
  double front() const;
};

/// A condition holds if there are elements and none of them is 0.
bool holds(const Value& value);

/// Something that an expression reads: the host provides its value.
struct Input {
  enum class Kind {
    name,     // a variable of MPI_T, or a field of a record
    calls,    // of the MPI function `name` on this process, so far
    time,     // seconds in it
    phase,    // text: the region or phase that the program is in
    elapsed,  // seconds since MPI_Init
    rank,     // in MPI_COMM_WORLD
    ranks,    // size of MPI_COMM_WORLD
  };
  Kind kind = Kind::name;
  std::string name;
  Position at;
  bool may_come_later = false;  // a variable that need not be there when the program starts
};

enum class Operation {
  constant,
  input,
  negate,
  invert,  // not
  add,
  subtract,
  multiply,
  divide,
  less,
  less_equal,
  greater,
  greater_equal,
  equal,
  unequal,
  both,
  either,
  element,  // a[b]
  join,     // [a, b]: the elements of both
  // Functions of a list.
  any,
  all,
  sum,
  mean,
  least,
  most,
  count,
  percentile,
  contains,  // of texts: whether b is in a
  // Functions of time.
  change,
  rate,
};

/// Operands are numbers of earlier nodes; -1: none.
struct Node {
  Operation operation = Operation::constant;
  Position at;
  int a = -1;
  int b = -1;
  int input = -1;
  Value constant{};
};

/// The last node is the whole.
struct Expression {
  std::vector<Node> nodes;
  std::vector<Input> inputs;

  bool is_constant() const;
};

/// One expression, evaluated at successive times: remembers the previous values of `change` and `rate`. For one thread.
class Evaluator {
 public:
  explicit Evaluator(Expression expression);

  const Expression& expression() const { return expression_; }
  /// `inputs` in the order of the expression's own; `now` in seconds. The result stays until the next evaluation.
  const Value& evaluate(std::span<const Value* const> inputs, double now);

 private:
  struct History {
    std::vector<double> numbers;
    double time = 0;
    bool known = false;
  };
  void evaluate_node(std::size_t index, std::span<const Value* const> inputs, double now);
  void compare_with_before(const Node& node, History& before, Value& result, double now);

  Expression expression_;
  std::vector<Value> results_;
  std::vector<History> before_;
};

/// The value of an expression that needs no inputs.
Value constant_value(const Expression& expression);

}  // namespace cairn::policy
