// SPDX-License-Identifier: BSD-3-Clause
// collectives.hpp - what OTF2 calls a collective call, its root, and how much a process gives and gets in it
#pragma once

#include <otf2/otf2.h>

#include <cstdint>
#include <optional>

#include "trace/events.hpp"

namespace cairn::otf2 {

struct Collective {
  OTF2_CollectiveOp op;
  std::uint32_t root;
  std::uint64_t given;
  std::uint64_t got;
};

/// `call` has an object. What was recorded of its bytes is exact; otherwise what the call's count says.
Collective collective_of(const trace::File& file, const trace::Record& call, const std::optional<trace::Moved>& moved);

}  // namespace cairn::otf2
