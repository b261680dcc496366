// SPDX-License-Identifier: BSD-3-Clause
// decision.cc - the life of a rule, look by look.

#include "policy/decision.hpp"

#include <algorithm>
#include <cmath>

namespace cairn::policy {

namespace {

/// What a tolerance allows; an objective may be negative: `minimize -rate(x)`.
double part(double tolerance, double objective) { return tolerance * std::abs(objective); }

}  // namespace

RuleState::RuleState(const Rule& rule)
    : rule_(rule), over_(static_cast<std::size_t>(rule.over)), next_block_(2 * over_) {
  for (const Action& action : rule.actions)
    if (action.kind == Action::Kind::try_values)
      trial_.emplace(action.candidates.size() + 1, rule.over, rule.tolerance);
}

Decision RuleState::look(const Facts& facts) {
  if (trial_) return try_next(facts.objective);
  Decision decision;
  if (rule_.objective && judge(facts.objective, decision)) return decision;
  in_a_row_ = facts.condition ? in_a_row_ + 1 : 0;
  if (facts.until) spent_ = false;
  if (!facts.condition) decision.step = Decision::Step::act_otherwise;
  else if (may_act(facts)) {
    decision.step = Decision::Step::act;
    acted_at_ = facts.now;
    ever_acted_ = true;
    spent_ = rule_.until.has_value();
  }
  return decision;
}

bool RuleState::may_act(const Facts& facts) {
  if (blocked_looks_ > 0) {
    --blocked_looks_;
    return false;
  }
  return in_a_row_ >= rule_.times && !spent_ && !judging_ && has_baseline() &&
         (!ever_acted_ || facts.now - acted_at_ >= rule_.cooldown_s);
}

bool RuleState::has_baseline() const { return !rule_.objective || before_.size() >= over_; }

void RuleState::acted(bool changed) {
  if (!rule_.objective || !changed) return;
  judging_ = true;
  after_.clear();
}

/// True if the decision is made: the change is kept or taken back.
bool RuleState::judge(double objective, Decision& decision) {
  if (std::isnan(objective)) return false;
  if (!judging_) {
    before_.push_back(objective);
    if (before_.size() > over_) before_.erase(before_.begin());
    return false;
  }
  after_.push_back(objective);
  if (after_.size() < over_) return false;
  judging_ = false;
  decision.before = median(before_);
  decision.after = median(after_);
  if (decision.after <= decision.before + part(rule_.tolerance, decision.before)) {
    decision.step = Decision::Step::keep;
    before_ = after_;
  } else {
    decision.step = Decision::Step::take_back;
    before_.clear();
    blocked_looks_ = next_block_;
    next_block_ *= 2;
  }
  return true;
}

void RuleState::refused() {
  if (trial_) trial_->refused();
}

Decision RuleState::try_next(double objective) {
  if (trial_->is_over()) return {};
  if (const auto candidate = trial_->next(objective)) return {Decision::Step::try_candidate, *candidate, 0, 0};
  const std::vector<double> found = trial_->medians();
  return {Decision::Step::settle, trial_->best(), found[0], found[trial_->best()]};
}

}  // namespace cairn::policy
