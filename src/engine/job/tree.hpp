// SPDX-License-Identifier: BSD-3-Clause
// tree.hpp - a binomial tree over some of the ranks, of which each knows its neighbours by few questions
//
// `has(rank)` says whether a rank is one of them. What a rank without Cairn would have in its care goes to the next
// one above it that has it, so that where all have it a rank asks for its own neighbours only.
#pragma once

#include <vector>

namespace cairn::engine {

/// The first rank of those; `size` if there is none.
template <class Has>
int first_of(int size, Has has) {
  int first = 0;
  while (first < size && !has(first)) ++first;
  return first;
}

template <class Has>
class Tree {
 public:
  /// `first` is the root.
  Tree(int first, int size, Has has) : first_(first), count_(size - first), has_(has) {}

  int parent(int rank) const {
    int place = rank - first_;
    do place &= place - 1;
    while (place != 0 && !has_(first_ + place));
    return first_ + place;
  }

  /// Ascending.
  std::vector<int> children(int rank) const {
    std::vector<int> found;
    add_children(rank - first_, found);
    return found;
  }

 private:
  void add_children(int place, std::vector<int>& found) const {
    for (int step = 1; place % (2 * step) == 0 && place + step < count_; step *= 2)
      if (has_(first_ + place + step)) found.push_back(first_ + place + step);
      else add_children(place + step, found);
  }

  int first_;
  int count_;
  Has has_;
};

}  // namespace cairn::engine
