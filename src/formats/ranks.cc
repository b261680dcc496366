// SPDX-License-Identifier: BSD-3-Clause
// ranks.cc - writing and reading lists of ranks

#include "formats/ranks.hpp"

#include <algorithm>
#include <charconv>

namespace cairn::formats {

namespace {

/// The last of the numbers from `first` on that go up by the same step; two of them are no rule, unless they are
/// neighbors.
std::size_t end_of_run(const std::vector<int>& ranks, std::size_t first, int step) {
  std::size_t last = first;
  while (step > 0 && last + 1 < ranks.size() && ranks[last + 1] - ranks[last] == step) ++last;
  return last < first + 2 && step != 1 ? first : last;
}

/// "8", "8-12", "8-12:2"
struct Run {
  long first = 0;
  long last = 0;
  long step = 1;
};

bool read(std::string_view& text, long& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return error == std::errc();
}

bool take(std::string_view& text, char sign) {
  if (!text.starts_with(sign)) return false;
  text.remove_prefix(1);
  return true;
}

bool read(std::string_view& text, Run& run) {
  if (!read(text, run.first) || run.first < 0) return false;
  run.last = run.first;
  if (take(text, '-') && !read(text, run.last)) return false;
  return !take(text, ':') || (read(text, run.step) && run.step > 0);
}

}  // namespace

std::string ranks_text(const std::vector<int>& ranks) {
  std::string text;
  for (std::size_t i = 0; i < ranks.size();) {
    if (!text.empty()) text += ',';
    if (ranks[i] < 0) {
      text += 'x';
      ++i;
      continue;
    }
    const int step = i + 1 < ranks.size() ? ranks[i + 1] - ranks[i] : 0;
    const std::size_t last = end_of_run(ranks, i, step);
    text += std::to_string(ranks[i]);
    if (last > i) text += '-' + std::to_string(ranks[last]);
    if (last > i && step > 1) text += ':' + std::to_string(step);
    i = last + 1;
  }
  return text;
}

std::string named_ranks(const std::vector<int>& ranks) {
  return (ranks.size() == 1 ? "rank " : "ranks ") + ranks_text(ranks);
}

std::vector<int> ranks_of(std::string_view text, int limit) {
  std::vector<int> ranks;
  const auto is_full = [&] { return static_cast<long>(ranks.size()) > limit; };
  while (!text.empty() && !is_full()) {
    Run run;
    if (take(text, 'x')) ranks.push_back(-1);
    else if (!read(text, run)) break;
    else
      for (long rank = run.first; rank <= run.last && rank < limit && !is_full(); rank += run.step) {
        ranks.push_back(static_cast<int>(rank));
        if (run.step > run.last - rank) break;  // the next might be no long
      }
    if (!take(text, ',')) break;
  }
  return ranks;
}

std::optional<std::vector<int>> given_ranks(std::string_view text, int size) {
  std::vector<int> ranks;
  do {
    Run run;
    if (!read(text, run) || run.first > run.last || run.last >= size) return std::nullopt;
    for (long rank = run.first; rank <= run.last; rank += std::min(run.step, run.last - rank + 1))
      ranks.push_back(static_cast<int>(rank));
  } while (take(text, ','));
  if (!text.empty()) return std::nullopt;
  return ranks;
}

}  // namespace cairn::formats
