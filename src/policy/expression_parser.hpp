// SPDX-License-Identifier: BSD-3-Clause
// expression_parser.hpp - reading expressions and single values from a row of tokens
#pragma once

#include <initializer_list>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "policy/expression.hpp"
#include "policy/lexer.hpp"
#include "policy/policy.hpp"

namespace cairn::policy {

/// The tokens of a file, and what is wrong with any of them.
class Tokens {
 public:
  Tokens(std::vector<Token> tokens, const std::string& file) : tokens_(std::move(tokens)), file_(file) {}

  const Token& peek(std::size_t ahead = 0) const { return tokens_[std::min(next_ + ahead, tokens_.size() - 1)]; }
  const Token& take() { return tokens_[next_ + 1 < tokens_.size() ? next_++ : next_]; }
  bool take_if(std::string_view wanted) { return peek().is(wanted) && (take(), true); }
  /// Throws Problem unless the next token is that one, or of that kind; `what` is wanted.
  const Token& expect(std::string_view wanted, const std::string& what);
  const Token& expect(Token::Kind kind, const std::string& what);

  [[noreturn]] void refuse(Position at, const std::string& what, const std::string& remedy = {}) const {
    policy::refuse(file_, at, what, remedy);
  }
  /// "WHAT expected, but found 'x'".
  [[noreturn]] void refuse_next(const std::string& what, const std::string& remedy = {}) const;
  const std::string& file() const { return file_; }

 private:
  std::vector<Token> tokens_;
  std::string file_;
  std::size_t next_ = 0;
};

/// Names given by `let`, and their expressions.
using Definitions = std::map<std::string, Expression, std::less<>>;

Expression parse_expression(Tokens& tokens, const Definitions& definitions);

/// What a number may be, by its unit.
enum class Measure { any, none, time, size, part };

/// A number with its unit, in seconds, bytes or parts of one: "10 s", "64 KiB", "5 %".
/// Without a unit it counts as one of seconds, bytes or parts. Throws Problem for a unit of another measure; `what` is
/// wanted.
double parse_number(Tokens& tokens, const std::string& what, Measure measure);

/// "{value:unit}" in quotes.
Text parse_text(Tokens& tokens, const Definitions& definitions);

/// The most similar of some words, as ", or did you mean 'x'?" needs it; empty if none is near.
std::string nearest(std::string_view wrong, const std::vector<std::string>& known);

}  // namespace cairn::policy
