// SPDX-License-Identifier: BSD-3-Clause
// gaps.hpp - which ranks lack what, for the user and for run.json
#pragma once

#include <string>
#include <vector>

#include "contracts/job_host.h"
#include "job/roster.hpp"

namespace cairn::engine {

/// In a job of `size` ranks; `wanted` are the instances that this rank was to have, loaded or not.
class Gaps {
 public:
  Gaps(const Roster& roster, const Instances& wanted, int size);

  /// These stay as long as this does.
  const std::vector<cairn_job_gap>& shown() const { return shown_; }

 private:
  struct Gap {
    InstanceName instance;  // of no tool: Cairn itself
    RankRanges ranks;
    bool everywhere;
    std::string text;
  };
  std::vector<Gap> gaps_;
  std::vector<cairn_job_gap> shown_;
};

}  // namespace cairn::engine
