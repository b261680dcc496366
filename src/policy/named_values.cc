// SPDX-License-Identifier: BSD-3-Clause
// named_values.cc - reading the values that a description names

#include "policy/named_values.hpp"

#include <algorithm>
#include <array>
#include <charconv>

#include "base/text.hpp"

namespace cairn::policy {

namespace {

bool is_lower(char c) { return c >= 'a' && c <= 'z'; }
bool is_upper(char c) { return c >= 'A' && c <= 'Z'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_of_word(char c) { return is_lower(c) || is_upper(c) || is_digit(c) || c == '_'; }

// ---------------------------------------------------------- "0: tuned, 1: binomial"

/// The number that ends at `colon`; -1: there is none.
std::int64_t number_before(std::string_view text, std::size_t colon) {
  std::size_t begin = colon;
  while (begin > 0 && is_digit(text[begin - 1])) --begin;
  std::int64_t number = -1;
  if (begin == 0 || text[begin - 1] == ' ') std::from_chars(text.data() + begin, text.data() + colon, number);
  return number;
}

std::vector<NamedValue> numbered(std::string_view text) {
  std::vector<NamedValue> values;
  for (std::size_t colon = text.find(": "); colon != text.npos; colon = text.find(": ", colon + 1)) {
    const std::int64_t number = number_before(text, colon);
    if (number < 0) continue;
    if (!values.empty() && number != values.back().number + 1) return {};
    std::string_view name = text.substr(colon + 2);
    name = name.substr(0, name.find_first_of(",.;(:"));
    if (colon + 2 + name.size() < text.size() && text[colon + 2 + name.size()] == ':')  // the next one's number
      while (!name.empty() && is_digit(name.back())) name.remove_suffix(1);
    while (name.ends_with(' ')) name.remove_suffix(1);
    values.push_back({number, std::string(name)});
  }
  return values;
}

// ---------------------------------------------------------- "auto - …binomial - …", columns of names

/// A word before " - ", with the end of the line before stuck to its front.
struct Stuck {
  std::string_view word;
  std::size_t spaces;  // to the dash
  bool is_in_text;     // a space before it: nothing is stuck to it
};

std::vector<Stuck> words_before_dashes(std::string_view text) {
  std::vector<Stuck> found;
  for (std::size_t dash = text.find(" - "); dash != text.npos; dash = text.find(" - ", dash + 1)) {
    std::size_t end = dash + 1;
    while (end > 0 && text[end - 1] == ' ') --end;
    std::size_t begin = end;
    while (begin > 0 && is_of_word(text[begin - 1])) --begin;
    const bool is_in_text = begin > 0 && text[begin - 1] == ' ';
    if (begin != end) found.push_back({text.substr(begin, end - begin), dash + 1 - end, is_in_text});
  }
  return found;
}

bool is_name(std::string_view text) {
  return text.size() > 1 && is_lower(text[0]) &&
         std::ranges::all_of(text, [](char c) { return is_lower(c) || is_digit(c) || c == '_'; });
}

/// How likely it is that a name in a column of this width begins where it would; 0: it does not.
int likelihood(const Stuck& stuck, std::size_t width) {
  static constexpr auto line_ends =
      std::to_array<std::string_view>({"algorithm", "algorithms", "phase", "receives", "collectives", "primitives",
                                       "allreduce", "bcast", "barrier", "reduce", "error"});
  const std::size_t length = width - stuck.spaces;
  if (width <= stuck.spaces || length > stuck.word.size()) return 0;
  const std::string_view before = stuck.word.substr(0, stuck.word.size() - length);
  if (!is_name(stuck.word.substr(before.size()))) return 0;
  if (before.empty()) {
    if (stuck.is_in_text) return 0;
    for (const std::string_view word : {"algorithm", "phase", "receives", "collectives", "primitives"})
      if (stuck.word.starts_with(word) && stuck.word != word) return 0;
    return 3;
  }
  if (std::ranges::find(line_ends, before) != line_ends.end()) return 3;
  const bool is_capitalized =
      before.size() > 3 && is_upper(before[0]) && std::ranges::all_of(before.substr(1), is_lower);
  return is_capitalized ? 2 : 0;
}

/// A column's names, from the first on, fill one width; there may be several columns below each other.
std::vector<NamedValue> in_columns(std::string_view text) {
  const std::vector<Stuck> words = words_before_dashes(text);
  std::vector<NamedValue> values;
  for (std::size_t first = 0; first < words.size();) {
    int best = 0;
    std::size_t best_width = 0;
    std::size_t best_end = 0;
    for (std::size_t length = 2; length <= words[first].word.size(); ++length) {
      const std::size_t width = length + words[first].spaces;
      int sum = 0;
      std::size_t end = first;
      for (int one = 0; end < words.size() && (one = likelihood(words[end], width)) != 0; ++end) sum += one;
      if (sum <= best) continue;
      best = sum;
      best_width = width;
      best_end = end;
    }
    if (best == 0) return {};
    for (; first < best_end; ++first) {
      const std::string_view word = words[first].word;
      const std::size_t length = best_width - words[first].spaces;
      values.push_back({static_cast<std::int64_t>(values.size()), std::string(word.substr(word.size() - length))});
    }
  }
  return values;
}

}  // namespace

std::vector<NamedValue> documented_values(std::string_view description) {
  for (std::vector<NamedValue> values : {numbered(description), in_columns(description)})
    if (values.size() > 1) return values;
  return {};
}

std::string not_a_value(std::string_view value) { return "'" + std::string(value) + "' is not a valid value"; }

std::string no_element(std::size_t count) {
  return count == 1 ? "it is a single value"
                    : "it has " + std::to_string(count) + " elements, 0 to " + std::to_string(count - 1);
}

std::string not_so_many(std::size_t count, std::size_t given) {
  return count == 1 ? "it is a single value"
                    : "it has " + std::to_string(count) + " elements, not " + std::to_string(given);
}

std::string one_of(const std::vector<std::string>& names) { return "one of " + join(names, ", "); }

}  // namespace cairn::policy
