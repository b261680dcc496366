// SPDX-License-Identifier: BSD-3-Clause
// policy_run.cc - triggers

#include "policy_run.hpp"

#include <algorithm>
#include <numeric>
#include <thread>

namespace policy {

using cairn::policy::Action;
using cairn::policy::Expression;
using cairn::policy::Input;
using cairn::policy::Policy;
using cairn::policy::Rule;

namespace {

/// Calls that belong to MPI_T, or only compute, are no places to do anything.
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

}  // namespace

PolicyRun::PolicyRun(cairn::Self self, Policy policy, std::string title, bool dry_run)
    : self_(self), policy_(std::move(policy)), dry_run_(dry_run) {
  journal_.policy = policy_.file;
  journal_.tool = std::move(title);
  journal_.dry_run = dry_run;
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
               facts.category == cairn::Category::communicator_creation ||
               std::string_view(facts.name) == "MPI_Comm_free" || std::string_view(facts.name) == "MPI_Comm_disconnect";
      });
  }
  if (in_phases) add(Function::MPI_Pcontrol_);
  add(Function::MPI_Init_);
  add(Function::MPI_Init_thread_);
  add(Function::MPI_Finalize_);
  add_if([](const cairn::FunctionFacts& facts) { return std::string_view(facts.name) == "MPI_Session_init"; });
  return functions;
}

void PolicyRun::start() {
  const cairn::OwnWork own;
  observed_.start();
  agreement_.start(self_);
  const int code = library_.start();
  if (agreement_.any(code != MPI_SUCCESS)) {
    self_.warn("the policy is not followed: MPI_T answers " +
               (code != MPI_SUCCESS ? mpi_t::name_of_code(code) : "another rank with an error"));
    is_over_ = true;  // everywhere: what follows, all ranks do together
    agreement_.finish();
    return;
  }
  prepare_rules();
  prepare_hooks();
  look_at_all(Kind::start);
  start_clock();
}

void PolicyRun::prepare_rules() {
  for (const Rule& rule : policy_.rules) rules_.emplace_back(rule, feed_, library_, journal_, dry_run_);
  settle_faults();
  const auto concerns_all = [](const Run& run) { return run.run.concerns_all() && !run.is_out; };
  has_beats_ = std::ranges::any_of(rules_, concerns_all);
  if (!has_beats_) agreement_.finish();
}

/// All ranks come to know which rules concern all of them, and which cannot work somewhere.
void PolicyRun::settle_faults() {
  std::vector<double> concerns;
  for (const Run& run : rules_) concerns.push_back(run.run.concerns_all());
  concerns.push_back(0);
  agreement_.max(concerns);
  const bool any = std::ranges::find(concerns, 1) != concerns.end();
  const std::vector<bool> is_uneven = find_uneven_rules();
  std::vector<double> faults;
  for (std::size_t i = 0; i < rules_.size(); ++i) {
    Run& run = rules_[i];
    if (concerns[i] > 0 || (any && stops(run.run.rule()))) run.run.concern_all();
    const cairn::policy::Trigger& trigger = *run.run.rule().trigger;
    std::string fault = run.run.fault();
    if (fault.empty() && trigger.kind == Kind::calls) {
      if (run.function == Function::count) fault = "this MPI has no function " + trigger.function;
      else if (!is_place_to_look(cairn::facts(run.function).category))
        fault = "calls of " + trigger.function + " are not counted";
      else if (run.run.concerns_all() && !is_collective(run.function))
        fault = "its setting must be the same on all ranks, which do not call " + trigger.function +
                " together: 'every N s', or 'every N calls of' a collective function";
    }
    if (fault.empty() && run.run.concerns_all() && is_uneven[i])
      fault = "on another rank its variable is missing, or has another number of elements";
    if (!fault.empty()) self_.warn("rule '" + run.run.rule().title + "' is left out: " + fault);
    run.is_out = !fault.empty() || !run.run.is_for(observed_.rank);
    faults.push_back(run.is_out);
  }
  faults.push_back(0);
  agreement_.max(faults);
  for (std::size_t i = 0; i < rules_.size(); ++i)
    if (rules_[i].run.concerns_all()) rules_[i].is_out = faults[i] > 0;
}

/// Those that set variables whose number of elements differs between ranks.
std::vector<bool> PolicyRun::find_uneven_rules() {
  std::vector<double> counts{0};  // each, then less than nothing: the greatest and the least
  for (const Run& run : rules_)
    for (const std::size_t count : run.run.element_counts())
      for (const double sign : {1.0, -1.0}) counts.push_back(sign * static_cast<double>(count));
  agreement_.max(counts);
  std::vector<bool> uneven;
  std::size_t at = 1;
  for (const Run& run : rules_) {
    uneven.push_back(false);
    for (std::size_t i = 0; i < run.run.element_counts().size(); ++i, at += 2)
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
  for (Run& run : rules_) {
    const cairn::policy::Trigger& trigger = *run.run.rule().trigger;
    const auto count = static_cast<std::uint64_t>(trigger.count);
    if (run.is_out) continue;
    if (trigger.kind == Kind::calls && run.run.concerns_all()) run.beats_left = count;
    else if (trigger.kind == Kind::calls) {
      Hook& hook = hooks_[static_cast<std::size_t>(run.function)];
      hook.counted = true;
      hook.every = std::gcd(hook.every, count);
    } else if (trigger.kind == Kind::seconds) {
      run.next_s = trigger.count;
      if (run.run.concerns_all()) continue;
      period_s_ = period_s_ == 0 ? trigger.count : std::min(period_s_, trigger.count);
    }
  }
}

void PolicyRun::start_clock() {
  if (period_s_ == 0) return;
  const auto tick = [this] { time_is_up_.store(true, std::memory_order_relaxed); };
  if (!clock_.start(period_s_, tick))
    self_.warn("rules with 'every N s' are not looked at: the system gives no further thread");
}

void PolicyRun::finish() {
  clock_.stop();
  time_is_up_.store(false, std::memory_order_relaxed);
  look_at_all(Kind::end);
  if (!is_over_)
    for (Run& each : rules_) each.run.end_trial(observed_.elapsed_s());
  agreement_.finish();
  library_.finish();
}

/// The thread that the process ends in may be at a rule, so it is not waited for long.
Journal PolicyRun::so_far() {
  bool is_busy = true;
  for (int i = 0; i < 100 && is_busy; ++i) {
    is_busy = looking_.exchange(true, std::memory_order_acquire);
    if (is_busy) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  Journal journal = journal_;
  journal.ranks = 1;
  journal.run_s = observed_.elapsed_s();
  for (Run& run : rules_) journal.rules.push_back(run.run.figures());
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

void PolicyRun::look(Run& run) {
  if (run.is_out || is_over_) return;
  looks_.fetch_add(1, std::memory_order_relaxed);
  observed_.mine().timing.looked();
  is_over_ = run.run.look(observed_.elapsed_s(), observed_.rank, run.run.concerns_all() ? &agreement_ : nullptr);
  if (is_over_)
    for (Run& each : rules_) each.run.end_trial(run.run.looked_at());
}

/// On all ranks at once, for the start and the end; phases are a rank's own.
void PolicyRun::look_at_all(Kind kind) {
  for (Run& run : rules_)
    if (run.run.rule().trigger->kind == kind) look(run);
}

void PolicyRun::look_in_time() {
  alone([this] {
    time_is_up_.store(false, std::memory_order_relaxed);
    const double now = observed_.elapsed_s() + 1e-3;  // the clock may be early by a hair
    for (Run& run : rules_) {
      if (run.run.rule().trigger->kind != Kind::seconds || run.run.concerns_all() || now < run.next_s) continue;
      run.next_s = std::max(run.next_s, now - run.run.rule().trigger->count) + run.run.rule().trigger->count;
      look(run);
    }
  });
}

void PolicyRun::look_after_calls(Function function) {
  const std::uint64_t came = hook(function).every;
  alone([this, function, came] {
    for (Run& run : rules_) {
      const cairn::policy::Trigger& trigger = *run.run.rule().trigger;
      if (trigger.kind != Kind::calls || run.run.concerns_all() || run.function != function) continue;
      run.calls += came;
      if (run.calls < static_cast<std::uint64_t>(trigger.count)) continue;
      run.calls = 0;
      look(run);
    }
  });
}

void PolicyRun::look_at_phase() {
  alone([this] { look_at_all(Kind::phase); });
}

/// Every rank counts the same beats, so that all look at the same one.
void PolicyRun::beat(Function function) {
  const cairn::OwnWork own;
  alone(
      [this, function] {
        if (is_over_) return;
        for (Run& run : rules_) {
          const cairn::policy::Trigger& trigger = *run.run.rule().trigger;
          const bool in_calls = trigger.kind == Kind::calls;
          if (!run.run.concerns_all() || run.is_out || (!in_calls && trigger.kind != Kind::seconds)) continue;
          if (in_calls && run.function != function) continue;
          if (--run.beats_left > 0) continue;
          if (!in_calls) {
            meet(run);
            continue;
          }
          look(run);
          run.beats_left = static_cast<std::uint64_t>(trigger.count);
        }
      },
      true);
}

/// The ranks tell each other the time, and look if it has come, or nearly: beats do not keep time exactly.
void PolicyRun::meet(Run& run) {
  const double period_s = run.run.rule().trigger->count;
  observed_.mine().timing.looked();
  std::vector<double> now{observed_.elapsed_s()};
  agreement_.max(now);
  if (now[0] >= run.next_s - 0.1 * period_s) {
    look(run);
    run.next_s = std::max(run.next_s, now[0] - period_s) + period_s;
  }
  set_pace(run, now[0]);
}

/// So many beats as will take until the next look, going by those since the ranks last met; from numbers that all of
/// them have.
void PolicyRun::set_pace(Run& run, double now) {
  const double took_s = std::max(now - run.met_s, 1e-9);
  const double wanted = static_cast<double>(run.beats_apart) * (run.next_s - now) / took_s;
  run.met_s = now;
  run.beats_apart = static_cast<std::uint64_t>(std::clamp(wanted, 1.0, 2.0 * static_cast<double>(run.beats_apart)));
  run.beats_left = run.beats_apart;
}

}  // namespace policy
