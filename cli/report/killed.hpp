// SPDX-License-Identifier: BSD-3-Clause
// killed.hpp - ranks of a run that were killed before their tools could write anything: what these had in memory that
// outlives a process (cairn/page.hpp, cairn/board.hpp), as far as the tool `where` or another with the recorder was there
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/report/section.hpp"
#include "where/jobs.hpp"

namespace cairn::report {

class Killed {
 public:
  /// Nobody.
  Killed() = default;
  /// Of the run with this identity, on this node or kept in its folder.
  Killed(const std::string& folder, const std::string& run);

  /// Those that have no page left are not among them.
  const std::vector<where::Process>& ranks() const { return ranks_; }

 private:
  std::vector<where::Process> ranks_;
};

/// What the tool `comm` would have left of it as a snapshot; null: nothing is known.
Json comm_of(const where::Process& killed, const std::string& run);

/// What this tool would have left of it, as far as it is known; of `profile` and `vars`.
std::optional<Section> section_of(std::string_view tool, const where::Process& killed);

}  // namespace cairn::report
