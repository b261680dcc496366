// SPDX-License-Identifier: BSD-3-Clause
// decision_test.cc - the life of a rule, look by look, without MPI

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "policy/decision.hpp"

namespace {

using cairn::policy::Decision;
using cairn::policy::Facts;
using cairn::policy::Policy;
using cairn::policy::RuleState;
using Step = Decision::Step;

Policy policy(const std::string& clauses) {
  return cairn::policy::parse_policy("rule \"r\"\n every 1 s\n" + clauses, "p");
}

TEST(Decision, ActsWhileTheConditionHolds) {
  const Policy one = policy(" if x\n set y = 1\n");
  RuleState state(one.rules[0]);
  EXPECT_EQ(state.look({.condition = true}).step, Step::act);
  EXPECT_EQ(state.look({.condition = false}).step, Step::act_otherwise);
  EXPECT_EQ(state.look({.condition = true}).step, Step::act);
}

TEST(Decision, WaitsForTimesUntilAndCooldown) {
  const Policy times = policy(" if x\n times 2\n set y = 1\n");
  RuleState in_a_row(times.rules[0]);
  EXPECT_EQ(in_a_row.look({.condition = true}).step, Step::nothing);
  EXPECT_EQ(in_a_row.look({.condition = false}).step, Step::act_otherwise);
  EXPECT_EQ(in_a_row.look({.condition = true}).step, Step::nothing);
  EXPECT_EQ(in_a_row.look({.condition = true}).step, Step::act);

  const Policy until = policy(" until z\n set y = 1\n");
  RuleState spent(until.rules[0]);
  EXPECT_EQ(spent.look({}).step, Step::act);
  EXPECT_EQ(spent.look({}).step, Step::nothing);
  EXPECT_EQ(spent.look({.until = true}).step, Step::act);

  const Policy cooldown = policy(" cooldown 10 s\n set y = 1\n");
  RuleState hot(cooldown.rules[0]);
  EXPECT_EQ(hot.look({.now = 1}).step, Step::act);
  EXPECT_EQ(hot.look({.now = 5}).step, Step::nothing);
  EXPECT_EQ(hot.look({.now = 11}).step, Step::act);
}

/// Objectives in, steps out; every change counts as one.
std::vector<Step> steps(RuleState& state, const std::vector<double>& objectives) {
  std::vector<Step> out;
  for (const double objective : objectives) {
    out.push_back(state.look({.objective = objective}).step);
    if (out.back() == Step::act) state.acted(true);
  }
  return out;
}

TEST(Decision, AChangeNeedsSomethingToCompareWithAndIsJudgedByMedians) {
  const Policy one = policy(" minimize x over 3\n set y = 1\n");
  RuleState good(one.rules[0]);
  EXPECT_EQ(steps(good, {10, 11, 12, 10, 30, 10}),
            (std::vector{Step::nothing, Step::nothing, Step::act, Step::nothing, Step::nothing, Step::keep}));
  RuleState bad(one.rules[0]);
  EXPECT_EQ(steps(bad, {10, 10, 10, 12, 5, 12}).back(), Step::take_back);
}

TEST(Decision, AnObjectiveMayBeNegative) {
  const Policy one = policy(" minimize -x over 1\n set y = 1\n");
  RuleState same(one.rules[0]);
  EXPECT_EQ(steps(same, {-10, -10}).back(), Step::keep);
  RuleState worse(one.rules[0]);
  EXPECT_EQ(steps(worse, {-10, -9}).back(), Step::take_back);
}

TEST(Decision, WhatWasWorseIsNotDoneAgainSoon) {
  const Policy one = policy(" minimize x over 1\n set y = 1\n");
  RuleState state(one.rules[0]);
  EXPECT_EQ(steps(state, {10, 20}), (std::vector{Step::act, Step::take_back}));
  EXPECT_EQ(steps(state, {10, 10, 10}), (std::vector{Step::nothing, Step::nothing, Step::act}));
  EXPECT_EQ(steps(state, {20}), (std::vector{Step::take_back}));
  EXPECT_EQ(steps(state, {10, 10, 10, 10, 10}),
            (std::vector{Step::nothing, Step::nothing, Step::nothing, Step::nothing, Step::act}));
}

TEST(Decision, CandidatesTakeTurnsAndTheBestStays) {
  const Policy one = policy(" try y in 1, 2\n minimize x over 2\n");
  RuleState state(one.rules[0]);
  const double of[] = {10, 7, 8};  // by candidate
  std::vector<std::size_t> tried;
  double objective = std::nan("");
  Decision decision;
  while ((decision = state.look({.objective = objective})).step == Step::try_candidate) {
    tried.push_back(decision.candidate);
    objective = of[decision.candidate];
  }
  EXPECT_EQ(tried, (std::vector<std::size_t>{0, 1, 2, 2, 1, 0}));
  EXPECT_TRUE(state.trial().is_certain());
  EXPECT_EQ(decision.step, Step::settle);
  EXPECT_EQ(decision.candidate, 1U);
  EXPECT_EQ(decision.before, 10);
  EXPECT_EQ(decision.after, 7);
  EXPECT_EQ(state.look({.objective = 7}).step, Step::nothing);
}

TEST(Decision, AGainWithinTheToleranceIsNone) {
  const Policy one = policy(" try y in 1\n minimize x over 1 within 10 %\n");
  RuleState state(one.rules[0]);
  state.look({.objective = std::nan("")});
  for (const double objective : {10.0, 9.5, 9.5}) state.look({.objective = objective});
  const Decision last = state.look({.objective = 10});
  EXPECT_EQ(last.step, Step::settle);
  EXPECT_EQ(last.candidate, 0U);
  EXPECT_FALSE(state.trial().is_certain());
}

TEST(Decision, ACandidateThatIsRefusedIsLeftOut) {
  const Policy one = policy(" try y in 1, 2\n minimize x over 2\n");
  RuleState state(one.rules[0]);
  state.look({.objective = 0});
  EXPECT_EQ(state.look({.objective = 10}).candidate, 1U);
  state.refused();
  EXPECT_EQ(state.look({.objective = 10}).candidate, 2U);
  EXPECT_EQ(state.look({.objective = 5}).candidate, 2U);
  EXPECT_EQ(state.look({.objective = 5}).candidate, 0U);
  const Decision last = state.look({.objective = 10});
  EXPECT_EQ(last.step, Step::settle);
  EXPECT_EQ(last.candidate, 2U);
  EXPECT_TRUE(std::isnan(state.trial().medians()[1]));
}

/// A trial of three values whose objectives scatter by a fifth; the last one is better by so much.
Decision settled(unsigned seed, double gain, bool* is_certain = nullptr) {
  const Policy one = policy(" try y in 1, 2\n minimize x over 5\n");
  RuleState state(one.rules[0]);
  std::mt19937 random(seed);
  std::lognormal_distribution<double> scatter(0, 0.2);
  Decision decision = state.look({.objective = 1});
  while (decision.step == Step::try_candidate)
    decision = state.look({.objective = (decision.candidate == 2 ? 1 - gain : 1) * scatter(random)});
  if (is_certain != nullptr) *is_certain = state.trial().is_certain();
  return decision;
}

TEST(Decision, IdenticalRunsSettleAlike) {
  int wrong = 0;
  int right = 0;
  for (unsigned seed = 0; seed < 200; ++seed) {
    bool is_certain = true;
    if (settled(seed, 0, &is_certain).candidate != 0) ++wrong;
    if (settled(seed, 0.4).candidate == 2) ++right;
  }
  EXPECT_LE(wrong, 10);  // at a confidence of 95 %
  EXPECT_GE(right, 190);
}

TEST(Decision, WhatIsNotCertainChangesNothing) {
  bool is_certain = true;
  EXPECT_EQ(settled(1, 0, &is_certain).candidate, 0U);
  EXPECT_FALSE(is_certain);
}

TEST(Decision, ObjectivesMayBeZeroOrNegative) {
  const Policy one = policy(" try y in 1\n minimize -x over 2\n");
  RuleState state(one.rules[0]);
  Decision decision = state.look({.objective = 0});
  while (decision.step == Step::try_candidate)
    decision = state.look({.objective = decision.candidate == 1 ? -12.0 : -10.0});
  EXPECT_EQ(decision.candidate, 1U);
}

}  // namespace
