// SPDX-License-Identifier: BSD-3-Clause
// search.hpp - which candidates are measured how often, and when the answer is clear
//
// In each round every candidate that is still in the running is measured once, in turn forwards and backwards, so that
// a machine that gets slower or faster is the same for all. Candidates are compared by the ratio of their figures of
// the same rounds. All statements together hold with the confidence asked for: the probability of error is shared among
// all comparisons and all looks that a search may make.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "cli/tune/statistics.hpp"

namespace cairn::tune {

struct SearchOptions {
  unsigned least_rounds = 3;
  unsigned most_rounds = 10;
  double confidence = 0.95;
  double worth = 0.01;  // a gain that is certainly smaller is none
  bool larger_is_better = false;
};

enum class Fate { running, failed, slower, no_gain, beaten };

struct Entry {
  std::vector<double> figures = {};  // by round, from the first on
  Fate fate = Fate::running;
  std::string why = {};       // of a failure
  Interval gain = {0, 0, 0};  // over the first entry: logarithm of the ratio, positive is better
};

/// The figure of one run, greater than 0; or why there is none.
struct Measured {
  std::optional<double> figure;
  std::string why = {};
  bool interrupted = false;
};

struct Found {
  std::vector<Entry> entries;  // the first is the base, to which the others are compared
  unsigned rounds = 0;         // completed
  std::size_t best = 0;        // 0: none is better for certain
  bool interrupted = false;
};

/// `measure` runs candidate i; `after_round` may show what is known so far.
Found search(std::size_t candidates, const SearchOptions& options, const std::function<Measured(std::size_t)>& measure,
             const std::function<void(const Found&)>& after_round = {});

/// A gain as the part by which the figure became smaller or, where that is better, larger.
double part_gained(double log_gain, bool larger_is_better);

}  // namespace cairn::tune
