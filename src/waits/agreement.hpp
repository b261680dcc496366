// SPDX-License-Identifier: BSD-3-Clause
// agreement.hpp - where all processes of a job end a section of the run
#pragma once

#include <cstdint>
#include <functional>
#include <span>

#include "waits/reduce.hpp"

namespace cairn::waits {

class Agreement {
 public:
  /// Each of the numbers becomes the largest of all processes; all of them call it as often.
  using MaxEverywhere = std::function<void(std::span<std::int64_t>)>;

  /// `own`: null in a process that has no records. `most_calls`: of this process in a section.
  Agreement(Reduction* own, std::size_t most_calls, MaxEverywhere max_everywhere);

  /// True: it is the last one.
  bool next(RankRecords& section);

 private:
  Meeting common_meeting();

  Reduction* own_;
  std::size_t most_calls_;
  MaxEverywhere max_everywhere_;
  std::int64_t until_ = no_end;  // from then on not all processes' calls are known
};

}  // namespace cairn::waits
