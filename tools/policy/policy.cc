// SPDX-License-Identifier: BSD-3-Clause
// policy.cc - follows a policy while the program runs: the handlers that lead to its rules, and the report

#include <mpi.h>

#include <mutex>
#include <optional>

#include "cairn/kit.hpp"
#include "cairn/kit/results.hpp"
#include "cairn/kit/variables.hpp"
#include "handover.hpp"
#include "policy_run.hpp"

namespace policy {

using cairn::Category;
using cairn::Role;

class PolicyTool {
 public:
  static constexpr std::string_view about =
      "follows a policy: watches variables and sets others while the program runs";
  struct Options {
    std::string_view file = "";
    bool dry_run = false;
    unsigned top = 30;
    bool table = true;
    template <class Visit>
    constexpr void describe(Visit visit) {
      visit("file", file, "path of the policy (docs/policies.md); without it, the page of 'cairn live' gives one");
      visit("dry_run", dry_run, "whether nothing is changed, only reported: on or off");
      visit("top", top, "events shown in the report");
      visit("table", table, "whether the report is shown: on or off");
    }
  };

  using Needs = cairn::ServiceList<cairn::Frees, cairn::ToolCalls>;

  PolicyTool(cairn::Self self, const Options& options)
      : self_(self),
        options_(options),
        frees_(self.need<cairn::Frees>()),
        shared_{self, self.title(), options.dry_run},
        named_(options.file.empty() ? nullptr
                                    : new PolicyRun(shared_, cairn::policy::read_policy(std::string(options.file)))),
        results_(self, "policy") {
    frees_.listen(&listener_);
    const cairn::Variables variables(self);
    variables.counter("looks", "how often a rule of the policy was looked at on this rank", shared_.looks);
  }

  /// Calls of other functions bypass the tool.
  Functions wanted() const { return named_ == nullptr ? PolicyRun::wanted_by_any() : named_->wanted(); }

  template <cairn::Function F>
  requires(cairn::facts(F).category != Category::tool_interface && cairn::facts(F).category != Category::conversion &&
           cairn::facts(F).category != Category::lifecycle) auto on(cairn::Call<F>& call) {
    if (!active_.load(std::memory_order_relaxed)) return call.proceed();
    if constexpr (may_be_joint<F>())
      if (named_ == nullptr && arg<Role::comm>(call) == MPI_COMM_WORLD && !cairn::is_tools_call() && handover_.is_due())
          [[unlikely]]
        take_policy();
    PolicyRun* const run = run_.load(std::memory_order_acquire);
    if (run == nullptr || cairn::is_tools_call()) return call.proceed();
    return follow(*run, call);
  }

  int on(cairn::Call<Function::MPI_Init_>& call) { return start_after(call.proceed()); }
  int on(cairn::Call<Function::MPI_Init_thread_>& call) { return start_after(call.proceed()); }

  template <cairn::Function F>
  requires(cairn::starts_mpi<F>() && F != Function::MPI_Init_ &&
           F != Function::MPI_Init_thread_) int on(cairn::Call<F>& call) {
    const int result = call.proceed();
    int has_world = 0;
    PMPI_Initialized(&has_world);
    if (has_world == 0 && sessions_.is_first(result))
      self_.warn("the policy is followed only after MPI_Init, which this program has not called: it uses MPI sessions");
    return result;
  }

  void finish() {
    if (!active_.exchange(false)) return;
    const cairn::World world(self_);
    handover_.finish();
    PolicyRun* const run = run_.load();
    if (run != nullptr) {
      run->finish();
      gather(world, *run);
    }
    shared_.published.end();
    results_.end();
  }

 private:
  template <cairn::Function F>
  auto follow(PolicyRun& run, cairn::Call<F>& call) {
    if (run.time_is_up()) [[unlikely]]
      run.look_in_time();
    if constexpr (F == Function::MPI_Pcontrol_) return hear(run, call);
    if constexpr (may_be_joint<F>())
      if (run.has_joint_rules() && run.agreement().has_all_ranks(arg<Role::comm>(call))) run.look_in_joint_call(F);
    const auto result = count(run, call);
    if constexpr (cairn::has<F>(Role::new_comm) && !cairn::has<F>(Role::new_request))
      if (result == MPI_SUCCESS && run.has_joint_rules()) run.agreement().add(*arg<Role::new_comm>(call), frees_);
    return result;
  }

  void gather(const cairn::World& world, PolicyRun& run) {
    Journal journal = so_far(run);
    if (!results_.gather(world, journal, [](Journal& into, const Journal& other) { into.add(other); })) return;
    results_.show(format_table(journal, options_.top), options_.table);
    results_.write(format_json(journal));
  }

  /// All ranks together. A policy that was followed stays in memory, since other threads may count in it.
  [[gnu::noinline, gnu::cold]] void take_policy() {
    const cairn::OwnWork own;
    const std::optional<Handover::Given> given = handover_.take();
    if (!given) return;
    PolicyRun* made = nullptr;
    std::string why;
    try {
      cairn::policy::Policy policy = cairn::policy::parse_policy(given->text, given->name);
      if (policy.rules.empty()) why = "policy '" + given->name + "' has no rules";
      else made = new PolicyRun(shared_, std::move(policy));
    } catch (const std::exception& problem) {
      why = problem.what();
    }
    if (handover_.any(made == nullptr)) {
      delete made;
      return handover_.refuse(why.empty() ? "it cannot be read on another rank" : why);
    }
    why = made->start_whole();
    if (!why.empty()) return handover_.refuse(why);
    if (PolicyRun* const before = run_.exchange(made, std::memory_order_acq_rel)) {
      before->retire();
      const std::lock_guard lock(before_lock_);
      Journal journal = before->so_far();
      if (before_) journal.follow(*before_);
      before_ = std::move(journal);
    }
    handover_.accept(given->name);
  }

  Journal so_far(PolicyRun& run) {
    Journal journal = run.so_far();
    const std::unique_lock lock(before_lock_, std::try_to_lock);  // the process may be dying in that work
    if (lock && before_) journal.follow(*before_);
    journal.run = results_.run();
    return journal;
  }

  /// This rank's journal, if it will not reach MPI_Finalize.
  void write_part(const std::string& end) {
    PolicyRun* const run = run_.load();
    if (run == nullptr) return;
    Journal journal = so_far(*run);
    journal.part = {results_.rank(), end};
    results_.write_part(format_json(journal));
  }

  template <Function F>
  static constexpr bool may_be_joint() {
    return cairn::facts(F).category == Category::collective && cairn::has<F>(Role::comm);
  }

  template <Function F>
  auto count(PolicyRun& run, cairn::Call<F>& call) {
    const Hook& hook = run.hook(F);
    if (!hook.counted) return call.proceed();
    constexpr auto index = static_cast<std::size_t>(F);
    Thread& mine = run.observed().mine();
    ++mine.calls[index];
    if (hook.triggers) run.count_towards_look(F);
    if (!hook.timed) return call.proceed();
    if (!mine.timing.next_is_timed()) {
      ++mine.untimed[index];
      return call.proceed();
    }
    const Clock::time_point from = Clock::now();
    const auto result = call.proceed();
    mine.time_ns[index] += nanoseconds_between(from, Clock::now());
    return result;
  }

  int hear(PolicyRun& run, cairn::Call<Function::MPI_Pcontrol_>& call) {
    const int result = count(run, call);
    run.observed().regions().hear(call, run.observed().mine().regions);
    run.look_at_phase();
    return result;
  }

  int start_after(int result) {
    if (!start_.is_first(result)) return result;
    shared_.started_at = Clock::now();
    shared_.published.begin(self_);
    if (named_ != nullptr) named_->start();
    else if (const std::string why = handover_.start(self_, shared_.published); !why.empty()) self_.warn(why);
    run_.store(named_);
    active_.store(true);
    results_.begin([this](const std::string& end) { write_part(end); });
    return result;
  }

  void forget(MPI_Comm comm) {
    if (PolicyRun* const run = run_.load()) run->agreement().remove(comm);
  }

  cairn::Self self_;
  Options options_;
  const cairn::Frees& frees_;
  PolicyRun::Shared shared_;
  PolicyRun* named_;                       // the policy that was named at the start; null: one is waited for
  std::atomic<PolicyRun*> run_ = nullptr;  // that is followed
  Handover handover_;
  std::mutex before_lock_;
  std::optional<Journal> before_;  // of policies that were followed before this one
  cairn::FreeListener listener_{this, [](void* tool, MPI_Comm comm) { static_cast<PolicyTool*>(tool)->forget(comm); },
                                nullptr, nullptr};
  std::atomic<bool> active_{false};  // between MPI_Init and MPI_Finalize
  cairn::MpiStart start_;
  cairn::MpiStart sessions_;  // without MPI_Init
  cairn::RunResults results_;
};

}  // namespace policy

CAIRN_TOOL(policy::PolicyTool)
