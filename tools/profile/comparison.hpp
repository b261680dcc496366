// SPDX-License-Identifier: BSD-3-Clause
// comparison.hpp - the ranks' samples of arrivals, brought together at the end of the run
#pragma once

#include <mpi.h>

#include <vector>

#include "arrivals.hpp"
#include "cairn/kit/ranks.hpp"

namespace profile {

/// A sample of this rank's, on the clock of the node, beside those of the others. Takes its memory when it is made.
class Comparison {
 public:
  /// The clock has an anchor of now.
  Comparison(const ArrivalSample& sample, const cairn::Clock& clock);

  /// Collective over the ranks that have the tool.
  void compare(const cairn::World& world);
  /// On the first of them, afterwards.
  void tell(Waiting& waiting) const;

 private:
  const ArrivalSample& sample_;
  bool is_good_ = false;
  std::vector<double> first_;  // nanoseconds; a double has them exactly for a hundred days of uptime
  std::vector<double> last_;
  std::vector<double> waited_;  // at first how long the call took
  std::vector<int> ranks_;
};

}  // namespace profile
