// SPDX-License-Identifier: BSD-3-Clause
// decision.hpp - one rule over time: when it acts, when it waits, when a change is taken back
//
// Knows no MPI. Where ranks decide together, all of them feed the same facts and so come to the same decisions.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "policy/policy.hpp"
#include "policy/trial.hpp"

namespace cairn::policy {

/// What a look at a rule found, on this rank or agreed by all.
struct Facts {
  bool condition = true;
  bool until = false;
  double objective = 0;  // over the time since the last look; not a number: not known
  double now = 0;        // seconds
};

/// What is to be done.
struct Decision {
  enum class Step {
    nothing,
    act,            // the rule's actions
    act_otherwise,  // those behind `else`
    keep,           // the last change has paid, or did no harm
    take_back,      // it has not: back to what was before
    try_candidate,  // `candidate`, for one look
    settle,         // the trial is over: `candidate` stays
  };
  Step step = Step::nothing;
  std::size_t candidate = 0;  // 0: what was there before; n: the n-th value of the list
  double before = 0;          // for keep, take_back and settle: the objective before and after, medians
  double after = 0;
};

class RuleState {
 public:
  explicit RuleState(const Rule& rule);

  Decision look(const Facts& facts);
  /// Whether the last `act` changed anything; only then is it judged.
  void acted(bool changed);
  /// The candidate cannot be set; it is dropped from the trial.
  void refused();
  /// Of a rule with `try`.
  const Trial& trial() const { return *trial_; }
  /// A candidate is in force for the time being.
  bool is_trying() const { return trial_ && trial_->has_begun() && !trial_->is_over(); }

 private:
  Decision try_next(double objective);
  bool judge(double objective, Decision& decision);
  bool may_act(const Facts& facts);
  bool has_baseline() const;

  const Rule& rule_;
  std::size_t over_;
  double in_a_row_ = 0;
  bool spent_ = false;  // acted, and `until` has not held since
  double acted_at_ = 0;
  bool ever_acted_ = false;
  std::vector<double> before_;  // objectives while nothing was changed, the latest last
  std::vector<double> after_;   // since the change
  bool judging_ = false;
  std::size_t blocked_looks_ = 0;
  std::size_t next_block_;
  std::optional<Trial> trial_;  // of a rule with `try`
};

}  // namespace cairn::policy
