// SPDX-License-Identifier: BSD-3-Clause
// rule_run.hpp - one rule in a running program: what it sees, what it does
//
// A look has three parts: find() on this rank, then, for rules whose settings concern all ranks, the greatest of all
// ranks' numbers, then decide(), which comes to the same on all ranks that were told the same. For one thread at a
// time.
#pragma once

#include <optional>
#include <vector>

#include "agreement.hpp"
#include "feed.hpp"
#include "journal.hpp"
#include "policy/decision.hpp"
#include "policy/policy.hpp"

namespace policy {

class RuleRun {
 public:
  RuleRun(const cairn::policy::Rule& rule, Feed& feed, Library& library, Journal& journal, bool dry_run);

  const cairn::policy::Rule& rule() const { return rule_; }
  RuleFigures& figures() { return figures_; }
  /// Whether all ranks must do the same at the same time.
  bool concerns_all() const { return concerns_all_; }
  void concern_all() { concerns_all_ = true; }
  /// Why the rule can do nothing here; "": it can.
  std::string fault() const;
  bool is_for(int rank) const;
  /// Of the variables that it sets, action by action.
  std::vector<std::size_t> element_counts() const;

  /// True: the policy is over. `agreement` is null for a rule of this rank alone.
  bool look(double now, int rank, const Agreement* agreement);
  /// The time of the last look, which ranks that look together share.
  double looked_at() const { return now_; }
  /// The policy or the program is over: what is only being tried does not stay.
  void end_trial(double now);

 private:
  // Where what stands in facts_; then the values to set.
  enum : std::size_t { at_condition, at_until, at_objective, at_now, first_value };

  /// An expression with its inputs.
  struct Bound {
    Bound(const cairn::policy::Expression& expression, Feed& feed);
    const Value& evaluate(double now) { return evaluator.evaluate(inputs, now); }
    cairn::policy::Evaluator evaluator;
    std::vector<const Value*> inputs;
  };
  struct Deed {
    const cairn::policy::Action* action = nullptr;
    Library::Variable* variable = nullptr;
    std::optional<Bound> value{};
    Value wanted{};
    std::optional<Value> old{};  // what a change that is being judged has replaced
    std::vector<Bound> words{};  // of a note

    /// What ranks may see differently, so that they must agree on it.
    bool has_own_value() const { return value && !value->evaluator.expression().is_constant(); }
  };

  std::optional<Bound> bind(const std::optional<cairn::policy::Expression>& expression);
  void add_deed(const cairn::policy::Action& action);
  void note_slots(const cairn::policy::Expression& expression);
  void find(double now);
  void find_values(double now);
  void add_facts(const Deed& deed);
  void take_values(Deed& deed, std::size_t& at);
  bool decide();
  bool act(bool otherwise);
  bool set(Deed& deed, const Value& value);
  bool write(Deed& deed, const Value& value, const char* kind);
  void take_back(const cairn::policy::Decision& decision);
  void try_candidate(std::size_t candidate);
  void settle(const cairn::policy::Decision& decision);
  void say(const char* kind, const Deed* deed, const std::string& from, const std::string& to, const std::string& text);
  const Value& value_of(std::size_t candidate) const;
  std::string objective_text(double value) const;
  std::string objective_text(const cairn::policy::Decision& decision) const;
  std::string words_of(Deed& deed);

  const cairn::policy::Rule& rule_;
  Feed& feed_;
  Library& library_;
  Journal& journal_;
  bool dry_run_;
  bool concerns_all_ = false;
  std::vector<Slot*> slots_;  // every input of the rule; filled by what follows
  std::optional<Bound> condition_;
  std::optional<Bound> until_;
  std::optional<Bound> objective_;
  std::vector<Deed> deeds_;
  cairn::policy::RuleState state_;
  std::vector<double> facts_;
  RuleFigures figures_;
  const Agreement* agreement_ = nullptr;
  double now_ = 0;
  int rank_ = 0;
};

}  // namespace policy
