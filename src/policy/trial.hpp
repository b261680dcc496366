// SPDX-License-Identifier: BSD-3-Clause
// trial.hpp - the values of a `try`, each in force for one look, round after round until it is certain which is best
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "policy/comparison.hpp"

namespace cairn::policy {

class Trial {
 public:
  /// The first candidate is what was there before. `least_rounds` as the user wants; `worth` is the gain that counts.
  Trial(std::size_t candidates, double least_rounds, double worth);

  /// The objective while the last candidate was in force, not a number if it is not known; the next candidate, none
  /// if the trial is over.
  std::optional<std::size_t> next(double objective);
  /// The last candidate cannot be set.
  void refused();

  bool has_begun() const { return current_.has_value() || is_over_; }
  bool is_over() const { return is_over_; }
  /// Once it is over: what stays.
  std::size_t best() const { return best_; }
  /// Whether that is certain: another is better, or all others are worse.
  bool is_certain() const;
  /// By candidate; not a number for those without a figure.
  std::vector<double> medians() const;

 private:
  bool take(double objective);
  bool end_round();
  void finish();

  ComparisonOptions options_;
  std::vector<Entry> entries_;
  unsigned rounds_ = 0;
  std::size_t turn_ = 0;  // of the round
  std::optional<std::size_t> current_;
  std::size_t leader_ = 0;
  std::size_t best_ = 0;
  bool is_over_ = false;
};

}  // namespace cairn::policy
