// SPDX-License-Identifier: BSD-3-Clause
// ranks_text.hpp - lists of ranks as short texts
#pragma once

#include <charconv>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace shared {

/// In their order: "0-3", "0-6:2" (every second), "5,1,7"; 'x' stands for a process outside of MPI_COMM_WORLD.
inline std::string ranks_text(const std::vector<int>& list) {
  std::string text;
  for (std::size_t i = 0; i < list.size();) {
    if (!text.empty()) text += ',';
    if (list[i] < 0) {
      text += 'x';
      ++i;
      continue;
    }
    const int step = i + 1 < list.size() ? list[i + 1] - list[i] : 0;
    std::size_t last = i;
    while (step > 0 && last + 1 < list.size() && list[last + 1] - list[last] == step) ++last;
    if (last < i + 2 && step != 1) last = i;  // two of them are no rule
    text += std::to_string(list[i]);
    if (last > i) text += '-' + std::to_string(list[last]);
    if (last > i && step > 1) text += ':' + std::to_string(step);
    i = last + 1;
  }
  return text;
}

/// The same ranks again; -1 for a process outside.
inline std::vector<int> ranks_of(std::string_view text) {
  std::vector<int> list;
  const char* at = text.data();
  const char* const end = at + text.size();
  const auto number = [&](char before, int without) {
    if (at == end || *at != before) return without;
    at = std::from_chars(at + 1, end, without).ptr;
    return without;
  };
  while (at != end) {
    if (*at == 'x') {
      list.push_back(-1);
      ++at;
    } else {
      int first = 0;
      at = std::from_chars(at, end, first).ptr;
      const int last = number('-', first);
      const int step = number(':', 1);
      for (int rank = first; rank <= last; rank += step) list.push_back(rank);
    }
    if (at != end) ++at;  // the comma
  }
  return list;
}

}  // namespace shared
