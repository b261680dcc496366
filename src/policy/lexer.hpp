// SPDX-License-Identifier: BSD-3-Clause
// lexer.hpp - a policy file as a row of tokens
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "policy/expression.hpp"

namespace cairn::policy {

struct Token {
  enum class Kind { word, number, text, sign, line_end, end };
  Kind kind = Kind::end;
  std::string text;  // of a text: without its quotes
  double number = 0;
  Position at;

  bool is(std::string_view wanted) const { return (kind == Kind::word || kind == Kind::sign) && text == wanted; }
};

/// The last token is of kind `end`. Lines without tokens leave none, nor do line ends within parentheses. Throws
/// Problem.
std::vector<Token> tokens_of(std::string_view text, const std::string& file, Position first = {});

}  // namespace cairn::policy
