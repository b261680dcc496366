// SPDX-License-Identifier: BSD-3-Clause
// comparison.hpp - settings measured in turn, and which of them is certainly better
//
// In each round every candidate that is still in the running is measured once, so that drifts of the machine's speed
// affect all alike. Figures of the same round are compared: by their ratio or, if a figure is not positive, by their
// difference. All statements together hold with the confidence asked for: the probability of error is shared among all
// possible comparisons and looks. For `cairn tune`, and for `try` in a running program.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "policy/statistics.hpp"

namespace cairn::policy {

struct ComparisonOptions {
  unsigned least_rounds = 3;
  unsigned most_rounds = 10;
  double confidence = 0.95;
  double worth = 0.01;  // a gain that is certainly smaller does not count
  bool larger_is_better = false;
};

enum class Fate { running, failed, slower, no_gain, beaten };

struct Entry {
  std::vector<double> figures = {};  // by round, from the first on
  Fate fate = Fate::running;
  std::string why = {};       // of a failure
  Interval gain = {0, 0, 0};  // over the first entry: logarithm of the ratio, positive is better
};

/// After so many whole rounds: every entry's gain over the first one, who leaves the running, and the best; 0: none is
/// better for certain.
std::size_t judge(std::vector<Entry>& entries, unsigned rounds, const ComparisonOptions& options);

/// Whether further rounds would change nothing.
bool is_clear(const std::vector<Entry>& entries, std::size_t best);

}  // namespace cairn::policy
