// SPDX-License-Identifier: BSD-3-Clause
// sums.hpp - how much there is in a run's traces, and of which functions
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "cli/trace/run_traces.hpp"

namespace cairn::cli {

struct FunctionSum {
  std::uint64_t calls = 0;
  std::uint64_t bytes = 0;    // as far as they are known
  std::uint64_t unknown = 0;  // calls of which they are not
  double seconds = 0;
  double longest = 0;
};

struct TraceSums {
  std::map<std::string, FunctionSum> functions;
  std::uint64_t calls = 0;
  std::uint64_t unknown = 0;  // of these, those with a datatype of unknown size
  std::uint64_t file_bytes = 0;
  std::uint64_t work_ns = 0;
  std::size_t threads = 0;
  double longest_s = 0;  // of any process

  /// Those with most time first.
  std::vector<std::pair<std::string, FunctionSum>> by_time() const;
};

TraceSums sums_of(const RunTraces& run);

}  // namespace cairn::cli
