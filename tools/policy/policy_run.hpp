// SPDX-License-Identifier: BSD-3-Clause
// policy_run.hpp - a policy in a running program: which rule is looked at when
//
// Rules of one rank are looked at in the program's calls: when a clock thread says that time is up, when enough calls
// of a function have come, when the phase changes. Rules that concern all ranks are looked at in beats (agreement.hpp),
// which every rank counts alike. One thread looks at a time; a second one goes on without looking.
#pragma once

#include <array>
#include <atomic>
#include <bitset>
#include <deque>

#include "agreement.hpp"
#include "cairn/kit/own_work.hpp"
#include "cairn/kit/self.hpp"
#include "rule_run.hpp"
#include "shared/helper_thread.hpp"

namespace policy {

using Functions = std::bitset<cairn::function_count>;

/// What a call of a function has to do.
struct Hook {
  std::uint64_t every = 0;  // looks at rules after so many calls of a thread; 0: never
  bool counted = false;
  bool timed = false;
};

class PolicyRun {
 public:
  PolicyRun(cairn::Self self, cairn::policy::Policy policy, std::string title, bool dry_run);

  /// The functions whose calls matter to the policy, whatever the variables turn out to be.
  Functions wanted() const;

  /// After MPI_Init, and before MPI_Finalize; collective.
  void start();
  void finish();
  /// On any thread, and without MPI: the process may be about to end.
  Journal so_far();
  Observed& observed() { return observed_; }

  const Hook& hook(Function function) const { return hooks_[static_cast<std::size_t>(function)]; }
  bool time_is_up() const { return time_is_up_.load(std::memory_order_relaxed); }
  bool has_beats() const { return has_beats_; }
  Agreement& agreement() { return agreement_; }
  const std::atomic<unsigned long>& looks() const { return looks_; }

  void look_in_time();
  void look_after_calls(Function function);
  void look_at_phase();
  void beat(Function function);

 private:
  using Kind = cairn::policy::Trigger::Kind;
  struct Run {
    Run(const cairn::policy::Rule& rule, Feed& feed, Library& library, Journal& journal, bool dry_run)
        : run(rule, feed, library, journal, dry_run), function(function_named(rule.trigger->function)) {}
    RuleRun run;
    Function function;  // whose calls lead to a look
    bool is_out = false;
    double next_s = 0;              // of a rule looked at in time
    double met_s = 0;               // of one that concerns all: when the ranks told each other the time
    std::uint64_t calls = 0;        // of a rule looked at after calls: since its last look
    std::uint64_t beats_left = 1;   // of a rule that concerns all
    std::uint64_t beats_apart = 1;  // between the last two times that ranks met for it
  };

  void prepare_rules();
  void settle_faults();
  std::vector<bool> find_uneven_rules();
  void prepare_hooks();
  void start_clock();
  void look(Run& run);
  void look_at_all(Kind kind);
  void meet(Run& run);
  void set_pace(Run& run, double now);
  template <class What>
  void alone(What what, bool wait = false);

  cairn::Self self_;
  cairn::policy::Policy policy_;
  bool dry_run_;
  Observed observed_;
  Library library_;
  Feed feed_{library_, observed_};
  Journal journal_;
  Agreement agreement_;
  std::deque<Run> rules_;
  std::array<Hook, cairn::function_count> hooks_{};
  bool has_beats_ = false;
  bool is_over_ = false;
  std::atomic<unsigned long> looks_{0};
  std::atomic<bool> looking_{false};
  std::atomic<bool> time_is_up_{false};

  double period_s_ = 0;  // of the clock; 0: none is needed
  shared::HelperThread clock_;
};

}  // namespace policy
