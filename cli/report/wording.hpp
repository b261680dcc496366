// SPDX-License-Identifier: BSD-3-Clause
// wording.hpp - numbers as people read them
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/text.hpp"
#include "cli/report/section.hpp"

namespace cairn::report {

std::string seconds(double value);                                  // "8.11 s", "16.9 ms"
std::string bytes(double value);                                    // "49.2 kB"
std::string count(std::uint64_t value);                             // "3,600"
std::string percent(double fraction);                               // "68.9 %"; "<0.1 %" for less that is not nothing
std::string plural(std::uint64_t number, const std::string& noun);  // "1 rank", "4 ranks"

Json known(double value);  // null for NaN and infinity: it is not known

/// A value of a table; "" for null. `change`: with its sign.
std::string value_text(Kind kind, const Json& value, bool change = false);

/// Wrapped between words for the terminal, every line indented; all but the first by `further`, if given.
std::string wrapped(const std::string& text, std::size_t indent, std::size_t further = 0);

/// In an SVG: of which run it is, by its identity; "" if that is "".
constexpr std::string_view picture_mark_begins = "<metadata>run ";
std::string picture_mark(const std::string& run);

/// Characters, not bytes, of UTF-8 text.
std::size_t width(std::string_view text);

}  // namespace cairn::report
