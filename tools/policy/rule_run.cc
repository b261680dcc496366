// SPDX-License-Identifier: BSD-3-Clause
// rule_run.cc - looking, agreeing, acting, taking back

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

/// What is no number comes of what is not known, or of a division by 0.
bool is_usable(const Value& value) {
  return value.is_text || (!value.numbers.empty() &&
                           std::ranges::all_of(value.numbers, [](double each) { return std::isfinite(each); }));
}

bool must_agree(int scope) {
  return scope == MPI_T_SCOPE_ALL || scope == MPI_T_SCOPE_ALL_EQ || scope == MPI_T_SCOPE_GROUP ||
         scope == MPI_T_SCOPE_GROUP_EQ;
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
  deeds_.reserve(rule.actions.size());
  for (const Action& action : rule.actions) add_deed(action);
  for (const Deed& deed : deeds_)
    if (deed.variable != nullptr && deed.variable->is_control() && must_agree(deed.variable->scope()))
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

void RuleRun::add_deed(const Action& action) {
  Deed& deed = deeds_.emplace_back();
  deed.action = &action;
  if (sets(action)) deed.variable = &library_.find(action.name);
  if (action.kind == Action::Kind::switch_layer) {
    deed.variable = &library_.find(action.name + "_active");
    deed.wanted = Value::number(action.on ? 1 : 0);
  }
  deed.value = bind(action.value);
  for (const cairn::policy::Text::Piece& piece : action.text.pieces)
    if (piece.value) {
      note_slots(*piece.value);
      deed.words.emplace_back(*piece.value, feed_);
    }
}

std::string RuleRun::fault() const {
  for (const Deed& deed : deeds_) {
    if (deed.variable == nullptr || deed.variable->is_control()) continue;
    return "'" + deed.variable->name() + "' cannot be set: " +
           (deed.variable->fault().empty() ? "it is a performance variable" : deed.variable->fault());
  }
  if (concerns_all_ && !rule_.ranks.empty())
    return "its setting must be the same on all ranks, and it is for some ranks only";
  if (concerns_all_ && rule_.trigger->kind == cairn::policy::Trigger::Kind::phase)
    return "its setting must be the same on all ranks, which do not come to phases together: 'every N s', or "
           "'every N calls of' a collective function";
  return "";
}

bool RuleRun::is_for(int rank) const {
  return rule_.ranks.empty() || std::ranges::any_of(rule_.ranks, [rank](const cairn::policy::RankRange& range) {
           return range.first <= rank && rank <= range.last;
         });
}

std::vector<std::size_t> RuleRun::element_counts() const {
  std::vector<std::size_t> counts;
  for (const Deed& deed : deeds_) counts.push_back(deed.variable == nullptr ? 0 : deed.variable->count());
  return counts;
}

bool RuleRun::look(double now, int rank, const Agreement* agreement) {
  const Clock::time_point from = Clock::now();
  rank_ = rank;
  agreement_ = agreement;
  ++figures_.looks;
  find(now);
  if (agreement != nullptr) agreement->max(facts_);
  now_ = facts_[at_now];  // each rank counts from its own MPI_Init; what they do together has one time
  const bool over = decide();
  figures_.cost_s += 1e-9 * static_cast<double>(nanoseconds_between(from, Clock::now()));
  return over;
}

void RuleRun::end_trial(double now) {
  if (!state_.is_trying() || !deeds_.front().old) return;
  now_ = now;
  say("not settled", nullptr, "", "", deeds_.front().variable->name() + ": the trial had not ended");
  write(deeds_.front(), *deeds_.front().old, "taken back");
}

/// All numbers so that the greatest counts: what all ranks must say is negative.
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
  for (Deed& deed : deeds_) {
    if (!deed.value) continue;
    deed.wanted = deed.value->evaluate(now);
    if (concerns_all_ && deed.has_own_value()) add_facts(deed);
  }
}

/// As many on every rank, whatever is known there. Of texts there is no greatest: they count as not known.
void RuleRun::add_facts(const Deed& deed) {
  const std::vector<double>& numbers = deed.wanted.numbers;
  const bool is_known = is_usable(deed.wanted) && !deed.wanted.is_text;
  for (std::size_t i = 0; i < deed.variable->count(); ++i)
    facts_.push_back(is_known ? numbers[std::min(i, numbers.size() - 1)] : -std::numeric_limits<double>::infinity());
}

void RuleRun::take_values(Deed& deed, std::size_t& at) {
  if (!concerns_all_ || !deed.has_own_value()) return;
  deed.wanted.is_text = false;
  deed.wanted.numbers.assign(facts_.begin() + static_cast<std::ptrdiff_t>(at),
                             facts_.begin() + static_cast<std::ptrdiff_t>(at + deed.variable->count()));
  at += deed.variable->count();
  if (std::ranges::any_of(deed.wanted.numbers, [](double each) { return std::isinf(each); }))
    deed.wanted.numbers.clear();
}

bool RuleRun::decide() {
  std::size_t at = first_value;
  for (Deed& deed : deeds_) take_values(deed, at);
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

/// The setting actions first; then whether all of that went well everywhere.
bool RuleRun::act(bool otherwise) {
  bool changed = false;
  bool over = false;
  if (!otherwise)
    for (Deed& deed : deeds_) deed.old.reset();
  for (Deed& deed : deeds_) {
    if (deed.action->otherwise != otherwise) continue;
    if (deed.variable != nullptr) changed = set(deed, deed.wanted) || changed;
    else if (deed.action->kind == Action::Kind::note) say("note", nullptr, "", "", words_of(deed));
    else over = true, say("stop", nullptr, "", "", "");
  }
  if (!otherwise) {
    if (changed || over) ++figures_.acted;
    state_.acted(changed && !dry_run_);
  }
  return over;
}

/// True if the value is another one now.
bool RuleRun::set(Deed& deed, const Value& value) {
  if (!is_usable(value)) return false;
  const Value present = library_.read(*deed.variable);
  const bool differs = !same(present, deed.variable->as_read(value));
  if (agreement_ != nullptr ? !agreement_->any(differs) : !differs) return false;
  if (dry_run_) {
    say("would set", &deed, format_value(present), format_value(value), "");
    return true;
  }
  if (!write(deed, value, "set")) return false;
  if (!deed.action->otherwise) deed.old = present;
  return true;
}

/// Where ranks must agree and one of them is refused, all go back.
bool RuleRun::write(Deed& deed, const Value& value, const char* kind) {
  const Value present = library_.read(*deed.variable);
  const bool done = deed.variable->write(value);
  const std::string why = done ? "" : deed.variable->fault();
  const bool fails = agreement_ != nullptr ? agreement_->any(!done) : !done;
  if (fails && done) deed.variable->write(present);
  if (fails) say("refused", &deed, format_value(present), format_value(value), done ? "refused on another rank" : why);
  else if (!same(present, deed.variable->as_read(value)))
    say(kind, &deed, format_value(present), format_value(value), "");
  return !fails;
}

void RuleRun::take_back(const Decision& decision) {
  ++figures_.taken_back;
  say("worse", nullptr, "", "", objective_text(decision));
  for (Deed& deed : deeds_)
    if (deed.old) {
      write(deed, *deed.old, "taken back");
      deed.old.reset();
    }
}

void RuleRun::try_candidate(std::size_t candidate) {
  Deed& deed = deeds_.front();
  if (dry_run_) return;
  if (!deed.old) deed.old = library_.read(*deed.variable);
  if (!write(deed, value_of(candidate), "tried")) state_.refused();
}

const Value& RuleRun::value_of(std::size_t candidate) const {
  const Deed& deed = deeds_.front();
  return candidate == 0 ? *deed.old : deed.action->candidates[candidate - 1];
}

void RuleRun::settle(const Decision& decision) {
  Deed& deed = deeds_.front();
  if (dry_run_ || !deed.old) return;
  const std::vector<double> medians = state_.trial().medians();
  for (std::size_t i = 0; i < medians.size(); ++i)
    if (!std::isnan(medians[i]))
      say("measured", nullptr, "", "",
          deed.variable->name() + " = " + format_value(value_of(i)) + ": " + objective_text(medians[i]));
  write(deed, value_of(decision.candidate), "tried");
  ++figures_.acted;
  say("settled", &deed, format_value(*deed.old), format_value(value_of(decision.candidate)),
      state_.trial().is_certain() ? objective_text(decision) : "no difference found");
}

void RuleRun::say(const char* kind, const Deed* deed, const std::string& from, const std::string& to,
                  const std::string& text) {
  journal_.add(
      {kind, rule_.title, deed == nullptr ? "" : deed->variable->name(), from, to, text, now_, now_, 1, {rank_}});
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

std::string RuleRun::words_of(Deed& deed) {
  std::size_t next = 0;
  return fill_in(deed.action->text, [&](const Expression&) { return deed.words[next++].evaluate(now_); });
}

}  // namespace policy
