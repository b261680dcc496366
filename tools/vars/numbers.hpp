// SPDX-License-Identifier: BSD-3-Clause
// numbers.hpp - values of variables as text and in JSON: whole numbers, which most are, without a decimal point
#pragma once

#define FMT_HEADER_ONLY
#define FMT_STATIC_THOUSANDS_SEPARATOR ','  // spares the tool the C++ library's locales, half its size
#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <string>

namespace vars {

using Json = nlohmann::ordered_json;

inline bool is_whole(double value) {
  constexpr double exact = 9007199254740992;  // beyond it not every whole number is a double
  return value < exact && value > -exact && value == static_cast<double>(static_cast<long long>(value));
}

inline std::string number(double value) {
  return is_whole(value) ? fmt::format("{:.0f}", value) : fmt::format("{:.6g}", value);
}

inline Json number_json(double value) {
  if (is_whole(value)) return static_cast<long long>(value);
  return value;
}

}  // namespace vars
