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

/// The number of bits of a number below 2^63, for larger ones something below 64.
constexpr std::size_t width_of(std::uint64_t value) {
  return 63U - static_cast<std::size_t>(std::countl_zero(2 * value + 1));
}

/// Of a number below 2^63.
constexpr std::size_t bin_of(std::uint64_t value) {
  const std::size_t width = width_of(value);
  if (width >= bin_count) [[unlikely]]
    return bin_count - 1;
  return width;
}

/// By width, for what is counted often: nothing needs to be compared with the last bin.
using WideHistogram = std::array<std::uint64_t, 64>;

constexpr Histogram narrow(const WideHistogram& wide) {
  Histogram narrow{};
  for (std::size_t i = 0; i < wide.size(); ++i) narrow[i < bin_count ? i : bin_count - 1] += wide[i];
  return narrow;
}

}  // namespace shared
