// SPDX-License-Identifier: BSD-3-Clause
// vars.cc - what MPI calls do to performance variables: the handler around each call, and the report at the end
//
// The library's variables are read before and after a call, or every n-th where that would cost too much (rate.hpp),
// and the difference belongs to the function, the region and, if asked for, the place of the call.

#include <mpi.h>

#include "cairn/kit.hpp"
#include "cairn/kit/per_request.hpp"
#include "cairn/kit/results.hpp"
#include "cairn/kit/variables.hpp"
#include "cairn/services/ranks.hpp"
#include "cairn/services/symbols.hpp"
#include "gather.hpp"
#include "report.hpp"
#include "shared/helper_thread.hpp"
#include "watcher.hpp"

namespace vars {

using cairn::Category;
using cairn::Function;
using cairn::Role;

/// Calls that do no communication of their own are none of ours.
template <Function F>
constexpr bool is_watched() {
  constexpr Category category = cairn::facts(F).category;
  return category != Category::tool_interface && category != Category::conversion && category != Category::lifecycle &&
         (category != Category::environment || F == Function::MPI_Pcontrol_);
}

/// Those made by calls that return at once are there only later.
template <Function F>
constexpr bool makes_object() {
  return is_watched<F>() && !cairn::has<F>(Role::new_request) &&
         (cairn::has<F>(Role::new_comm) || cairn::has<F>(Role::new_win) || cairn::has<F>(Role::new_file) ||
          cairn::has<F>(Role::new_errhandler) || cairn::has<F>(Role::new_group) || cairn::has<F>(Role::new_op) ||
          cairn::has<F>(Role::new_info));
}
template <Function F>
constexpr bool makes_object_later() {
  return cairn::has<F>(Role::new_comm) && cairn::has<F>(Role::new_request);
}
template <Function F>
constexpr bool frees_object() {
  return is_watched<F>() &&
         (cairn::has<F>(Role::comm_inout) || cairn::has<F>(Role::win_inout) || cairn::has<F>(Role::file_inout) ||
          cairn::has<F>(Role::errhandler_inout) || cairn::has<F>(Role::group_inout) || cairn::has<F>(Role::op_inout) ||
          cairn::has<F>(Role::info_inout));
}
template <Function F>
constexpr bool touches_object() {
  return makes_object<F>() || makes_object_later<F>() || frees_object<F>();
}

class Vars {
 public:
  using Needs = cairn::ServiceList<cairn::Frees, cairn::Ranks, cairn::Requests, cairn::ToolCalls>;
  static constexpr std::string_view about =
      "what MPI calls do to the MPI library's performance variables (MPI_T), by function and region";
  static constexpr bool obeys_levels = true;
  struct Options {
    std::string_view names = "*";
    std::string_view classes = "*";
    std::string_view verbosity = "mpidev_all";
    cairn::Percent budget{2};
    bool calls = true;
    cairn::Duration every;
    bool thread = false;
    bool series = false;
    bool ranks = false;
    cairn::EveryNth refresh{1000};
    unsigned pass = 0;
    bool sites = false;
    bool split = false;
    bool all = false;
    unsigned top = 20;
    bool table = true;
    template <class Visit>
    constexpr void describe(Visit visit) {
      visit("names", names, "variables to read, with *, ? and [...], joined by +");
      visit("classes", classes, "their classes, joined by +: counter, timer, level, event and so on");
      visit("verbosity", verbosity, "up to which verbosity, from user_basic to mpidev_all");
      visit("budget", budget, "percent of the run that reading may cost, by reading every n-th call; 0: every call");
      visit("calls", calls, "whether changes are attributed to calls: on or off");
      visit("every", every, "samples all variables at this interval, such as 100ms or 2s; off: not");
      visit("thread", thread,
            "whether a thread of the tool's samples, not the first call after the interval: on or off");
      visit("series", series, "whether the values over time are kept: on or off");
      visit("ranks", ranks, "whether each rank's figures are kept, and its series: on or off");
      visit("refresh", refresh, "calls that are read between two looks for new variables");
      visit("pass", pass, "reads so many calls, then only variables that moved until then; 0: all to the end");
      visit("sites", sites, "whether places of calls are told apart: on or off");
      visit("split", split, "whether objects and elements of arrays are told apart: on or off");
      visit("all", all, "whether variables that never changed are reported too: on or off");
      visit("top", top, "rows of the table on the terminal");
      visit("table", table, "whether the table is shown: on or off");
    }
  };

  Vars(cairn::Self self, const Options& options)
      : self_(self),
        symbols_(self.find<cairn::Symbols>()),
        options_(options),
        monitor_(Choice(options.names, options.classes, options.verbosity), self.need<cairn::Ranks>(), options.split,
                 options.budget.value, options.refresh.n, options.pass, options.every.seconds, options.series),
        watcher_(monitor_, self.need<cairn::Frees>(), options.calls, options.sites),
        made_later_(self, *this) {
    offer_statistics(cairn::Variables(self));
  }

  template <Function F>
  requires(is_watched<F>() && !touches_object<F>()) auto on(cairn::Call<F>& call) { return watcher_.watch(call); }

  template <Function F>
  requires(makes_object<F>()) int on(cairn::Call<F>& call) {
    const int result = watcher_.watch(call);
    if (result == MPI_SUCCESS) add_made(call);
    return result;
  }

  template <Function F>
  requires(makes_object_later<F>()) int on(cairn::Call<F>& call) {
    const int result = watcher_.watch(call);
    if (result == MPI_SUCCESS && watcher_.is_active()) made_later_.attach(call, {arg<Role::new_comm>(call)});
    return result;
  }

  template <Function F>
  requires(frees_object<F>()) int on(cairn::Call<F>& call) {
    const auto freed = freed_object(call);
    watcher_.remove_object(freed.kind, freed.handle);
    const int result = watcher_.watch(call);
    if (result != MPI_SUCCESS && !freed.is_null) watcher_.add_object(freed.kind, freed.handle);
    return result;
  }

  int on(cairn::Call<Function::MPI_Pcontrol_>& call) {
    if (!watcher_.is_active()) return call.proceed();
    const Watcher::Watched watched = watcher_.enter(Function::MPI_Pcontrol_, {call.caller(), call.frame()});
    const int result = call.proceed();
    watcher_.leave(watched, Function::MPI_Pcontrol_, call.caller());
    if (watched.thread != nullptr) watcher_.regions().hear(call, watched.thread->regions);
    results_.hear(arg<Role::level>(call));
    return result;
  }
  int on(cairn::Call<Function::MPI_Comm_set_name_>& call) {
    const int result = watcher_.watch(call);
    watcher_.rename_object(Bound::communicator, arg<Role::comm>(call));
    return result;
  }
  int on(cairn::Call<Function::MPI_Win_set_name_>& call) {
    const int result = watcher_.watch(call);
    watcher_.rename_object(Bound::window, arg<Role::win>(call));
    return result;
  }

  template <Function F>
  requires(cairn::starts_mpi<F>()) int on(cairn::Call<F>& call) { return start_after(call.proceed()); }

  /// By MPI_Comm_idup and its like, once the request is complete.
  struct MadeLater {
    MPI_Comm* place;
  };
  void completed(MadeLater& made, const MPI_Status* /*status*/) {
    if (*made.place != MPI_COMM_NULL) watcher_.add_object(Bound::communicator, *made.place);
  }

  void finish() {
    const cairn::World world(self_);
    results_.end();
    const bool was_active = watcher_.stop();
    helper_.stop();
    if (was_active) watcher_.finish();
    Summary summary = own_summary();
    align_with_others(summary, world);
    if (options_.ranks) keep_by_rank(summary, world.world_rank());
    const bool is_root = results_.gather(world, summary, [](Summary& to, const Summary& from) { add(to, from); });
    monitor_.withdraw();
    if (!is_root) return;
    if (!options_.all) drop_unchanged(summary);
    name_places(summary, symbols_);
    results_.show(format_table(summary, options_.top), options_.table);
    results_.write(format_json(summary));
  }

 private:
  template <class Handle>
  struct Freed {
    Freed(Bound what, const Handle* given, Handle null)
        : kind(what), handle(given == nullptr ? null : *given), is_null(handle == null) {}
    Bound kind;
    Handle handle;
    bool is_null;
  };

  template <Function F>
  static auto freed_object(const cairn::Call<F>& call) {
    if constexpr (cairn::has<F>(Role::comm_inout))
      return Freed<MPI_Comm>{Bound::communicator, arg<Role::comm_inout>(call), MPI_COMM_NULL};
    else if constexpr (cairn::has<F>(Role::win_inout))
      return Freed<MPI_Win>{Bound::window, arg<Role::win_inout>(call), MPI_WIN_NULL};
    else if constexpr (cairn::has<F>(Role::file_inout))
      return Freed<MPI_File>{Bound::file, arg<Role::file_inout>(call), MPI_FILE_NULL};
    else if constexpr (cairn::has<F>(Role::errhandler_inout))
      return Freed<MPI_Errhandler>{Bound::errhandler, arg<Role::errhandler_inout>(call), MPI_ERRHANDLER_NULL};
    else if constexpr (cairn::has<F>(Role::group_inout))
      return Freed<MPI_Group>{Bound::group, arg<Role::group_inout>(call), MPI_GROUP_NULL};
    else if constexpr (cairn::has<F>(Role::op_inout))
      return Freed<MPI_Op>{Bound::op, arg<Role::op_inout>(call), MPI_OP_NULL};
    else return Freed<MPI_Info>{Bound::info, arg<Role::info_inout>(call), MPI_INFO_NULL};
  }

  template <class Handle>
  void add_unless_null(Bound kind, Handle made, Handle null) {
    if (made != null) watcher_.add_object(kind, made);
  }

  template <Function F>
  void add_made(const cairn::Call<F>& call) {
    if constexpr (cairn::has<F>(Role::new_comm)) {
      add_unless_null(Bound::communicator, *arg<Role::new_comm>(call), MPI_COMM_NULL);
    } else if constexpr (cairn::has<F>(Role::new_win)) {
      watcher_.add_object(Bound::window, *arg<Role::new_win>(call));
    } else if constexpr (cairn::has<F>(Role::new_file)) {
      watcher_.add_object(Bound::file, *arg<Role::new_file>(call), arg<Role::file_name>(call));
    } else if constexpr (cairn::has<F>(Role::new_errhandler)) {
      add_unless_null(Bound::errhandler, *arg<Role::new_errhandler>(call), MPI_ERRHANDLER_NULL);
    } else if constexpr (cairn::has<F>(Role::new_group)) {
      add_unless_null(Bound::group, *arg<Role::new_group>(call), MPI_GROUP_NULL);
    } else if constexpr (cairn::has<F>(Role::new_op)) {
      add_unless_null(Bound::op, *arg<Role::new_op>(call), MPI_OP_NULL);
    } else {
      add_unless_null(Bound::info, *arg<Role::new_info>(call), MPI_INFO_NULL);
    }
  }

  int start_after(int result) {
    if (!start_.is_first(result)) return result;
    watcher_.publish(self_.instance());
    if (const int code = watcher_.start(options_.thread); code != MPI_SUCCESS) {
      self_.warn("no variable can be read: MPI_T answers " + name_of_code(code));
      return result;
    }
    results_.begin([this](const std::string& end) { write_part(end); });
    if (options_.thread) start_thread();
    return result;
  }

  void start_thread() {
    if (!monitor_.sampler().is_on()) return;
    if (!monitor_.sources().threads_allowed())
      return self_.warn("it samples at calls of MPI: MPI_T of this library is not for several threads");
    has_thread_ = helper_.start(monitor_.sampler().interval_s(), [this] { watcher_.sample(); });
    if (has_thread_) watcher_.leave_sampling();
    else self_.warn("it samples at calls of MPI: the system cannot create another thread");
  }

  /// On the bus, for whoever reads MPI_T during the run.
  void offer_statistics(const cairn::Variables& variables) {
    variables.counter("calls_read", "calls of MPI around which variables were read",
                      [this] { return static_cast<unsigned long>(monitor_.reads()); });
    variables.counter("calls_missed", "calls that were not read because another thread was reading",
                      [this] { return static_cast<unsigned long>(monitor_.missed_calls()); });
    variables.counter("samples", "times that all variables were sampled",
                      [this] { return static_cast<unsigned long>(monitor_.sampler().times()); });
    variables.timer("reading_time", "seconds that reading and sampling took", [this] { return monitor_.cost_s(); });
    variables.control(
        "sample", "writing a number samples all variables now, at any interval or none",
        [this] { return sample_.load(); }, [this](int number) { return sample_now(number); });
    variables.level("every", "every so many calls are read on average",
                    [this] { return static_cast<unsigned>(monitor_.rate().every()); });
  }

  cairn_answer sample_now(int number) {
    if (!watcher_.is_active()) return CAIRN_NOT_NOW;
    watcher_.sample();
    sample_.store(number);
    return CAIRN_DONE;
  }

  /// What this rank has, where it will not come to the end. First without names: there may be no time for more.
  void write_part(const std::string& end) {
    const bool is_alone = monitor_.leave();
    Summary summary = own_summary();
    if (is_alone) monitor_.stay();
    summary.part = {results_.rank(), end};
    align_series(summary, step_of_series(summary, start_s()), start_s());
    if (!options_.all) drop_unchanged(summary);
    results_.write_part(format_json(summary));
    name_places(summary, symbols_);
    if (options_.sites) results_.write_part(format_json(summary));
  }

  /// Apart, as is what it calls, so that no frame is large.
  [[gnu::noinline]] void align_with_others(Summary& summary, const cairn::World& world) const {
    const double origin = least_start_s(world);
    std::array<double, 1> step = {step_of_series(summary, origin)};
    world.max_everywhere(std::span(step));
    align_series(summary, step[0], origin);
  }
  [[gnu::noinline]] double least_start_s(const cairn::World& world) const {
    return 1e-9 * static_cast<double>(world.least_on_node(static_cast<std::uint64_t>(1e9 * start_s())));
  }

  /// On the node's clock.
  double start_s() const { return on_node(monitor_.started_at()); }

  Summary own_summary() {
    Summary summary = summarize(monitor_, watcher_.regions(), self_.program());
    summary.run = results_.run();
    summary.tool = self_.title();
    summary.budget = options_.budget.value;
    summary.attributes = options_.calls;
    summary.sampling_thread = has_thread_;
    unsigned threads = has_thread_ ? 1 : 0;
    watcher_.for_each_thread([&](const Thread& thread) {
      bool has_called = false;
      for (std::size_t i = 0; i < thread.calls.size(); ++i) {
        const std::uint64_t calls = thread.calls[i];
        if (calls == 0) continue;
        summary.functions[cairn::facts(static_cast<Function>(i)).name].calls += calls;
        has_called = true;
      }
      if (has_called) ++threads;
    });
    summary.cost_at_most = threads > 1 && monitor_.sources().is_shared();
    return summary;
  }

  cairn::Self self_;
  cairn::RunResults results_{self_, "vars"};
  const cairn::Symbols* symbols_;
  Options options_;
  Monitor monitor_;
  Watcher watcher_;
  cairn::PerRequest<MadeLater, Vars> made_later_;
  cairn::MpiStart start_;
  shared::HelperThread helper_;
  bool has_thread_ = false;     // which samples
  std::atomic<int> sample_{0};  // what was written last, to have a sample
};

}  // namespace vars

CAIRN_TOOL(vars::Vars)
