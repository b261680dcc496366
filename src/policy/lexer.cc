// SPDX-License-Identifier: BSD-3-Clause
// lexer.cc - taking a policy's text apart.

#include "policy/lexer.hpp"

#include <array>
#include <cctype>
#include <charconv>

#include "policy/policy.hpp"

namespace cairn::policy {

namespace {

bool starts_word(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_'; }
bool goes_on_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.' || c == '#';
}

class Lexer {
 public:
  Lexer(std::string_view text, const std::string& file, Position first) : rest_(text), file_(file), at_(first) {}

  std::vector<Token> run() {
    while (!rest_.empty()) step();
    end_line();
    tokens_.push_back({Token::Kind::end, "", 0, at_});
    return std::move(tokens_);
  }

 private:
  void step() {
    const char c = rest_.front();
    if (c == '\n') end_line(), take(1);
    else if (std::isspace(static_cast<unsigned char>(c)) != 0) take(1);
    else if (c == '#') take(std::min(rest_.find('\n'), rest_.size()));
    else if (starts_word(c)) take_word();
    else if (std::isdigit(static_cast<unsigned char>(c)) != 0) take_number();
    else if (c == '"') take_text();
    else take_sign();
  }

  void end_line() {
    if (depth_ == 0 && !tokens_.empty() && tokens_.back().kind != Token::Kind::line_end)
      tokens_.push_back({Token::Kind::line_end, "", 0, at_});
  }

  void take(std::size_t count) {
    for (const char c : rest_.substr(0, count)) {
      if (c == '\n') at_ = {at_.line + 1, 1};
      else ++at_.column;
    }
    rest_.remove_prefix(count);
  }

  void add(Token::Kind kind, std::size_t length, double number = 0) {
    tokens_.push_back({kind, std::string(rest_.substr(0, length)), number, at_});
    take(length);
  }

  void take_word() {
    std::size_t length = 1;
    while (length < rest_.size() && goes_on_word(rest_[length])) ++length;
    while (rest_[length - 1] == '.') --length;
    add(Token::Kind::word, length);
  }

  void take_number() {
    double number = 0;
    const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), number);
    const auto length = static_cast<std::size_t>(end - rest_.data());
    if (error != std::errc{}) refuse(file_, at_, "'" + std::string(rest_.substr(0, length)) + "' is out of range");
    add(Token::Kind::number, length, number);
  }

  void take_text() {
    const std::size_t end = rest_.find_first_of("\"\n", 1);
    if (end == std::string_view::npos || rest_[end] == '\n') refuse(file_, at_, "a string without its closing quote");
    tokens_.push_back({Token::Kind::text, std::string(rest_.substr(1, end - 1)), 0, at_});
    take(end + 1);
  }

  void take_sign() {
    static constexpr std::array<std::string_view, 4> pairs = {"<=", ">=", "==", "!="};
    for (const std::string_view pair : pairs)
      if (rest_.starts_with(pair)) return add(Token::Kind::sign, 2);
    const char c = rest_.front();
    if (std::string_view("+-*/<>=()[],%").find(c) == std::string_view::npos)
      refuse(file_, at_, "'" + std::string(1, c) + "' has no meaning here");
    if (c == '(' || c == '[') ++depth_;
    if ((c == ')' || c == ']') && depth_ > 0) --depth_;
    add(Token::Kind::sign, 1);
  }

  std::string_view rest_;
  const std::string& file_;
  Position at_;
  int depth_ = 0;  // of open parentheses
  std::vector<Token> tokens_;
};

}  // namespace

std::vector<Token> tokens_of(std::string_view text, const std::string& file, Position first) {
  return Lexer(text, file, first).run();
}

}  // namespace cairn::policy
