// SPDX-License-Identifier: BSD-3-Clause
// policy.cc - follows a policy while the program runs: the handlers that lead to its rules, and the report

#include <mpi.h>

#include "cairn/kit.hpp"
#include "cairn/kit/results.hpp"
#include "cairn/kit/variables.hpp"
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
      visit("file", file, "path of the policy (docs/policies.md)");
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
        run_(self, cairn::policy::read_policy(std::string(options.file)), self.title(), options.dry_run),
        results_(self, "policy") {
    frees_.listen(&listener_);
    const cairn::Variables variables(self);
    variables.counter("looks", "times that a rule of the policy was looked at on this rank", run_.looks());
  }

  /// Calls of other functions bypass the tool.
  Functions wanted() const { return run_.wanted(); }

  template <cairn::Function F>
  requires(cairn::facts(F).category != Category::tool_interface && cairn::facts(F).category != Category::conversion &&
           cairn::facts(F).category != Category::lifecycle) auto on(cairn::Call<F>& call) {
    if (!active_.load(std::memory_order_relaxed) || cairn::is_tools_call()) return call.proceed();
    if (run_.time_is_up()) [[unlikely]]
      run_.look_in_time();
    if constexpr (F == Function::MPI_Pcontrol_) return hear(call);
    if constexpr (may_be_joint<F>())
      if (run_.has_joint_rules() && run_.agreement().has_all_ranks(arg<Role::comm>(call))) run_.look_in_joint_call(F);
    const auto result = count(call);
    if constexpr (cairn::has<F>(Role::new_comm) && !cairn::has<F>(Role::new_request))
      if (result == MPI_SUCCESS && run_.has_joint_rules()) run_.agreement().add(*arg<Role::new_comm>(call), frees_);
    return result;
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
    run_.finish();
    Journal journal = so_far();
    if (results_.gather(world, journal, [](Journal& into, const Journal& other) { into.add(other); })) {
      results_.show(format_table(journal, options_.top), options_.table);
      results_.write(format_json(journal));
    }
    results_.end();
  }

 private:
  Journal so_far() {
    Journal journal = run_.so_far();
    journal.run = results_.run();
    return journal;
  }

  /// This rank's journal, if it will not reach MPI_Finalize.
  void write_part(const std::string& end) {
    Journal journal = so_far();
    journal.part = {results_.rank(), end};
    results_.write_part(format_json(journal));
  }

  template <Function F>
  static constexpr bool may_be_joint() {
    return cairn::facts(F).category == Category::collective && cairn::has<F>(Role::comm);
  }

  template <Function F>
  auto count(cairn::Call<F>& call) {
    const Hook& hook = run_.hook(F);
    if (!hook.counted) return call.proceed();
    constexpr auto index = static_cast<std::size_t>(F);
    Thread& mine = run_.observed().mine();
    ++mine.calls[index];
    if (hook.every != 0 && ++mine.since_look[index] == hook.every) {
      mine.since_look[index] = 0;
      run_.look_after_calls(F);
    }
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

  int hear(cairn::Call<Function::MPI_Pcontrol_>& call) {
    const int result = count(call);
    run_.observed().regions().hear(call, run_.observed().mine().regions);
    run_.look_at_phase();
    return result;
  }

  int start_after(int result) {
    if (!start_.is_first(result)) return result;
    run_.start();
    active_.store(true);
    results_.begin([this](const std::string& end) { write_part(end); });
    return result;
  }

  cairn::Self self_;
  Options options_;
  const cairn::Frees& frees_;
  PolicyRun run_;
  cairn::FreeListener listener_{
      &run_, [](void* run, MPI_Comm comm) { static_cast<PolicyRun*>(run)->agreement().remove(comm); }, nullptr,
      nullptr};
  std::atomic<bool> active_{false};  // between MPI_Init and MPI_Finalize
  cairn::MpiStart start_;
  cairn::MpiStart sessions_;  // without MPI_Init
  cairn::RunResults results_;
};

}  // namespace policy

CAIRN_TOOL(policy::PolicyTool)
