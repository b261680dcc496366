// SPDX-License-Identifier: BSD-3-Clause
// expression_parser.cc - expressions, loosest operators first.

#include "policy/expression_parser.hpp"

#include <algorithm>
#include <array>
#include <optional>

#include "base/text.hpp"

namespace cairn::policy {

namespace {

struct Unit {
  std::string_view name;
  Measure measure;
  double factor;
};
constexpr std::array<Unit, 13> units = {{{"us", Measure::time, 1e-6},
                                         {"ms", Measure::time, 1e-3},
                                         {"s", Measure::time, 1},
                                         {"min", Measure::time, 60},
                                         {"h", Measure::time, 3600},
                                         {"B", Measure::size, 1},
                                         {"KB", Measure::size, 1e3},
                                         {"MB", Measure::size, 1e6},
                                         {"GB", Measure::size, 1e9},
                                         {"KiB", Measure::size, 1024},
                                         {"MiB", Measure::size, 1048576},
                                         {"GiB", Measure::size, 1073741824},
                                         {"%", Measure::part, 0.01}}};

struct Word {
  std::string_view name;
  Operation operation;
};
constexpr std::array<Word, 11> functions = {{{"any", Operation::any},
                                             {"all", Operation::all},
                                             {"sum", Operation::sum},
                                             {"mean", Operation::mean},
                                             {"min", Operation::least},
                                             {"max", Operation::most},
                                             {"count", Operation::count},
                                             {"percentile", Operation::percentile},
                                             {"contains", Operation::contains},
                                             {"change", Operation::change},
                                             {"rate", Operation::rate}}};

struct Given {
  std::string_view name;
  Input::Kind kind;
};
constexpr std::array<Given, 4> givens = {{{"phase", Input::Kind::phase},
                                          {"elapsed", Input::Kind::elapsed},
                                          {"rank", Input::Kind::rank},
                                          {"ranks", Input::Kind::ranks}}};

template <class Table>
auto find(const Table& table, std::string_view name) {
  return std::ranges::find(table, name, &Table::value_type::name);
}

class Parser {
 public:
  Parser(Tokens& tokens, const Definitions& definitions) : tokens_(tokens), definitions_(definitions) {}

  Expression run() {
    either();
    return std::move(out_);
  }

 private:
  /// Reads operands by `operand`, joined by any of `operators`, from the left.
  template <class Operand>
  int joined(std::initializer_list<Word> operators, Operand operand) {
    int left = operand();
    while (true) {
      const auto* found =
          std::ranges::find_if(operators, [&](const Word& word) { return tokens_.peek().is(word.name); });
      if (found == operators.end()) return left;
      const Position at = tokens_.take().at;
      const int right = operand();
      left = add({found->operation, at, left, right});
    }
  }

  int either() {
    return joined({{"or", Operation::either}}, [this] { return both(); });
  }
  int both() {
    return joined({{"and", Operation::both}}, [this] { return inverted(); });
  }
  int inverted() {
    const Deeper deeper(*this);
    const Position at = tokens_.peek().at;
    if (!tokens_.take_if("not")) return compared();
    return add({Operation::invert, at, inverted()});
  }
  int compared() {
    const int left = sum();
    for (const Word& word : comparisons)
      if (tokens_.peek().is(word.name)) {
        const Position at = tokens_.take().at;
        const int right = sum();
        check_comparison(word, at, left, right);
        return add({word.operation, at, left, right});
      }
    return left;
  }
  int sum() {
    return joined({{"+", Operation::add}, {"-", Operation::subtract}}, [this] { return product(); });
  }
  int product() {
    return joined({{"*", Operation::multiply}, {"/", Operation::divide}}, [this] { return signed_value(); });
  }
  int signed_value() {
    const Deeper deeper(*this);
    const Position at = tokens_.peek().at;
    if (tokens_.take_if("-")) return add({Operation::negate, at, signed_value()});
    int value = primary();
    while (tokens_.peek().is("[")) {
      const Position bracket = tokens_.take().at;
      const int index = either();
      tokens_.expect("]", "']'");
      value = add({Operation::element, bracket, value, index});
    }
    return value;
  }

  int primary() {
    const Token& token = tokens_.peek();
    if (token.kind == Token::Kind::number)
      return add(
          {Operation::constant, token.at, -1, -1, -1, Value::number(parse_number(tokens_, "a number", Measure::any))});
    if (token.kind == Token::Kind::text)
      return add({Operation::constant, token.at, -1, -1, -1, Value::words(tokens_.take().text)});
    if (tokens_.take_if("(")) {
      const int inner = either();
      tokens_.expect(")", "')'");
      return inner;
    }
    if (token.is("[")) return list();
    if (token.kind != Token::Kind::word) tokens_.refuse_next("a value");
    if (tokens_.peek(1).is("(")) return call();
    return name();
  }

  int list() {
    int whole = -1;
    do {
      const Position at = tokens_.take().at;
      const int part = either();
      if (out_.nodes[static_cast<std::size_t>(part)].constant.is_text)
        tokens_.refuse(at, "a list has numbers only, no strings");
      whole = whole < 0 ? add({Operation::join, at, part}) : add({Operation::join, at, whole, part});
    } while (tokens_.peek().is(","));
    tokens_.expect("]", "',' or ']'");
    return whole;
  }

  int name() {
    const Token token = tokens_.take();
    if (const auto known = definitions_.find(token.text); known != definitions_.end())
      return copy(known->second, token.at);
    if (const auto given = find(givens, token.text); given != givens.end()) return input(given->kind, "", token.at);
    return input(Input::Kind::name, token.text, token.at);
  }

  int call() {
    const Token function = tokens_.take();
    tokens_.expect("(", "'('");
    const int value = arguments(function);
    tokens_.expect(")", "')'");
    return value;
  }

  int arguments(const Token& function) {
    if (function.text == "variable") {
      const int found =
          input(Input::Kind::name, tokens_.expect(Token::Kind::text, "a variable's name in quotes").text, function.at);
      out_.inputs[static_cast<std::size_t>(out_.nodes.back().input)].may_come_later = true;
      return found;
    }
    if (function.text == "calls") return input(Input::Kind::calls, mpi_function(), function.at);
    if (function.text == "time") return input(Input::Kind::time, mpi_function(), function.at);
    if (function.text == "call_time") return call_time(mpi_function(), function.at);
    const auto known = find(functions, function.text);
    if (known == functions.end())
      tokens_.refuse(
          function.at, "there is no function '" + function.text + "'",
          "any, all, sum, mean, min, max, count, percentile, contains, change, rate, calls, time, call_time, variable");
    const int of = either();
    int parameter = -1;
    if (known->operation == Operation::percentile || known->operation == Operation::contains) {
      tokens_.expect(",", known->operation == Operation::contains ? "',' and a string" : "',' and the percentile");
      parameter = either();
    }
    return add({known->operation, function.at, of, parameter});
  }

  std::string mpi_function() {
    const Token& token = tokens_.expect(Token::Kind::word, "an MPI function");
    if (!token.text.starts_with("MPI_"))
      tokens_.refuse(token.at, "'" + token.text + "' is not an MPI function", "a name like MPI_Allreduce");
    return token.text;
  }

  /// Seconds per call since the last look.
  int call_time(const std::string& function, Position at) {
    const int time = add({Operation::change, at, input(Input::Kind::time, function, at)});
    const int calls = add({Operation::change, at, input(Input::Kind::calls, function, at)});
    return add({Operation::divide, at, time, calls});
  }

  void check_comparison(const Word& word, Position at, int left, int right) {
    const bool ordered = word.operation != Operation::equal && word.operation != Operation::unequal;
    for (const int side : {left, right})
      if (ordered && out_.nodes[static_cast<std::size_t>(side)].constant.is_text)
        tokens_.refuse(at, "'" + std::string(word.name) + "' cannot compare strings", "'==' or '!='");
  }

  int input(Input::Kind kind, const std::string& name, Position at) {
    const auto same = [&](const Input& each) { return each.kind == kind && each.name == name; };
    auto found = std::ranges::find_if(out_.inputs, same);
    if (found == out_.inputs.end()) found = out_.inputs.insert(found, {kind, name, at, false});
    return add({Operation::input, at, -1, -1, static_cast<int>(found - out_.inputs.begin())});
  }

  int copy(const Expression& definition, Position at) {
    make_room(definition.nodes.size(), at);
    const auto offset = static_cast<int>(out_.nodes.size());
    std::vector<int> moved;
    for (const Input& each : definition.inputs) {
      input(each.kind, each.name, each.at);
      out_.inputs[static_cast<std::size_t>(out_.nodes.back().input)].may_come_later |= each.may_come_later;
      moved.push_back(out_.nodes.back().input);
      out_.nodes.pop_back();
    }
    for (Node node : definition.nodes) {
      if (node.a >= 0) node.a += offset;
      if (node.b >= 0) node.b += offset;
      if (node.input >= 0) node.input = moved[static_cast<std::size_t>(node.input)];
      out_.nodes.push_back(std::move(node));
    }
    return static_cast<int>(out_.nodes.size()) - 1;
  }

  /// Nested definitions can double the size of the expression with every line.
  void make_room(std::size_t nodes, Position at) const {
    if (out_.nodes.size() + nodes > most_nodes) tokens_.refuse(at, "the expression is too long");
  }

  int add(Node node) {
    make_room(1, node.at);
    out_.nodes.push_back(std::move(node));
    return static_cast<int>(out_.nodes.size()) - 1;
  }

  static constexpr std::array<Word, 6> comparisons = {{{"<=", Operation::less_equal},
                                                       {">=", Operation::greater_equal},
                                                       {"==", Operation::equal},
                                                       {"!=", Operation::unequal},
                                                       {"<", Operation::less},
                                                       {">", Operation::greater}}};
  static constexpr std::size_t most_nodes = 5000;
  static constexpr int deepest = 500;

  /// One more call of this parser by itself: the stack has an end.
  struct Deeper {
    explicit Deeper(Parser& parser) : depth(parser.depth_) {
      if (++depth > deepest) parser.tokens_.refuse(parser.tokens_.peek().at, "the expression is nested too deeply");
    }
    ~Deeper() { --depth; }
    Deeper(const Deeper&) = delete;
    Deeper& operator=(const Deeper&) = delete;
    int& depth;
  };

  Tokens& tokens_;
  const Definitions& definitions_;
  Expression out_;
  int depth_ = 0;
};

Text::Unit unit_of(const Tokens& tokens, const Token& word) {
  if (word.text == "bytes") return Text::Unit::bytes;
  if (word.text == "time") return Text::Unit::time;
  if (word.text == "percent") return Text::Unit::percent;
  tokens.refuse(word.at, "a value cannot be shown as '" + word.text + "'", "bytes, time, percent");
}

}  // namespace

const Token& Tokens::expect(std::string_view wanted, const std::string& what) {
  if (!peek().is(wanted)) refuse_next(what);
  return take();
}

const Token& Tokens::expect(Token::Kind kind, const std::string& what) {
  if (peek().kind != kind) refuse_next(what);
  return take();
}

void Tokens::refuse_next(const std::string& what, const std::string& remedy) const {
  const Token& token = peek();
  const bool over = token.kind == Token::Kind::line_end || token.kind == Token::Kind::end;
  refuse(token.at, what + " expected, but " + (over ? "the line ends" : "found '" + token.text + "'"), remedy);
}

Expression parse_expression(Tokens& tokens, const Definitions& definitions) {
  return Parser(tokens, definitions).run();
}

double parse_number(Tokens& tokens, const std::string& what, Measure measure) {
  const double number = tokens.expect(Token::Kind::number, what).number;
  const Token& next = tokens.peek();
  const auto unit = find(units, next.text);
  if (unit == units.end() || next.kind == Token::Kind::text) return number;
  if (measure != Measure::any && measure != unit->measure)
    tokens.refuse(next.at, "'" + next.text + "' is the wrong unit here: " + what + " expected");
  tokens.take();
  return number * unit->factor;
}

Text parse_text(Tokens& tokens, const Definitions& definitions) {
  const Token token = tokens.expect(Token::Kind::text, "a string in quotes");
  Text text;
  std::string_view rest = token.text;
  while (true) {
    const std::size_t open = rest.find('{');
    text.pieces.push_back({std::string(rest.substr(0, open)), {}});
    if (open == std::string_view::npos) return text;
    const std::size_t close = rest.find('}', open);
    Position at = token.at;
    at.column += static_cast<int>(rest.data() + open - token.text.data()) + 2;
    if (close == std::string_view::npos) tokens.refuse(at, "'{' without its '}'");
    const std::string_view inside = rest.substr(open + 1, close - open - 1);
    const std::size_t colon = inside.rfind(':');
    Tokens within(tokens_of(inside.substr(0, colon), tokens.file(), at), tokens.file());
    text.pieces.back().value = parse_expression(within, definitions);
    if (within.peek().kind != Token::Kind::line_end) within.refuse_next("'}'");
    if (colon != std::string_view::npos)
      text.pieces.back().unit = unit_of(tokens, {Token::Kind::word, std::string(inside.substr(colon + 1)), 0, at});
    rest.remove_prefix(close + 1);
  }
}

std::string nearest(std::string_view wrong, const std::vector<std::string>& known) {
  const auto best =
      std::ranges::min_element(known, {}, [&](const std::string& each) { return edit_distance(wrong, each); });
  return best != known.end() && edit_distance(wrong, *best) * 3 <= wrong.size() + 2 ? *best : "";
}

}  // namespace cairn::policy
