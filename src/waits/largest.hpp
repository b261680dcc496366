// SPDX-License-Identifier: BSD-3-Clause
// largest.hpp - sums that could become too many keep the largest
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <vector>

namespace cairn::waits {

/// Leaves out what is smallest by `value`, so that at most so many stay; returns how many have gone. What is as large as the
/// largest of these goes, too.
template <class All, class Value>
std::size_t keep_largest(All& all, std::size_t most, Value value) {
  if (all.size() <= most) return 0;
  std::vector<decltype(value(*all.begin()))> values;
  for (const auto& one : all) values.push_back(value(one));
  std::ranges::nth_element(values, values.begin() + static_cast<std::ptrdiff_t>(most), std::greater{});
  const auto least = values[most];
  return std::erase_if(all, [&](const auto& one) { return value(one) <= least; });
}

}  // namespace cairn::waits
