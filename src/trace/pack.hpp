// SPDX-License-Identifier: BSD-3-Clause
// pack.hpp - storing once what the traces of a run have in common
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "trace/common.hpp"

namespace cairn::trace {

/// What was done, and what traces took before and after.
struct Packed {
  std::uint64_t files = 0;
  std::uint64_t already = 0;         // files that were packed before
  std::uint64_t before = 0;          // bytes of both
  std::uint64_t after = 0;           // likewise
  std::uint64_t common = 0;          // of what they have in common
  std::vector<std::string> left_as;  // files that are still written, were not written to their end, or are damaged
};

/// Replaces each trace by one that is written beside it first; all that reads traces reads these. Where they would not
/// be smaller by it, all stay as they are. Throws Problem: a file cannot be written; then those that are not packed yet
/// are as they were.
Packed pack(const std::vector<std::string>& traces);

}  // namespace cairn::trace
