// SPDX-License-Identifier: BSD-3-Clause
// messages.hpp - messages that one process has sent to another, and the other has not received
#pragma once

#include <cstdint>
#include <map>
#include <utility>

#include "where/page_reader.hpp"

namespace cairn::where {

/// By communicator and tag: those sent, less those received.
struct Unmatched {
  std::map<std::pair<std::uint64_t, int>, long> count;
  std::map<std::pair<std::uint64_t, int>, std::pair<const Process*, const Call*>> last;
  bool is_exact = true;  // the whole history is known, and no receive could have taken any message
};

Unmatched unmatched_between(const Process& from, const Process& to);

/// Of the communicator of a call; 0: unknown.
std::uint64_t identity_of(const Call& call);

}  // namespace cairn::where
