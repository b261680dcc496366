// SPDX-License-Identifier: BSD-3-Clause
// policy_run.cc - triggers

#include "policy_run.hpp"

#include <algorithm>
#include <thread>

#include "cairn/stack.h"

namespace policy {

using cairn::policy::Action;
using cairn::policy::Expression;
using cairn::policy::Input;
using cairn::policy::Policy;
using cairn::policy::Rule;

namespace {

/// Not in calls that belong to MPI_T or only compute.
bool is_place_to_look(cairn::Category category) {
  return category != cairn::Category::tool_interface && category != cairn::Category::conversion &&
         category != cairn::Category::lifecycle;
}

template <class Visit>
void for_each_input(const Policy& policy, Visit visit) {
  for (const Rule& rule : policy.rules)
    for_each_expression(rule, [&](const Expression& expression) { std::ranges::for_each(expression.inputs, visit); });
}

bool sets_something(const Rule& rule) { return std::ranges::any_of(rule.actions, cairn::policy::sets); }

bool stops(const Rule& rule) {
  return std::ranges::any_of(rule.actions, [](const Action& each) { return each.kind == Action::Kind::stop; });
}

bool is_collective(Function function) {
  return function != Function::count && cairn::facts(function).category == cairn::Category::collective;
}

/// That lead to the tool in any case.
void add_start_and_end(Functions& functions) {
  for (std::size_t i = 0; i < cairn::function_count; ++i)
    if (const auto function = static_cast<Function>(i);
        function == Function::MPI_Init_ || function == Function::MPI_Init_thread_ ||
        function == Function::MPI_Finalize_ || std::string_view(cairn::function_facts[i].name) == "MPI_Session_init")
      functions.set(i);
}

}  // namespace

PolicyRun::PolicyRun(Shared& shared, Policy policy) : shared_(shared), policy_(std::move(policy)) {
  journal_.policy = policy_.file;
  journal_.tool = shared.title;
  journal_.dry_run = shared.dry_run;
}

Functions PolicyRun::wanted_by_any() {
  Functions functions;
  for (std::size_t i = 0; i < cairn::function_count; ++i)
    if (is_place_to_look(cairn::function_facts[i].category)) functions.set(i);
  functions.set(static_cast<std::size_t>(Function::MPI_Pcontrol_));
  add_start_and_end(functions);
  return functions;
}

Functions PolicyRun::wanted() const {
  Functions functions;
  const auto add = [&](Function function) {
    if (function != Function::count) functions.set(static_cast<std::size_t>(function));
  };
  const auto add_if = [&](auto condition) {
    for (std::size_t i = 0; i < cairn::function_count; ++i)
      if (condition(cairn::function_facts[i])) functions.set(i);
  };
  bool in_phases = false;
  for_each_input(policy_, [&](const Input& input) {
    if (input.kind == Input::Kind::calls || input.kind == Input::Kind::time) add(function_named(input.name));
    in_phases = in_phases || input.kind == Input::Kind::phase;
  });
  for (const Rule& rule : policy_.rules) {
    const cairn::policy::Trigger& trigger = *rule.trigger;
    if (trigger.kind == Kind::calls) add(function_named(trigger.function));
    if (trigger.kind == Kind::phase) in_phases = true;
    if (trigger.kind == Kind::seconds)
      add_if([](const cairn::FunctionFacts& facts) { return is_place_to_look(facts.category); });
    if (sets_something(rule) || stops(rule) || rule.agreement != Rule::Agreement::none)
      add_if([](const cairn::FunctionFacts& facts) {
        return facts.category == cairn::Category::collective ||
               facts.category == cairn::Category::communicator_creation;
      });
  }
  if (in_phases) add(Function::MPI_Pcontrol_);
  add_start_and_end(functions);
  return functions;
}

/// "", or why it cannot be followed; then the agreement is over on all ranks.
std::string PolicyRun::prepare() {
  observed_.start(shared_.started_at);
  agreement_.start(self_);
  const int code = library_.start();
  if (!agreement_.any(code != MPI_SUCCESS)) {
    prepare_rules();
    return "";
  }
  is_over_ = true;  // on all ranks: what follows is collective
  agreement_.finish();
  return "MPI_T " +
         (code != MPI_SUCCESS ? "returned " + mpi_t::name_of_code(code) : "returned an error on another rank");
}

void PolicyRun::start() {
  const cairn::OwnWork own;
  if (const std::string why = prepare(); !why.empty()) return self_.warn("the policy is not followed: " + why);
  for (const std::string& fault : faults_) self_.warn(fault);
  begin();
}

std::string PolicyRun::start_whole() {
  const cairn::OwnWork own;
  if (std::string why = prepare(); !why.empty()) return why;
  if (agreement_.any(!faults_.empty())) {
    retire();
    return faults_.empty() ? "a rule cannot work on another rank" : faults_.front();
  }
  begin();
  return "";
}

void PolicyRun::begin() {
  shared_.published.begin_policy(policy_.file, shared_.dry_run);
  for (ScheduledRule& rule : rules_) rule.rule_run.publish(shared_.published);
  has_joint_rules_ =
      std::ranges::any_of(rules_, [](const ScheduledRule& rule) { return rule.concerns_all() && !rule.is_left_out; });
  if (!has_joint_rules_) agreement_.finish();
  prepare_hooks();
  if (is_followed()) look_at_all(Kind::start);
  start_clock();
}

/// Whether the tool is switched on: MPI_Init and MPI_Finalize reach it in any case. Where ranks look together, all of them.
bool PolicyRun::is_followed() const {
  const cairn_tool_instance& tool = self_.raw();
  const auto* const stack = static_cast<const cairn_stack*>(tool.find(&tool, CAIRN_STACK, CAIRN_STACK_VERSION));
  const bool is_on = stack == nullptr || stack->is_active(self_.level()) != 0;
  return has_joint_rules_ ? !agreement_.any(!is_on) : is_on;
}

void PolicyRun::prepare_rules() {
  for (const Rule& rule : policy_.rules) rules_.emplace_back(rule, feed_, library_, journal_, shared_.dry_run);
  settle_faults();
}

/// Tells all ranks which rules concern all of them, and which cannot work on some rank.
void PolicyRun::settle_faults() {
  std::vector<double> concerns;
  for (const ScheduledRule& rule : rules_) concerns.push_back(rule.concerns_all());
  concerns.push_back(0);
  agreement_.max(concerns);
  const bool any = std::ranges::find(concerns, 1) != concerns.end();
  const std::vector<bool> is_uneven = find_uneven_rules();
  std::vector<double> faults;
  for (std::size_t i = 0; i < rules_.size(); ++i) {
    ScheduledRule& rule = rules_[i];
    if (concerns[i] > 0 || (any && stops(rule.rule_run.rule()))) rule.rule_run.concern_all();
    const std::string fault = fault_of(rule, is_uneven[i]);
    if (!fault.empty()) faults_.push_back("rule '" + rule.rule_run.rule().title + "' is left out: " + fault);
    rule.is_left_out = !fault.empty() || !rule.rule_run.is_for(observed_.rank);
    faults.push_back(rule.is_left_out);
  }
  faults.push_back(0);
  agreement_.max(faults);
  for (std::size_t i = 0; i < rules_.size(); ++i)
    if (rules_[i].concerns_all()) rules_[i].is_left_out = faults[i] > 0;
}

/// Why the rule cannot work here; "": it can.
std::string PolicyRun::fault_of(const ScheduledRule& rule, bool is_uneven) const {
  if (const std::string fault = rule.rule_run.fault(); !fault.empty()) return fault;
  if (!rule.rule_run.is_for_any_below(observed_.ranks))
    return "none of its ranks is in this job of " + std::to_string(observed_.ranks);
  const std::string& function = rule.trigger.function;
  if (rule.trigger.kind == Kind::calls) {
    if (rule.function == Function::count) return "this MPI has no function " + function;
    if (!is_place_to_look(cairn::facts(rule.function).category)) return "calls of " + function + " are not counted";
    if (rule.concerns_all() && !is_collective(rule.function))
      return "its setting must be the same on all ranks, which do not call " + function +
             " together: 'every N s', or 'every N calls of' a collective function";
  }
  if (rule.concerns_all() && is_uneven)
    return "on another rank its variable is missing, or has another number of elements";
  return "";
}

/// Rules that set variables whose number of elements differs between ranks.
std::vector<bool> PolicyRun::find_uneven_rules() {
  std::vector<double> counts{0};  // each and its negative: the maximum and the minimum
  for (const ScheduledRule& rule : rules_)
    for (const std::size_t count : rule.rule_run.element_counts())
      for (const double sign : {1.0, -1.0}) counts.push_back(sign * static_cast<double>(count));
  agreement_.max(counts);
  std::vector<bool> uneven;
  std::size_t at = 1;
  for (const ScheduledRule& rule : rules_) {
    uneven.push_back(false);
    for (std::size_t i = 0; i < rule.rule_run.element_counts().size(); ++i, at += 2)
      uneven.back() = uneven.back() || counts[at] != -counts[at + 1];
  }
  return uneven;
}

void PolicyRun::prepare_hooks() {
  for_each_input(policy_, [&](const Input& input) {
    const Function function = function_named(input.name);
    if (function == Function::count) return;
    Hook& hook = hooks_[static_cast<std::size_t>(function)];
    if (input.kind == Input::Kind::calls || input.kind == Input::Kind::time) hook.counted = true;
    if (input.kind == Input::Kind::time) hook.timed = true;
  });
  for (ScheduledRule& rule : rules_) {
    const cairn::policy::Trigger& trigger = rule.trigger;
    if (rule.is_left_out) continue;
    if (trigger.kind == Kind::calls && rule.concerns_all()) {
      rule.joint_calls_left = rule.calls_per_look();
    } else if (trigger.kind == Kind::calls) {
      Hook& hook = hooks_[static_cast<std::size_t>(rule.function)];
      hook.counted = true;
      hook.triggers = true;
      rule.next_calls = rule.calls_per_look();
      std::atomic<std::uint64_t>& next_look = calls_[static_cast<std::size_t>(rule.function)].next_look;
      next_look.store(std::min(next_look.load(), rule.next_calls));
    } else if (trigger.kind == Kind::seconds) {
      rule.next_s = trigger.count;
      if (!rule.concerns_all()) period_s_ = period_s_ == 0 ? trigger.count : std::min(period_s_, trigger.count);
    }
  }
}

void PolicyRun::start_clock() {
  if (period_s_ == 0) return;
  const auto tick = [this] { time_is_up_.store(true, std::memory_order_relaxed); };
  if (!clock_.start(period_s_, tick))
    self_.warn("rules with 'every N s' are not followed: the system cannot create another thread");
}

void PolicyRun::finish() {
  clock_.stop();
  time_is_up_.store(false, std::memory_order_relaxed);
  if (is_followed()) look_at_all(Kind::end);
  if (!is_over_)
    for (ScheduledRule& rule : rules_) rule.rule_run.end_trial(observed_.elapsed_s());
  agreement_.finish();
  library_.finish();
}

void PolicyRun::retire() {
  clock_.stop();
  const auto end = [this] {
    is_over_ = true;
    for (ScheduledRule& rule : rules_) rule.rule_run.end_trial(observed_.elapsed_s());
    library_.finish();
  };
  alone(end, true);
  agreement_.finish();
}

/// The dying thread may be looking at a rule itself, so the wait is short.
Journal PolicyRun::so_far() {
  bool is_busy = true;
  for (int i = 0; i < 100 && is_busy; ++i) {
    is_busy = looking_.exchange(true, std::memory_order_acquire);
    if (is_busy) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  Journal journal = journal_;
  journal.ranks = 1;
  journal.run_s = observed_.elapsed_s();
  for (ScheduledRule& rule : rules_) journal.rules.push_back(rule.rule_run.figures());
  journal.timed_calls = observed_.timed_calls();
  journal.timing = observed_.timing();
  if (!is_busy) looking_.store(false, std::memory_order_release);
  return journal;
}

template <class What>
void PolicyRun::alone(What what, bool wait) {
  const cairn::OwnWork own;
  while (looking_.exchange(true, std::memory_order_acquire)) {
    if (!wait) return;
    std::this_thread::yield();
  }
  what();
  looking_.store(false, std::memory_order_release);
}

void PolicyRun::look(ScheduledRule& rule) {
  if (rule.is_left_out || is_over_) return;
  shared_.looks.fetch_add(1, std::memory_order_relaxed);
  observed_.mine().timing.looked();
  is_over_ = rule.rule_run.look(observed_.elapsed_s(), observed_.rank, rule.concerns_all() ? &agreement_ : nullptr);
  if (is_over_)
    for (ScheduledRule& each : rules_) each.rule_run.end_trial(rule.rule_run.looked_at());
}

/// For the start and the end on all ranks together; for phases on this rank.
void PolicyRun::look_at_all(Kind kind) {
  for (ScheduledRule& rule : rules_)
    if (rule.trigger.kind == kind) look(rule);
}

void PolicyRun::look_in_time() {
  alone([this] {
    time_is_up_.store(false, std::memory_order_relaxed);
    const double now = observed_.elapsed_s() + 1e-3;  // the clock may be early by a hair
    for (ScheduledRule& rule : rules_) {
      if (rule.trigger.kind != Kind::seconds || rule.concerns_all() || now < rule.next_s) continue;
      rule.next_s = std::max(rule.next_s, now - rule.trigger.count) + rule.trigger.count;
      look(rule);
    }
  });
}

/// A thread that comes while another one looks goes on; the next call is soon enough.
void PolicyRun::look_after_calls(Function function) {
  alone([this, function] {
    CountedCalls& calls = calls_[static_cast<std::size_t>(function)];
    const std::uint64_t so_far = calls.so_far.load(std::memory_order_relaxed);
    std::uint64_t next_look = UINT64_MAX;
    for (ScheduledRule& rule : rules_) {
      if (rule.next_calls == 0 || rule.function != function) continue;
      if (so_far >= rule.next_calls) {
        rule.next_calls = (so_far / rule.calls_per_look() + 1) * rule.calls_per_look();
        look(rule);
      }
      next_look = std::min(next_look, rule.next_calls);
    }
    calls.next_look.store(next_look, std::memory_order_relaxed);
  });
}

void PolicyRun::look_at_phase() {
  alone([this] { look_at_all(Kind::phase); });
}

/// Every rank counts the same joint calls, so that all look in the same one.
void PolicyRun::look_in_joint_call(Function function) {
  const auto look_where_due = [this, function] {
    if (is_over_) return;
    for (ScheduledRule& rule : rules_) {
      if (!rule.concerns_all() || rule.is_left_out) continue;
      const bool is_counted = rule.trigger.kind == Kind::calls && rule.function == function;
      if ((!is_counted && rule.trigger.kind != Kind::seconds) || --rule.joint_calls_left > 0) continue;
      if (is_counted) {
        look(rule);
        rule.joint_calls_left = rule.calls_per_look();
      } else {
        exchange_times(rule);
      }
    }
  };
  alone(look_where_due, true);
}

/// The ranks tell each other the time, and look if it has come, or nearly: joint calls do not keep time exactly.
void PolicyRun::exchange_times(ScheduledRule& rule) {
  const double period_s = rule.trigger.count;
  observed_.mine().timing.looked();
  std::vector<double> now{observed_.elapsed_s()};
  agreement_.max(now);
  if (now[0] >= rule.next_s - 0.1 * period_s) {
    look(rule);
    rule.next_s = std::max(rule.next_s, now[0] - period_s) + period_s;
  }
  set_pace(rule, now[0]);
}

/// As many joint calls as will take until the next look, judging by those since the last exchange; from numbers that
/// all ranks have.
void PolicyRun::set_pace(ScheduledRule& rule, double now) {
  const double took_s = std::max(now - rule.exchanged_s, 1e-9);
  const auto apart = static_cast<double>(rule.joint_calls_apart);
  rule.exchanged_s = now;
  rule.joint_calls_apart = static_cast<std::uint64_t>(std::clamp(apart * (rule.next_s - now) / took_s, 1.0, 2 * apart));
  rule.joint_calls_left = rule.joint_calls_apart;
}

}  // namespace policy
