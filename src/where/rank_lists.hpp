// SPDX-License-Identifier: BSD-3-Clause
// rank_lists.hpp - ranks that are waited for: lists that are kept once, however many wait for the same ones
//
// Half of a large job in a barrier waits for the other half: a list of its own for each would be the job's size, squared.
#pragma once

#include <array>
#include <cstddef>
#include <functional>
#include <map>
#include <span>
#include <vector>

namespace cairn::where {

/// World ranks from a list that is kept elsewhere, from its beginning on; below 0: processes outside the world.
using RankList = std::span<const int>;

/// Ranks that somebody waits for.
struct Awaited {
  std::vector<RankList> lists;
  int left_out = -1;  // whoever waits, where the lists have it too

  void add(RankList list) {
    if (!list.empty()) lists.push_back(list);
  }
  bool empty() const;
  /// The one that it is; -1: there are none or several.
  int only() const;
  std::vector<int> all() const;
};

/// Finds the first rank that passes a test; no list is gone through twice.
class FirstThat {
 public:
  explicit FirstThat(std::function<bool(int)> passes) : passes_(std::move(passes)) {}

  /// -1: none.
  int in(RankList list, int left_out);
  int in(const Awaited& whom);

 private:
  /// One of two is not left out.
  struct Known {
    std::size_t looked_at = 0;
    std::size_t count = 0;
    std::array<std::size_t, 2> places{};
  };
  std::function<bool(int)> passes_;
  std::map<const int*, Known> known_;  // by where the list begins
};

/// All who are waited for, in order.
std::vector<int> all_awaited(const std::vector<const Awaited*>& all);

}  // namespace cairn::where
