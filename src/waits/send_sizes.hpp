// SPDX-License-Identifier: BSD-3-Clause
// send_sizes.hpp - up to which size sends need neither their receiver nor its library
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "waits/graph.hpp"

namespace cairn::waits {

/// Largest, or smallest, messages of some kind.
struct Sizes {
  std::uint64_t within = 0;  // nodes
  std::uint64_t between = 0;

  std::uint64_t of(const Link& link) const { return link.is_within_node ? within : between; }
  void take(const Link& link) {
    std::uint64_t& size = link.is_within_node ? within : between;
    size = std::max(size, link.bytes);
  }
  void take_least(const Link& link) {
    std::uint64_t& size = link.is_within_node ? within : between;
    size = std::min(size, link.bytes);
  }
};

/// Of sends, by size (the power of two): how many were over while their receiver made no call, and how many only when it
/// had made one. A receiver whose tests find nothing makes calls that nobody records.
struct Aid {
  static constexpr std::size_t sizes = 64;
  std::array<std::uint32_t, sizes> unaided{}, aided{};

  /// Up to that size, most are over without, as far as is known.
  std::uint64_t most_unaided() const;
};

/// What sends need, as far as the run has shown.
struct SendSizes {
  Sizes eager;                            // sent before its receiver asked for it
  Sizes awaited{UINT64_MAX, UINT64_MAX};  // the smallest of which one has waited until its receiver asked for it
  Sizes unaided;                          // up to that, sends do not need their receiver's library
  Aid aid_within, aid_between;

  /// Whether it is not sent before its receiver asks for it.
  bool is_rendezvous(const Link& link) const {
    return link.mode == SendMode::synchronous || link.bytes > eager.of(link);
  }
  /// Whether it is not complete before its receiver asks for it.
  bool needs_receiver(const Link& link) const { return link.mode != SendMode::buffered && is_rendezvous(link); }
  /// Takes up what the graph shows. Returns Waits::taken_by.
  std::vector<Index> learn(const Graph& graph);
};

}  // namespace cairn::waits
