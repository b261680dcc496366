// SPDX-License-Identifier: BSD-3-Clause
// rule_run.hpp - one rule in a running program: what it sees, what it does
//
// A look has three parts: find() on this rank; for rules whose settings concern all ranks, the maximum of the facts
// over the ranks; then decide(), which yields the same on all ranks that have the same facts. For one thread at a time.
#pragma once

#include <optional>
#include <vector>

#include "feed.hpp"
#include "journal.hpp"
#include "policy/decision.hpp"
#include "policy/policy.hpp"
#include "published.hpp"
#include "shared/agreement.hpp"

namespace policy {

class RuleRun {
 public:
  RuleRun(const cairn::policy::Rule& rule, Feed& feed, Library& library, Journal& journal, bool dry_run);

  const cairn::policy::Rule& rule() const { return rule_; }
  RuleFigures& figures() { return figures_; }
  /// Whether all ranks must do the same at the same time.
  bool concerns_all() const { return concerns_all_; }
  void concern_all() { concerns_all_ = true; }
  /// From now on others see what it does.
  void publish(Published& published) {
    published_ = &published;
    shown_ = published.add_rule(rule_.title);
  }
  /// Why the rule cannot work here; "": it can.
  std::string fault() const;
  bool is_for(int rank) const;
  /// Of a job with so many.
  bool is_for_any_below(int ranks) const;
  /// How many elements the variables have that it sets, action by action.
  std::vector<std::size_t> element_counts() const;

  /// True: the policy is over. `agreement` is null if the rule concerns this rank only.
  bool look(double now, int rank, const shared::Agreement* agreement);
  /// The time of the last look, which ranks that look together share.
  double looked_at() const { return now_; }
  /// The policy or the program is over: restores the value from before a trial.
  void end_trial(double now);

 private:
  // Positions in facts_; the values to set follow.
  enum : std::size_t { at_condition, at_until, at_objective, at_now, first_value };

  /// An expression with its inputs.
  struct Bound {
    Bound(const cairn::policy::Expression& expression, Feed& feed);
    const Value& evaluate(double now) { return evaluator.evaluate(inputs, now); }
    cairn::policy::Evaluator evaluator;
    std::vector<const Value*> inputs;
  };
  /// An action of the rule, with its variable and inputs.
  struct BoundAction {
    const cairn::policy::Action* source = nullptr;  // as the policy says it
    Library::Variable* variable = nullptr;
    std::optional<Bound> value{};
    Value wanted{};
    std::optional<Value> old{};  // what a change that is being judged has replaced
    std::vector<Bound> words{};  // of a note

    /// How many elements it sets.
    std::size_t count() const;
    /// "NAME", "NAME[1]", "LAYER_active".
    std::string target() const { return source->element ? cairn::policy::target_of(*source) : variable->name(); }
    /// Whether ranks may compute different values, so that they must agree on one.
    bool has_own_value() const { return value && !value->evaluator.expression().is_constant(); }
  };

  std::optional<Bound> bind(const std::optional<cairn::policy::Expression>& expression);
  void add_action(const cairn::policy::Action& source);
  void note_slots(const cairn::policy::Expression& expression);
  void find(double now);
  void find_values(double now);
  void add_facts(const BoundAction& action);
  void take_values(BoundAction& action, std::size_t& at);
  bool decide();
  bool act(bool otherwise);
  bool set(BoundAction& action, const Value& value);
  Value read(const BoundAction& action);
  bool write(const BoundAction& action, const Value& value);
  bool write(BoundAction& action, const Value& value, const char* kind);
  void take_back(const cairn::policy::Decision& decision);
  void try_candidate(std::size_t candidate);
  void settle(const cairn::policy::Decision& decision);
  void say(const char* kind, const BoundAction* action, const std::string& from, const std::string& to,
           const std::string& text);
  const Value& value_of(std::size_t candidate) const;
  std::string objective_text(double value) const;
  std::string objective_text(const cairn::policy::Decision& decision) const;
  std::string words_of(BoundAction& action);

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
  std::vector<BoundAction> actions_;
  cairn::policy::RuleState state_;
  std::vector<double> facts_;
  RuleFigures figures_;
  Published* published_ = nullptr;
  Published::LookFigures* shown_ = nullptr;
  const shared::Agreement* agreement_ = nullptr;
  double now_ = 0;
  int rank_ = 0;
};

}  // namespace policy
