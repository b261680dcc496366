// SPDX-License-Identifier: BSD-3-Clause
// results.hpp - the service "cairn.results": reports that a result cannot be written
//
// Offered by Cairn itself to every tool; kit/self.hpp uses it in write().
#pragma once

#include <cstdint>

#include "cairn/tool.h"

namespace cairn {

struct Results {
  static constexpr const char* service = "cairn.results";
  static constexpr std::uint32_t version = 1;

  /// Warns the user, for the first file only: on a full disk all of them fail. `error`: errno.
  void (*not_written)(const cairn_tool_instance* self, const char* path, int error);
};

}  // namespace cairn
