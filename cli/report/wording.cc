// SPDX-License-Identifier: BSD-3-Clause
// wording.cc - numbers as people read them

#include "cli/report/wording.hpp"

#include <fmt/format.h>

#include <cmath>
#include <iterator>

namespace cairn::report {

namespace {

constexpr double from_factor = 9.995;  // a change this large is a factor, not a percentage

/// Three significant digits: "8.11", "16.9", "430".
std::string three_digits(double value) {
  const double size = std::abs(value);
  return fmt::format("{:.{}f}", value, size < 9.995 ? 2 : size < 99.95 ? 1 : 0);
}

std::string magnitude(Kind kind, double value) {
  switch (kind) {
    case Kind::seconds:
      return seconds(value);
    case Kind::bytes:
      return bytes(value);
    case Kind::fraction:
      return percent(value);
    case Kind::relative:
      return value < from_factor ? percent(value) : count(static_cast<std::uint64_t>(std::llround(1 + value))) + "x";
    case Kind::count:
      return count(static_cast<std::uint64_t>(std::llround(value)));
    default:
      return fmt::format("{:g}", value);
  }
}

}  // namespace

std::string seconds(double value) {
  if (value == 0) return "0 s";
  if (value >= 999.5) return count(static_cast<std::uint64_t>(std::llround(value))) + " s";
  constexpr const char* units[] = {"s", "ms", "µs", "ns"};
  std::size_t unit = 0;
  while (value < 0.9995 && unit + 1 < std::size(units)) {
    value *= 1000;
    ++unit;
  }
  return three_digits(value) + " " + units[unit];
}

std::string bytes(double value) {
  if (value < 999.5) return fmt::format("{:.0f} B", value);
  constexpr const char* units[] = {"kB", "MB", "GB", "TB", "PB", "EB"};
  value /= 1000;
  std::size_t unit = 0;
  while (value >= 999.5 && unit + 1 < std::size(units)) {
    value /= 1000;
    ++unit;
  }
  return three_digits(value) + " " + units[unit];
}

std::string count(std::uint64_t value) {
  std::string digits = std::to_string(value);
  for (std::size_t place = digits.size(); place > 3;) digits.insert(place -= 3, 1, ',');
  return digits;
}

std::string percent(double fraction) {
  if (fraction > 0 && fraction < 0.0005) return "<0.1 %";
  return fmt::format("{:.1f} %", 100 * fraction);
}

std::string plural(std::uint64_t number, const std::string& noun) {
  return count(number) + " " + noun + (number == 1 ? "" : "s");
}

Json known(double value) { return std::isfinite(value) ? Json(value) : Json(); }

std::string value_text(Kind kind, const Json& value, bool change) {
  if (value.is_null()) return {};
  if (value.is_string()) return harmless(value.get_ref<const std::string&>());
  if (!value.is_number()) return value.dump();
  if (value.is_number_unsigned() && !change) {
    const auto number = value.get<std::uint64_t>();
    if (kind == Kind::count) return count(number);
    if (kind == Kind::number || kind == Kind::text) return std::to_string(number);
  }
  const double number = value.get<double>();
  const std::string text = magnitude(kind, std::abs(number));
  const bool is_factor = kind == Kind::relative && number >= from_factor;
  return fmt::format("{}{}", number < 0 ? "-" : change && number > 0 && !is_factor ? "+" : "", text);
}

std::string picture_mark(const std::string& run) {
  return run.empty() ? "" : fmt::format("{}{}</metadata>\n", picture_mark_begins, run);
}

std::size_t width(std::string_view text) {
  std::size_t characters = 0;
  for (const char c : text)
    if ((static_cast<unsigned char>(c) & 0xc0) != 0x80) ++characters;
  return characters;
}

std::string wrapped(const std::string& text, std::size_t indent, std::size_t further) {
  constexpr std::size_t line_width = 110;
  std::string out;
  std::string line;
  std::size_t before = indent;
  std::size_t from = 0;
  while (from < text.size()) {
    const std::size_t end = std::min(text.find(' ', from), text.size());
    const std::string word = text.substr(from, end - from);
    from = end + 1;
    if (!line.empty() && before + width(line) + 1 + width(word) > line_width) {
      out += std::string(before, ' ') + line + "\n";
      line.clear();
      if (further != 0) before = further;
    }
    line += (line.empty() ? "" : " ") + word;
  }
  return line.empty() ? out : out + std::string(before, ' ') + line + "\n";
}

}  // namespace cairn::report
