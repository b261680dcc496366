// SPDX-License-Identifier: BSD-3-Clause
// numbers.cc - numbers by snprintf, less what the program's locale puts in. std::to_chars with a precision would bring
// 100 kB of tables into every tool.

#include "formats/numbers.hpp"

#include <array>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <iterator>

namespace cairn::formats {

namespace {

constexpr std::size_t widest = 400;  // the greatest double has 309 digits before its point

bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// The locale's decimal point, of one byte or several, is what stands between two digits and is no exponent.
std::string with_point(const char* text) {
  const std::size_t whole = std::strspn(text, "-0123456789");
  const char* rest = text + whole;
  if (whole == 0 || is_digit(*rest) || *rest == 'e' || *rest == '\0') return text;
  while (*rest != '\0' && !is_digit(*rest)) ++rest;
  return std::string(text, whole) + "." + rest;
}

std::string text_of(const char* format, int digits, double value) {
  std::array<char, widest> text;
  std::snprintf(text.data(), text.size(), format, digits, value);
  return with_point(text.data());
}

}  // namespace

std::string fixed(double value, int places) { return text_of("%.*f", places, value); }

std::string significant(double value, int digits) {
  const double size = std::abs(value);
  return size >= std::pow(10, digits) - 0.5 && size < 1e15 ? fixed(value, 0) : text_of("%.*g", digits, value);
}

std::string hexadecimal(std::uint64_t value) {
  std::array<char, 24> text;
  std::snprintf(text.data(), text.size(), "%#llx", static_cast<unsigned long long>(value));
  return text.data();
}

std::string human_bytes(std::uint64_t bytes) {
  if (bytes < 1000) return std::to_string(bytes) + " B";
  constexpr const char* units[] = {" kB", " MB", " GB", " TB", " PB", " EB"};
  double value = static_cast<double>(bytes) / 1000;
  std::size_t unit = 0;
  while (value >= 999.95 && unit + 1 < std::size(units)) {
    value /= 1000;
    ++unit;
  }
  return fixed(value, 1) + units[unit];
}

bool is_whole(double value) {
  constexpr double exact = 9007199254740992;  // 2^53
  return value < exact && value > -exact && value == static_cast<double>(static_cast<std::int64_t>(value));
}

std::string plain_number(double value) { return is_whole(value) ? fixed(value, 0) : significant(value, 6); }

}  // namespace cairn::formats
