// SPDX-License-Identifier: BSD-3-Clause
// policy_run.hpp - a policy in a running program: which rule is looked at when
//
// Rules of one rank are looked at in the program's calls: when a clock thread says that time is up, when enough calls
// of a function were made, when the phase changes. Rules that concern all ranks are looked at in joint calls
// (agreement.hpp), which every rank counts alike. One thread looks at a time; a second one goes on without looking.
#pragma once

#include <array>
#include <atomic>
#include <bitset>
#include <deque>

#include "cairn/kit/own_work.hpp"
#include "cairn/kit/self.hpp"
#include "rule_run.hpp"
#include "shared/agreement.hpp"
#include "shared/helper_thread.hpp"

namespace policy {

using Functions = std::bitset<cairn::function_count>;

/// What the tool does in a call of a function.
struct Hook {
  bool counted = false;
  bool timed = false;
  bool triggers = false;  // looks at rules after so many calls
};

/// The process's calls of a function after which rules are looked at; any thread counts.
struct CountedCalls {
  std::atomic<std::uint64_t> so_far{0};
  std::atomic<std::uint64_t> next_look{UINT64_MAX};
};

class PolicyRun {
 public:
  /// What all policies of an instance have in common.
  struct Shared {
    cairn::Self self;
    std::string title;
    bool dry_run = false;
    Published published = {};
    std::atomic<unsigned long> looks{0};
    Clock::time_point started_at = {};  // MPI_Init has returned
  };

  PolicyRun(Shared& shared, cairn::policy::Policy policy);

  /// The functions whose calls matter to the policy, whatever its variables turn out to be.
  Functions wanted() const;
  /// Those that can matter to any policy.
  static Functions wanted_by_any();

  /// After MPI_Init, and before MPI_Finalize; collective. Rules that cannot work are left out, with a warning.
  void start();
  void finish();
  /// Later, in a joint call: only if all rules can work. "", or why it is not followed.
  std::string start_whole();
  /// Nothing is looked at any more, not even at the end. Collective.
  void retire();
  /// On any thread; calls no MPI, as the process may be dying.
  Journal so_far();
  Observed& observed() { return observed_; }

  const Hook& hook(Function function) const { return hooks_[static_cast<std::size_t>(function)]; }
  bool time_is_up() const { return time_is_up_.load(std::memory_order_relaxed); }
  bool has_joint_rules() const { return has_joint_rules_; }
  shared::Agreement& agreement() { return agreement_; }

  void look_in_time();
  /// Before a call that triggers rules.
  void count_towards_look(Function function) {
    CountedCalls& calls = calls_[static_cast<std::size_t>(function)];
    if (calls.so_far.fetch_add(1, std::memory_order_relaxed) + 1 >= calls.next_look.load(std::memory_order_relaxed))
        [[unlikely]]
      look_after_calls(function);
  }
  void look_at_phase();
  /// Before a blocking collective call over all processes.
  void look_in_joint_call(Function function);

 private:
  using Kind = cairn::policy::Trigger::Kind;
  struct ScheduledRule {
    ScheduledRule(const cairn::policy::Rule& rule, Feed& feed, Library& library, Journal& journal, bool dry_run)
        : rule_run(rule, feed, library, journal, dry_run),
          trigger(*rule.trigger),
          function(function_named(trigger.function)) {}

    bool concerns_all() const { return rule_run.concerns_all(); }
    /// `every N calls of` gives the N.
    std::uint64_t calls_per_look() const { return static_cast<std::uint64_t>(trigger.count); }

    RuleRun rule_run;
    const cairn::policy::Trigger& trigger;
    Function function;  // whose calls trigger it
    bool is_left_out = false;
    double next_s = 0;             // `every N s`: when it is due
    std::uint64_t next_calls = 0;  // `every N calls of`: after so many
    // Of rules that concern all ranks:
    std::uint64_t joint_calls_left = 1;   // until the ranks look at it, or exchange their times
    std::uint64_t joint_calls_apart = 1;  // between the last two exchanges of times
    double exchanged_s = 0;               // when the last one was
  };

  bool is_followed() const;
  std::string prepare();
  void begin();
  void prepare_rules();
  void settle_faults();
  std::vector<bool> find_uneven_rules();
  void prepare_hooks();
  void start_clock();
  std::string fault_of(const ScheduledRule& rule, bool is_uneven) const;
  void look(ScheduledRule& rule);
  void look_at_all(Kind kind);
  void look_after_calls(Function function);
  void exchange_times(ScheduledRule& rule);
  void set_pace(ScheduledRule& rule, double now);
  template <class What>
  void alone(What what, bool wait = false);

  Shared& shared_;
  const cairn::Self& self_ = shared_.self;
  cairn::policy::Policy policy_;
  Observed observed_;
  Library library_;
  Feed feed_{library_, observed_};
  Journal journal_;
  std::vector<std::string> faults_;  // of rules that are left out here
  shared::Agreement agreement_{2};
  std::deque<ScheduledRule> rules_;
  std::array<Hook, cairn::function_count> hooks_{};
  std::array<CountedCalls, cairn::function_count> calls_{};
  bool has_joint_rules_ = false;  // there are rules that concern all ranks
  bool is_over_ = false;
  std::atomic<bool> looking_{false};
  std::atomic<bool> time_is_up_{false};

  double period_s_ = 0;  // of the clock; 0: none is needed
  shared::HelperThread clock_;
};

}  // namespace policy
