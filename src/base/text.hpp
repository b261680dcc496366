// SPDX-License-Identifier: BSD-3-Clause
// text.hpp - taking strings apart and putting them together.
#pragma once

#include <cstring>
#include <string>
#include <string_view>
#include <vector>

namespace cairn {

/// The parts between separators; empty parts are kept. "a,b," gives "a", "b", "".
std::vector<std::string_view> split(std::string_view text, char separator);

/// The same, but a backslash takes the next character literally, also in the parts that are returned.
std::vector<std::string> split_escaped(std::string_view text, char separator);

/// The inverse for one part: a backslash before each of `special` and before each backslash.
std::string escape(std::string_view text, std::string_view special);

/// A word as a shell takes it: as it is where that is possible.
std::string quoted_for_shell(const std::string& word);

std::string join(const std::vector<std::string>& parts, std::string_view separator);

/// Without blanks at either end.
std::string_view trimmed(std::string_view text);

/// What an array of letters holds, up to a 0 or its end.
template <std::size_t Size>
std::string text_in(const char (&letters)[Size]) {
  return std::string(letters, strnlen(letters, Size));
}

/// Text from elsewhere without what would change lines or the terminal.
std::string harmless(std::string_view text);

/// Changes of one character that make one word of the other.
std::size_t edit_distance(std::string_view a, std::string_view b);

/// "/a/b" of "/a/b/c"; "." of "c".
std::string folder_of(std::string_view path);
/// "c" of "/a/b/c".
std::string_view file_of(std::string_view path);

}  // namespace cairn
