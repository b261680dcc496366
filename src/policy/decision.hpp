// SPDX-License-Identifier: BSD-3-Clause
// decision.hpp - one rule over time: when it acts, when it waits, when a change is taken back
//
// Knows no MPI. Where ranks decide together, all of them feed the same facts and so come to the same decisions.
#pragma once

#include <cstddef>
#include <vector>

#include "policy/policy.hpp"

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
  /// The candidate that was to be tried cannot be had; it is out of the trial.
  void refused();
  /// Of a trial, by candidate: the median of the objective; not a number for those that are out.
  std::vector<double> medians() const;
  /// A candidate is in force for the time being.
  bool is_trying() const { return tries_ > 0 && !settled_; }

 private:
  Decision try_next(double objective);
  Decision settle();
  bool judge(double objective, Decision& decision);
  bool may_act(const Facts& facts);
  bool has_baseline() const;

  const Rule& rule_;
  std::size_t candidates_ = 0;  // with the present value; 0: no trial
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
  struct Candidate {
    std::vector<double> found;
    bool is_out = false;
  };
  std::vector<Candidate> tried_;
  std::size_t tries_ = 0;
  bool settled_ = false;
};

}  // namespace cairn::policy
