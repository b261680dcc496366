// SPDX-License-Identifier: BSD-3-Clause
// decision.cc - the life of a rule, look by look.

#include "policy/decision.hpp"

#include <algorithm>
#include <cmath>

namespace cairn::policy {

namespace {

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

/// What a tolerance allows; an objective may be negative: `minimize -rate(x)`.
double part(double tolerance, double objective) { return tolerance * std::abs(objective); }

}  // namespace

RuleState::RuleState(const Rule& rule)
    : rule_(rule), over_(static_cast<std::size_t>(rule.over)), next_block_(2 * over_) {
  for (const Action& action : rule.actions)
    if (action.kind == Action::Kind::try_values) candidates_ = action.candidates.size() + 1;
  tried_.resize(candidates_);
}

Decision RuleState::look(const Facts& facts) {
  if (candidates_ > 0) return try_next(facts.objective);
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
  if (blocked_looks_ > 0) return --blocked_looks_, false;
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

std::vector<double> RuleState::medians() const {
  std::vector<double> all;
  for (const Candidate& each : tried_)
    all.push_back(each.is_out || each.found.empty() ? std::nan("") : median(each.found));
  return all;
}

void RuleState::refused() {
  if (tries_ > 0) tried_[(tries_ - 1) % candidates_].is_out = true;
}

/// The candidates take turns, so that what changes slowly meets all of them.
Decision RuleState::try_next(double objective) {
  if (settled_) return {};
  if (tries_ > 0) {
    Candidate& last = tried_[(tries_ - 1) % candidates_];
    if (std::isnan(objective) && !last.is_out) --tries_;  // the same once more
    else last.found.push_back(objective);
  }
  while (tries_ < candidates_ * over_ && tried_[tries_ % candidates_].is_out) ++tries_;
  if (tries_ == candidates_ * over_) return settle();
  return {Decision::Step::try_candidate, tries_++ % candidates_, 0, 0};
}

Decision RuleState::settle() {
  settled_ = true;
  const std::vector<double> found = medians();
  Decision decision{Decision::Step::settle, 0, found[0], found[0]};
  for (std::size_t i = 1; i < candidates_; ++i) {
    if (!(found[i] < decision.after) || found[i] >= decision.before - part(rule_.tolerance, decision.before)) continue;
    decision.candidate = i;
    decision.after = found[i];
  }
  return decision;
}

}  // namespace cairn::policy
