// SPDX-License-Identifier: BSD-3-Clause
// json_writer.cc - JSON's numbers, texts and layout

#include "formats/json_writer.hpp"

#include <charconv>
#include <cmath>
#include <cstdlib>
#include <utility>

#include "formats/numbers.hpp"

namespace cairn::formats {

namespace {

/// How many bytes at the front are one character of UTF-8; 0 if they are none (table 3-7 of the Unicode standard).
std::size_t character_length(std::string_view text) {
  const auto byte = [&](std::size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0U; };
  const auto follows = [&](std::size_t i) { return (byte(i) & 0xc0U) == 0x80U; };
  const unsigned first = byte(0);
  if (first < 0x80) return 1;
  if (first >= 0xc2 && first <= 0xdf) return follows(1) ? 2 : 0;
  if (first >= 0xe0 && first <= 0xef) {
    const bool fits = (first != 0xe0 || byte(1) >= 0xa0) && (first != 0xed || byte(1) <= 0x9f);
    return fits && follows(1) && follows(2) ? 3 : 0;
  }
  if (first < 0xf0 || first > 0xf4) return 0;
  const bool fits = (first != 0xf0 || byte(1) >= 0x90) && (first != 0xf4 || byte(1) <= 0x8f);
  return fits && follows(1) && follows(2) && follows(3) ? 4 : 0;
}

void add_character(std::string& out, char c) {
  switch (c) {
    case '"':
      out += "\\\"";
      return;
    case '\\':
      out += "\\\\";
      return;
    case '\b':
      out += "\\b";
      return;
    case '\f':
      out += "\\f";
      return;
    case '\n':
      out += "\\n";
      return;
    case '\r':
      out += "\\r";
      return;
    case '\t':
      out += "\\t";
      return;
    default:
      break;
  }
  if (static_cast<unsigned char>(c) >= 0x20) {
    out += c;
    return;
  }
  constexpr const char* digits = "0123456789abcdef";
  out += "\\u00";
  out += digits[static_cast<unsigned>(c) >> 4U];
  out += digits[static_cast<unsigned>(c) & 15U];
}

/// Digits and the place of the point: the value is 0.DIGITS * 10^point.
struct Decimal {
  bool negative = false;
  std::string digits;
  int point = 0;
};

Decimal decimal_of(double value) {
  char text[32];
  const char* const end = std::to_chars(text, text + sizeof text, value, std::chars_format::scientific).ptr;
  Decimal out;
  const char* at = text;
  out.negative = *at == '-';
  for (; at != end && *at != 'e'; ++at)
    if (*at >= '0' && *at <= '9') out.digits += *at;
  ++at;
  if (at < end && *at == '+') ++at;
  std::from_chars(at, end, out.point);
  ++out.point;
  return out;
}

}  // namespace

std::string json_number(double value) {
  if (!std::isfinite(value)) return "null";
  if (value == 0) return std::signbit(value) ? "-0.0" : "0.0";
  const Decimal number = decimal_of(value);
  const int count = static_cast<int>(number.digits.size());
  const std::string sign = number.negative ? "-" : "";
  constexpr int most_places = 15;
  constexpr int most_zeros = 4;
  if (count <= number.point && number.point <= most_places)
    return sign + number.digits + std::string(static_cast<std::size_t>(number.point - count), '0') + ".0";
  if (number.point > 0 && number.point <= most_places)
    return sign + std::string(number.digits).insert(static_cast<std::size_t>(number.point), 1, '.');
  if (number.point > -most_zeros && number.point <= 0)
    return sign + "0." + std::string(static_cast<std::size_t>(-number.point), '0') + number.digits;
  const int exponent = number.point - 1;
  std::string out = sign + number.digits.substr(0, 1);
  if (count > 1) out.append(".").append(number.digits, 1);
  out += exponent < 0 ? "e-" : "e+";
  const std::string size = std::to_string(std::abs(exponent));
  return out + (size.size() < 2 ? "0" : "") + size;
}

void add_json_text(std::string& out, std::string_view text) {
  out += '"';
  while (!text.empty()) {
    const std::size_t length = character_length(text);
    if (length == 0) out += "\xef\xbf\xbd";
    else if (length == 1) add_character(out, text.front());
    else out += text.substr(0, length);
    text.remove_prefix(length == 0 ? 1 : length);
  }
  out += '"';
}

void JsonWriter::new_line() {
  if (is_on_line()) return;
  text_ += '\n';
  text_.append(std::size_t{indent_} * depth_, ' ');
}

void JsonWriter::before_value() {
  if (has_name_) {
    has_name_ = false;
    return;
  }
  if (!is_first_) text_ += ',';
  if (depth_ != 0) new_line();
  is_first_ = false;
}

void JsonWriter::name(std::string_view name) {
  if (!is_first_) text_ += is_on_line() ? ", " : ",";
  new_line();
  is_first_ = false;
  add_json_text(text_, name);
  text_ += ": ";
  has_name_ = true;
}

void JsonWriter::open(char bracket) {
  before_value();
  text_ += bracket;
  ++depth_;
  is_first_ = true;
}

void JsonWriter::close(char bracket) {
  const bool ends_line = !is_first_ && !is_on_line();
  --depth_;
  if (ends_line) new_line();
  text_ += bracket;
  is_first_ = false;
}

void JsonWriter::put_plain(std::string_view text) {
  before_value();
  text_ += text;
}

void JsonWriter::put(std::string_view text) {
  before_value();
  add_json_text(text_, text);
}

void JsonWriter::put(double value) { put_plain(json_number(value)); }

void JsonWriter::put_number(double value) {
  if (is_whole(value)) put_signed(static_cast<std::int64_t>(value));
  else put(value);
}

void JsonWriter::put_signed(std::int64_t value) { put_plain(std::to_string(value)); }
void JsonWriter::put_unsigned(std::uint64_t value) { put_plain(std::to_string(value)); }

std::string JsonWriter::take() {
  text_ += '\n';
  is_first_ = true;
  return std::exchange(text_, {});
}

}  // namespace cairn::formats
