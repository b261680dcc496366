// SPDX-License-Identifier: BSD-3-Clause
// reduce.hpp - from the trace of a process to the records that wait states are found in
#pragma once

#include <functional>
#include <string>

#include "trace/file.hpp"
#include "waits/records.hpp"

namespace cairn::waits {

/// Regions as the tool in a layer has numbered them.
struct RegionNames {
  std::int32_t layer = -1;
  std::function<std::string(std::uint32_t)> path;
};

/// Calls beyond `most_calls` are counted alone.
RankRecords reduce(const trace::File& file, const RegionNames& regions = {}, std::size_t most_calls = SIZE_MAX);

}  // namespace cairn::waits
