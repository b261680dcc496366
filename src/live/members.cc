// SPDX-License-Identifier: BSD-3-Clause
// members.cc - reading a communicator's ranks

#include "live/members.hpp"

#include <algorithm>

#include "formats/ranks.hpp"

namespace cairn::live {

Members::Members(std::string_view ranks, int size, int block) : block_(block) {
  std::uint32_t position = 0;
  for (const int rank : formats::ranks_of(ranks, size)) {
    if (rank >= 0 && position_.try_emplace(rank, position).second) by_unit_[rank / block].push_back(position);
    ++position;
  }
}

std::size_t Members::after(const Positions& positions, std::uint32_t position) {
  return static_cast<std::size_t>(positions.end() - std::ranges::upper_bound(positions, position));
}

}  // namespace cairn::live
