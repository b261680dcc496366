// SPDX-License-Identifier: BSD-3-Clause
// search.hpp - which candidates are measured how often, and when the answer is clear
//
// In turn forwards and backwards; what is certain is in policy/comparison.hpp.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "policy/comparison.hpp"

namespace cairn::tune {

using SearchOptions = policy::ComparisonOptions;
using policy::Entry;
using policy::Fate;

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
