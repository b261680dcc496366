// SPDX-License-Identifier: BSD-3-Clause
// call_chain.hpp - who called, in another process
#pragma once

#include "cairn/services/symbols.hpp"

namespace cairn {

/// As Symbols::walk_up, on a stack of at least 1 MiB.
int walk_up(const ThreadPlace& from, std::uint64_t* addresses, int most);

}  // namespace cairn
