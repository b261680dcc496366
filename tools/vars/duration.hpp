// SPDX-License-Identifier: BSD-3-Clause
// duration.hpp - a time as the user writes it: 100ms, 2s
#pragma once

#include <charconv>
#include <stdexcept>
#include <string>
#include <string_view>

namespace vars {

/// Seconds; 0 for "off". Throws what the user is told of anything else.
inline double seconds_of(std::string_view text, std::string_view option) {
  if (text == "off") return 0;
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const std::string_view unit(end, static_cast<std::size_t>(text.data() + text.size() - end));
  const double factor = unit == "s" ? 1 : unit == "ms" ? 1e-3 : unit == "us" ? 1e-6 : 0;
  if (error != std::errc{} || factor == 0 || !(number > 0))
    throw std::runtime_error("option '" + std::string(option) + "' cannot be '" + std::string(text) +
                             "'; it is a time such as 100ms or 2s, or off");
  return number * factor;
}

}  // namespace vars
