// SPDX-License-Identifier: BSD-3-Clause
// profile_board.hpp - the call sites of `profile` while a program runs, as they lie on its board (cairn/board.hpp)
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace cairn::formats::profile {

/// What an entry of the board is.
enum class Published : std::uint32_t {
  site = 1,  // calls of the function `number` from one place, in one thread and region: SiteFigures, then depth
             // addresses at addresses_at
};

struct SiteFigures {
  std::uint64_t calls;
  std::uint64_t ticks;
  std::uint64_t least_ticks;
  std::uint64_t most_ticks;
  std::uint64_t sent;      // bytes
  std::uint64_t received;  // bytes
  std::uint64_t in_vain;
  std::uint64_t transfers;                // completed
  std::uint64_t under_way;                // ticks of these
  std::uint64_t waited;                   // ticks
  std::array<std::uint64_t, 64> by_time;  // calls, by the number of bits of their ticks
  std::uint32_t addresses_at;             // from the beginning of these figures
  std::uint32_t depth;                    // 0: of all places together
};
static_assert(sizeof(SiteFigures) == (10 + 64 + 1) * 8);

}  // namespace cairn::formats::profile
