// SPDX-License-Identifier: BSD-3-Clause
// last_records.hpp - what a process that was killed had called, and the tool `trace` had not written yet
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "trace/file.hpp"

namespace cairn::cli {

/// The pages of a run's processes that have died, on this node or in its folder, by rank.
class PagesOfDead {
 public:
  PagesOfDead(std::string folder, std::string run) : folder_(std::move(folder)), run_(std::move(run)) {}
  /// "": it has not died, or there is none. Looks for them when it is asked first.
  std::string of(int rank);
  /// With what its process had not written when it died (add_last_records).
  std::uint64_t complete(trace::File& file);

 private:
  std::string folder_;
  std::string run_;
  std::optional<std::map<int, std::string>> paths_;
};

/// Continues a trace that breaks off with the last records in its process's page, and returns how many there were. None
/// where it cannot be told which they are: only chosen calls are in the trace, or its times are not exact; or the page
/// is of another process, or damaged.
std::uint64_t add_last_records(trace::File& file, const std::string& page);

/// Between those that are there, and before them unless old ones have gone. What a trace without an end lacks there came
/// too fast, or beyond the limit of size.
std::uint64_t missing_records(const trace::File& file);

}  // namespace cairn::cli
