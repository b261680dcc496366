// SPDX-License-Identifier: BSD-3-Clause
// duration.hpp - a duration as users write it: 500us, 20ms, 2s, 0.5 (seconds), or off
#pragma once

#include <charconv>
#include <string_view>

namespace cairn {

/// As an option of a tool (kit/about.hpp); its default must be of whole milliseconds.
struct Duration {
  double seconds = 0;  // 0: off
};

/// False if the text is not a duration.
inline bool parse_duration(std::string_view text, Duration& value) {
  constexpr double longest = 1e9;  // thirty years
  double number = 0;
  const char* const end = text.data() + text.size();
  const auto [unit_begin, error] = std::from_chars(text.data(), end, number);
  const std::string_view unit(unit_begin, static_cast<std::size_t>(end - unit_begin));
  const double factor = unit == "s" || unit.empty() ? 1 : unit == "ms" ? 1e-3 : unit == "us" ? 1e-6 : 0;
  const bool is_time = error == std::errc{} && factor != 0 && number >= 0 && number <= longest;
  if (is_time) value.seconds = number * factor;
  else if (text == "off") value.seconds = 0;
  return is_time || text == "off";
}

}  // namespace cairn
