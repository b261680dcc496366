// SPDX-License-Identifier: BSD-3-Clause
// traffic.cc - sorts a matrix's entries by rank and partner, and adds them up

#include "placement/traffic.hpp"

#include <algorithm>

namespace cairn::placement {

Traffic::Traffic(const formats::Matrix& matrix) : begin_(static_cast<std::size_t>(matrix.size) + 1) {
  std::vector<std::size_t> counts(begin_.size());
  for (const formats::MatrixEntry& entry : matrix.entries) {
    if (entry.row == entry.column) continue;
    ++counts[static_cast<std::size_t>(entry.row) + 1];
    ++counts[static_cast<std::size_t>(entry.column) + 1];
  }
  for (std::size_t i = 1; i < counts.size(); ++i) counts[i] += counts[i - 1];
  std::vector<Partner> all(counts.back());
  std::vector<std::size_t> next = counts;
  for (const auto& [row, column, value] : matrix.entries) {
    if (row == column) continue;
    all[next[static_cast<std::size_t>(row)]++] = {column, value};
    all[next[static_cast<std::size_t>(column)]++] = {row, value};
    total_ += value;
  }
  for (std::size_t rank = 0; rank + 1 < begin_.size(); ++rank) {
    const auto own = std::span(all).subspan(counts[rank], counts[rank + 1] - counts[rank]);
    std::ranges::sort(own, {}, &Partner::rank);
    for (const Partner& partner : own)
      if (partners_.size() > begin_[rank] && partners_.back().rank == partner.rank)
        partners_.back().amount += partner.amount;
      else partners_.push_back(partner);
    begin_[rank + 1] = partners_.size();
  }
}

}  // namespace cairn::placement
