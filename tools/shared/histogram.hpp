// SPDX-License-Identifier: BSD-3-Clause
// histogram.hpp - counts by powers of two
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace shared {

/// Bin 0: zero; bin i: from 2^(i-1) to below 2^i; the last one also has everything above.
inline constexpr std::size_t bin_count = 40;
using Histogram = std::array<std::uint64_t, bin_count>;

/// Of a number below 2^63.
constexpr std::size_t bin_of(std::uint64_t value) {
  const std::size_t width = 63U - static_cast<std::size_t>(std::countl_zero(2 * value + 1));
  if (width >= bin_count) [[unlikely]]
    return bin_count - 1;
  return width;
}

}  // namespace shared
