// SPDX-License-Identifier: BSD-3-Clause
// traffic.hpp - how much each pair of ranks exchanges, both directions added up; only pairs that do
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "formats/matrix_market.hpp"

namespace cairn::placement {

struct Partner {
  int rank = 0;
  double amount = 0;
};

class Traffic {
 public:
  /// Entries of one pair are added up; those of a rank with itself are left out.
  explicit Traffic(const formats::Matrix& matrix);

  int ranks() const { return static_cast<int>(begin_.size()) - 1; }
  std::span<const Partner> partners(int rank) const {
    const auto at = static_cast<std::size_t>(rank);
    return std::span(partners_).subspan(begin_[at], begin_[at + 1] - begin_[at]);
  }
  double total() const { return total_; }
  std::size_t pairs() const { return partners_.size() / 2; }

 private:
  std::vector<std::size_t> begin_;
  std::vector<Partner> partners_;  // by rank
  double total_ = 0;
};

}  // namespace cairn::placement
