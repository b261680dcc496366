// SPDX-License-Identifier: BSD-3-Clause
// returns.hpp - whether a call has waited for another process, by when it returns
#pragma once

#include <algorithm>
#include <cstdint>

#include "waits/graph.hpp"

namespace cairn::waits {

inline constexpr std::int64_t while_ns = 20'000;  // what is shorter may be what calls take by themselves
inline bool may_have_been_kept(const Node& call) { return call.exit - call.entry > while_ns; }
/// Within a tenth of the time that it had waited by then; after it, so that no two can have waited for each other.
inline bool returns_just_after(const Node& call, std::int64_t came) {
  constexpr std::int64_t just_after = 10;
  const std::int64_t waited = came - call.entry;
  return waited >= while_ns && came < call.exit && just_after * (call.exit - came) <= waited;
}

/// Of a thread's calls the last one that begins before that moment; none: there is none.
inline Index last_begun(const Graph& graph, const Lane& lane, std::int64_t moment) {
  const Index next = graph.first_entered(lane, moment);
  return next == lane.first ? none : next - 1;
}

}  // namespace cairn::waits
