// SPDX-License-Identifier: BSD-3-Clause
// candidates.cc - reading lists and ranges of values, and combining them

#include "cli/tune/candidates.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <optional>
#include <set>

#include "base/message.hpp"
#include "base/text.hpp"

namespace cairn::tune {

namespace {

constexpr const char* syntax = "NAME=A,B,C or NAME=LOW..HIGH, optionally followed by *FACTOR or +STEP";
constexpr std::size_t most_values = 1000;

std::optional<std::int64_t> whole(std::string_view text) {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return number;
}

struct Range {
  std::int64_t low;
  std::int64_t high;
  std::int64_t step = 1;
  bool multiply = false;

  std::int64_t after(std::int64_t value) const { return multiply ? value * step : value + step; }
  bool is_good() const {
    return low <= high && step > (multiply ? 1 : 0) && (!multiply || low > 0) && high <= INT64_MAX / 2 / step;
  }
};

/// None: the text is no range, but a value with dots in it.
std::optional<Range> read_range(std::string_view text) {
  const auto dots = text.find("..");
  if (dots == std::string_view::npos) return std::nullopt;
  const auto mark = text.find_first_of("*+", dots);
  const auto low = whole(text.substr(0, dots));
  const auto high = whole(text.substr(dots + 2, mark == std::string_view::npos ? mark : mark - dots - 2));
  const auto step = mark == std::string_view::npos ? 1 : whole(text.substr(mark + 1));
  if (!low || !high || !step) return std::nullopt;
  return Range{*low, *high, *step, mark != std::string_view::npos && text[mark] == '*'};
}

std::vector<std::string> values_of(const std::string& text, const std::string& all) {
  const std::optional<Range> range = read_range(text);
  if (!range) return split_escaped(text, ',');
  std::vector<std::string> values;
  if (!range->is_good()) throw Problem("'" + all + "' has no values to try", syntax);
  for (std::int64_t value = range->low; value <= range->high; value = range->after(value)) {
    values.push_back(std::to_string(value));
    if (values.size() > most_values)
      throw Problem(fmt::format("'{}' has more than {} values", all, most_values), "a larger step, or *2 after it");
  }
  return values;
}

}  // namespace

Choice parse_choice(const std::string& text) {
  const auto equals = text.find('=');
  if (equals == std::string::npos || equals == 0 || equals + 1 == text.size())
    throw Problem("'" + text + "' has no values to try", syntax);
  const Choice choice{text.substr(0, equals), values_of(text.substr(equals + 1), text)};
  if (std::set<std::string>(choice.values.begin(), choice.values.end()).size() != choice.values.size())
    throw Problem("'" + text + "' has a value twice", syntax);
  return choice;
}

std::vector<Candidate> combinations(const Candidate& base, const std::vector<Choice>& choices, std::size_t most) {
  std::size_t count = 1;
  for (const Choice& choice : choices) count = std::min(count * choice.values.size(), most + 1);
  if (count > most)
    throw Problem(fmt::format("there are more than {} combinations of values", most),
                  "--one-by-one, which tries one variable after the other, or fewer values");
  std::vector<Candidate> made = {base};
  for (const Choice& choice : choices) {
    std::vector<Candidate> longer;
    for (const Candidate& start : made)
      for (const std::string& value : choice.values) {
        longer.push_back(start);
        longer.back().emplace_back(choice.name, value);
      }
    made = std::move(longer);
  }
  made.insert(made.begin(), base);
  return made;
}

std::string text_of(const Candidate& candidate) {
  if (candidate.empty()) return "(default)";
  std::vector<std::string> words;
  for (const auto& [name, value] : candidate) words.push_back(name + "=" + value);
  return join(words, " ");
}

}  // namespace cairn::tune
