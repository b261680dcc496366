// SPDX-License-Identifier: BSD-3-Clause
// rule_run.cc - one rule: looking, agreeing, acting, undoing

#include "rule_run.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace policy {

using cairn::policy::Action;
using cairn::policy::Decision;
using cairn::policy::Expression;
using cairn::policy::Rule;

namespace {

constexpr double unknown = std::numeric_limits<double>::quiet_NaN();

bool same(const Value& a, const Value& b) {
  if (a.is_text || b.is_text) return a.is_text == b.is_text && a.text == b.text;
  if (a.numbers.size() == b.numbers.size()) return a.numbers == b.numbers;
  return b.numbers.size() == 1 && std::ranges::all_of(a.numbers, [&](double each) { return each == b.numbers[0]; });
}

/// NaN results from unknown values and from division by 0.
bool is_usable(const Value& value) {
  return value.is_text || (!value.numbers.empty() &&
                           std::ranges::all_of(value.numbers, [](double each) { return std::isfinite(each); }));
}

}  // namespace

RuleRun::Bound::Bound(const Expression& expression, Feed& feed) : evaluator(expression) {
  for (const cairn::policy::Input& input : expression.inputs) inputs.push_back(&feed.slot(input).value);
}

RuleRun::RuleRun(const Rule& rule, Feed& feed, Library& library, Journal& journal, bool dry_run)
    : rule_(rule),
      feed_(feed),
      library_(library),
      journal_(journal),
      dry_run_(dry_run),
      concerns_all_(rule.agreement != Rule::Agreement::none),
      condition_(bind(rule.condition)),
      until_(bind(rule.until)),
      objective_(bind(rule.objective)),
      state_(rule) {
  figures_.title = rule.title;
  actions_.reserve(rule.actions.size());
  for (const Action& action : rule.actions) add_action(action);
  for (const BoundAction& action : actions_)
    if (action.variable != nullptr && action.variable->is_control() && mpi_t::must_agree(action.variable->scope()))
      concerns_all_ = true;
  facts_.resize(first_value);
}

std::optional<RuleRun::Bound> RuleRun::bind(const std::optional<Expression>& expression) {
  if (!expression) return std::nullopt;
  note_slots(*expression);
  return Bound(*expression, feed_);
}

void RuleRun::note_slots(const Expression& expression) {
  for (const cairn::policy::Input& input : expression.inputs)
    if (Slot* slot = &feed_.slot(input); std::ranges::find(slots_, slot) == slots_.end()) slots_.push_back(slot);
}

void RuleRun::add_action(const Action& source) {
  BoundAction& action = actions_.emplace_back();
  action.source = &source;
  if (sets(source)) action.variable = &library_.find(source.name);
  if (source.kind == Action::Kind::switch_layer) {
    action.variable = &library_.find(source.name + "_active");
    action.wanted = Value::number(source.on ? 1 : 0);
  }
  action.value = bind(source.value);
  for (const cairn::policy::Text::Piece& piece : source.text.pieces)
    if (piece.value) {
      note_slots(*piece.value);
      action.words.emplace_back(*piece.value, feed_);
    }
}

std::string RuleRun::fault() const {
  for (const BoundAction& action : actions_) {
    if (action.variable == nullptr) continue;
    if (const auto element = action.source->element; action.variable->is_control() && element)
      if (const std::string why = action.variable->why_no_element(*element); !why.empty())
        return "'" + target_of(*action.source) + "' cannot be set: " + why;
    if (action.variable->is_control()) continue;
    return "'" + action.variable->name() + "' cannot be set: " +
           (action.variable->fault().empty() ? "it is a performance variable" : action.variable->fault());
  }
  if (concerns_all_ && !rule_.ranks.empty())
    return "its setting must be the same on all ranks, and the rule is for some ranks only";
  if (concerns_all_ && rule_.trigger->kind == cairn::policy::Trigger::Kind::phase)
    return "its setting must be the same on all ranks, which do not enter phases together: 'every N s', or "
           "'every N calls of' a collective function";
  return "";
}

bool RuleRun::is_for(int rank) const {
  return rule_.ranks.empty() || std::ranges::any_of(rule_.ranks, [rank](const cairn::policy::RankRange& range) {
           return range.first <= rank && rank <= range.last;
         });
}

bool RuleRun::is_for_any_below(int ranks) const {
  return rule_.ranks.empty() || std::ranges::any_of(rule_.ranks, [ranks](const cairn::policy::RankRange& range) {
           return range.first < ranks;
         });
}

std::vector<std::size_t> RuleRun::element_counts() const {
  std::vector<std::size_t> counts;
  for (const BoundAction& action : actions_) counts.push_back(action.count());
  return counts;
}

bool RuleRun::look(double now, int rank, const shared::Agreement* agreement) {
  const Clock::time_point from = Clock::now();
  rank_ = rank;
  agreement_ = agreement;
  ++figures_.looks;
  find(now);
  if (agreement != nullptr) agreement->max(facts_);
  now_ = facts_[at_now];  // ranks count from their own MPI_Init; a joint look has one time
  const bool over = decide();
  if (shown_ != nullptr) Published::show(*shown_, figures_);
  figures_.cost_s += 1e-9 * static_cast<double>(nanoseconds_between(from, Clock::now()));
  return over;
}

void RuleRun::end_trial(double now) {
  if (!state_.is_trying() || !actions_.front().old) return;
  now_ = now;
  say("not settled", nullptr, "", "", actions_.front().target() + ": the trial was not finished");
  write(actions_.front(), *actions_.front().old, "taken back");
}

/// All facts are numbers of which the maximum counts: what must hold on all ranks is negated.
void RuleRun::find(double now) {
  for (Slot* slot : slots_) feed_.refresh(*slot);
  const auto says = [&](std::optional<Bound>& of, bool without) { return of ? holds(of->evaluate(now)) : without; };
  const double sign = rule_.agreement == Rule::Agreement::any ? 1 : -1;
  const double objective = objective_ ? objective_->evaluate(now).front() : unknown;
  facts_.resize(first_value);
  facts_[at_condition] = sign * (says(condition_, true) ? 1 : 0) + (sign < 0 ? 1 : 0);  // 1: "any" holds; 0: "all" does
  facts_[at_until] = says(until_, false) ? 0 : 1;
  facts_[at_objective] = std::isnan(objective) ? std::numeric_limits<double>::infinity() : objective;
  facts_[at_now] = now;
  find_values(now);
}

void RuleRun::find_values(double now) {
  for (BoundAction& action : actions_) {
    if (!action.value) continue;
    action.wanted = action.value->evaluate(now);
    if (concerns_all_ && action.has_own_value()) add_facts(action);
  }
}

/// Equally many on every rank, known or not. Strings have no maximum: they count as unknown.
void RuleRun::add_facts(const BoundAction& action) {
  const std::vector<double>& numbers = action.wanted.numbers;
  const bool is_known = is_usable(action.wanted) && !action.wanted.is_text;
  for (std::size_t i = 0; i < action.count(); ++i)
    facts_.push_back(is_known ? numbers[std::min(i, numbers.size() - 1)] : -std::numeric_limits<double>::infinity());
}

void RuleRun::take_values(BoundAction& action, std::size_t& at) {
  if (!concerns_all_ || !action.has_own_value()) return;
  action.wanted.is_text = false;
  action.wanted.numbers.assign(facts_.begin() + static_cast<std::ptrdiff_t>(at),
                               facts_.begin() + static_cast<std::ptrdiff_t>(at + action.count()));
  at += action.count();
  if (std::ranges::any_of(action.wanted.numbers, [](double each) { return std::isinf(each); }))
    action.wanted.numbers.clear();
}

bool RuleRun::decide() {
  std::size_t at = first_value;
  for (BoundAction& action : actions_) take_values(action, at);
  cairn::policy::Facts facts;
  facts.condition = (facts_[at_condition] > 0) == (rule_.agreement == Rule::Agreement::any);
  facts.until = facts_[at_until] == 0;
  facts.objective = std::isinf(facts_[at_objective]) ? unknown : facts_[at_objective];
  facts.now = facts_[at_now];
  if (facts.condition) ++figures_.held;
  const Decision decision = state_.look(facts);
  switch (decision.step) {
    case Decision::Step::nothing:
      return false;
    case Decision::Step::act:
      return act(false);
    case Decision::Step::act_otherwise:
      return act(true);
    case Decision::Step::keep:
      say("kept", nullptr, "", "", objective_text(decision));
      break;
    case Decision::Step::take_back:
      take_back(decision);
      break;
    case Decision::Step::try_candidate:
      try_candidate(decision.candidate);
      break;
    case Decision::Step::settle:
      settle(decision);
      break;
  }
  return false;
}

/// True: the policy is over.
bool RuleRun::act(bool otherwise) {
  bool changed = false;
  bool over = false;
  if (!otherwise)
    for (BoundAction& action : actions_) action.old.reset();
  for (BoundAction& action : actions_) {
    if (action.source->otherwise != otherwise) continue;
    if (action.variable != nullptr) {
      changed = set(action, action.wanted) || changed;
    } else if (action.source->kind == Action::Kind::note) {
      say("note", nullptr, "", "", words_of(action));
    } else {
      over = true;
      say("stop", nullptr, "", "", "");
    }
  }
  if (!otherwise) {
    if (changed || over) ++figures_.acted;
    state_.acted(changed && !dry_run_);
  }
  return over;
}

std::size_t RuleRun::BoundAction::count() const {
  if (variable == nullptr) return 0;
  return source->element ? 1 : variable->count();
}

Value RuleRun::read(const BoundAction& action) {
  const Value& whole = library_.read(*action.variable);
  const auto element = action.source->element;
  if (!element) return whole;
  return *element < whole.numbers.size() ? Value::number(whole.numbers[*element]) : Value{};
}

bool RuleRun::write(const BoundAction& action, const Value& value) {
  if (!action.source->element) return action.variable->write(value);
  return action.variable->write_element(*action.source->element, value, library_.read(*action.variable));
}

/// True if the value has changed.
bool RuleRun::set(BoundAction& action, const Value& value) {
  if (!is_usable(value)) return false;
  const Value present = read(action);
  const bool differs = !same(present, action.variable->as_read(value));
  if (agreement_ != nullptr ? !agreement_->any(differs) : !differs) return false;
  if (dry_run_) {
    say("would set", &action, format_value(present), format_value(value), "");
    return true;
  }
  if (!write(action, value, "set")) return false;
  if (!action.source->otherwise) action.old = present;
  return true;
}

/// If ranks must agree and the library refuses the value on one of them, all restore the old one.
bool RuleRun::write(BoundAction& action, const Value& value, const char* kind) {
  const Value present = read(action);
  const bool done = write(action, value);
  const std::string why = done ? "" : action.variable->fault();
  const bool fails = agreement_ != nullptr ? agreement_->any(!done) : !done;
  if (fails && done) write(action, present);
  if (fails)
    say("refused", &action, format_value(present), format_value(value), done ? "refused on another rank" : why);
  else if (!same(present, action.variable->as_read(value)))
    say(kind, &action, format_value(present), format_value(value), "");
  return !fails;
}

void RuleRun::take_back(const Decision& decision) {
  ++figures_.taken_back;
  say("worse", nullptr, "", "", objective_text(decision));
  for (BoundAction& action : actions_)
    if (action.old) {
      write(action, *action.old, "taken back");
      action.old.reset();
    }
}

void RuleRun::try_candidate(std::size_t candidate) {
  BoundAction& action = actions_.front();
  if (dry_run_) return;
  if (!action.old) action.old = read(action);
  if (!write(action, value_of(candidate), "tried")) state_.refused();
}

const Value& RuleRun::value_of(std::size_t candidate) const {
  const BoundAction& action = actions_.front();
  return candidate == 0 ? *action.old : action.source->candidates[candidate - 1];
}

void RuleRun::settle(const Decision& decision) {
  BoundAction& action = actions_.front();
  if (dry_run_ || !action.old) return;
  const std::vector<double> medians = state_.trial().medians();
  for (std::size_t i = 0; i < medians.size(); ++i)
    if (!std::isnan(medians[i]))
      say("measured", nullptr, "", "",
          action.target() + " = " + format_value(value_of(i)) + ": " + objective_text(medians[i]));
  write(action, value_of(decision.candidate), "tried");
  ++figures_.acted;
  say("settled", &action, format_value(*action.old), format_value(value_of(decision.candidate)),
      state_.trial().is_certain() ? objective_text(decision) : "no difference found");
}

void RuleRun::say(const char* kind, const BoundAction* action, const std::string& from, const std::string& to,
                  const std::string& text) {
  const Event event{kind, rule_.title, action == nullptr ? "" : action->target(), from, to, text, now_, now_,
                    1,    {rank_}};
  if (published_ != nullptr) published_->add(event);
  journal_.add(event);
}

std::string RuleRun::objective_text(double value) const {
  using cairn::policy::Input;
  const bool is_time = std::ranges::all_of(objective_->evaluator.expression().inputs, [](const Input& input) {
    return input.kind == Input::Kind::time || input.kind == Input::Kind::calls;
  });
  return format_value(Value::number(value),
                      is_time ? cairn::policy::Text::Unit::time : cairn::policy::Text::Unit::number);
}

std::string RuleRun::objective_text(const Decision& decision) const {
  return "objective " + objective_text(decision.before) + " -> " + objective_text(decision.after);
}

std::string RuleRun::words_of(BoundAction& action) {
  std::size_t next = 0;
  return fill_in(action.source->text, [&](const Expression&) { return action.words[next++].evaluate(now_); });
}

}  // namespace policy
