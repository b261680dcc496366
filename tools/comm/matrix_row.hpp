// SPDX-License-Identifier: BSD-3-Clause
// matrix_row.hpp - a row of a matrix while it is put together
#pragma once

#include <algorithm>
#include <utility>
#include <vector>

#include "collectives/modelled_flows.hpp"
#include "summary.hpp"

namespace comm {

using cairn::collectives::most_pairs;

/// One sender's row of a matrix, with a place for every receiver.
class Row {
 public:
  explicit Row(int ranks) : volumes_(static_cast<std::size_t>(ranks)) {}

  void add(int to, const Volume& volume) {
    if (to < 0) return;
    Volume& place = volumes_[static_cast<std::size_t>(to)];
    if (place.messages == 0) used_.push_back(to);
    place.add(volume);
  }
  /// In ascending order; empties the row.
  template <class Visit>
  void take(Visit visit) {
    std::ranges::sort(used_);
    for (const int to : used_) visit(to, std::exchange(volumes_[static_cast<std::size_t>(to)], Volume{}));
    used_.clear();
  }

 private:
  std::vector<Volume> volumes_;
  std::vector<int> used_;
};

}  // namespace comm
