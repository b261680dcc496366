// SPDX-License-Identifier: BSD-3-Clause
// comm.cc - who sends how much to whom: the handlers, and the files at the end
//
// A call is counted when it has succeeded. The rules are in cairn/kit/moves.hpp and counting.cc, what is kept of it in
// traffic.hpp. The results are gathered when the program finalizes MPI.

#include <mpi.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <mutex>
#include <optional>

#include <unistd.h>

#include "cairn/kit.hpp"
#include "cairn/kit/ranks.hpp"
#include "cairn/kit/results.hpp"
#include "counting.hpp"
#include "history.hpp"
#include "inner.hpp"
#include "monitor.hpp"
#include "output.hpp"
#include "persistent.hpp"
#include "snapshots.hpp"
#include "variables.hpp"

namespace comm {

/// Files that come one after the other, in pieces.
class Matrices {
 public:
  Matrices(cairn::Self self, std::string folder) : self_(self), folder_(std::move(folder)) {}
  void add(const std::string& name, std::string_view text) {
    if (name != name_) {
      keep();
      name_ = name;
      file_.emplace(folder_ + name);
    }
    file_->add(text);
  }
  void keep() {
    if (file_ && !file_->keep()) self_.not_written(folder_ + name_);
    file_.reset();
  }

 private:
  cairn::Self self_;
  std::string folder_;
  std::string name_;
  std::optional<cairn::ResultFile> file_;
};

class Comm {
 public:
  static constexpr std::string_view about =
      "who sends how much to whom: messages, bytes and sizes of each pair of ranks, by phase and communicator";
  static constexpr bool obeys_levels = true;
  struct Options {
    unsigned top = 5;
    bool table = true;
    bool prof = false;
    cairn::Duration every;
    bool files = false;
    unsigned signal = 0;
    bool inner = false;
    bool model = false;
    template <class Visit>
    constexpr void describe(Visit visit) {
      visit("top", top, "pairs of ranks shown on the terminal");
      visit("table", table, "whether anything is shown there: on or off");
      visit("prof", prof, "a text file of each rank too, as Open MPI's monitoring writes it: on or off");
      visit("every", every, "time from one snapshot to the next: 500ms, 2s; off: none");
      visit("signal", signal,
            "number of a signal that asks for a snapshot: 10 (SIGUSR1), 12 (SIGUSR2), 34 to 64; 0: none");
      visit("files", files, "whether programs may have files written by control variables: on or off");
      visit("inner", inner, "on Open MPI also what the library sends by itself, from its own monitoring: on or off");
      visit("model", model,
            "also the messages that MPI libraries usually make of collective calls, by a model: on or off");
    }
  };

  using Needs = cairn::ServiceList<cairn::Datatypes, cairn::Frees, cairn::Ranks, cairn::ToolCalls>;

  Comm(cairn::Self self, const Options& options)
      : self_(self),
        options_(options),
        ranks_(self.need<cairn::Ranks>()),
        moves_(self.need<cairn::Datatypes>(), ranks_),
        monitor_(ranks_, self.need<cairn::Frees>()),
        variables_(self, monitor_, options.files) {
    if (options.inner) start_inner();
    if (options.signal != 0 && !Snapshots::can_ask(options.signal)) {
      self.warn("no snapshots by signal " + std::to_string(options.signal) +
                ": signals that have no other meaning are 10 (SIGUSR1), 12 (SIGUSR2) and 34 to 64");
      options_.signal = 0;
    }
    if ((options.prof || options.every.seconds > 0 || options_.signal != 0) && !self.all_ranks_have_folder())
      self.warn("without --out DIR only rank 0 writes files of its own, as the others do not know the folder");
    variables_.write_snapshot = [this] { return write_wanted_snapshot(); };
    variables_.offer();
  }

  // ---------------------------------------------------------- what is counted

  template <Function F>
  requires(cairn::sends_message<F>()) int on(cairn::Call<F>& call) {
    const int result = call.proceed();
    if (result != MPI_SUCCESS) return result;
    const auto& arguments = std::as_const(call).arguments();
    const int dest = argument<F, Role::dest>(arguments);
    if (dest == MPI_PROC_NULL) return result;
    const MPI_Comm comm = argument<F, Role::comm>(arguments);
    const std::uint64_t bytes = moves_.of_message<F>(arguments);
    if (cairn::is_tools_call()) [[unlikely]] {
      monitor_.add_of_tools(bytes);
      return result;
    }
    if constexpr (cairn::describes_transfer(cairn::facts(F).category))
      describe_message(*argument<F, Role::new_request>(arguments), ranks_.world_rank(comm, dest), bytes);
    else monitor_.add(Kind::p2p, comm, dest, bytes, [&] { return ranks_.world_rank(comm, dest); });
    return result;
  }

  template <Function F>
  requires(cairn::is_collective<F>()) int on(cairn::Call<F>& call) {
    const int result = call.proceed();
    if (result != MPI_SUCCESS) return result;
    const auto& arguments = std::as_const(call).arguments();
    const MPI_Request* request = nullptr;
    if constexpr (cairn::describes_transfer(cairn::facts(F).category))
      request = argument<F, Role::new_request>(arguments);
    collective(cairn::transfer_of<F>(arguments), operation_of<F>(), request);
    return result;
  }

  template <Function F>
  requires(cairn::is_one_sided<F>()) int on(cairn::Call<F>& call) {
    const int result = call.proceed();
    if (result != MPI_SUCCESS) return result;
    const auto& arguments = std::as_const(call).arguments();
    const int target = argument<F, Role::target_rank>(arguments);
    if (target == MPI_PROC_NULL) return result;
    if (cairn::is_tools_call()) [[unlikely]] {
      monitor_.add_of_tools(moves_.sent<F>(arguments));
      return result;
    }
    const MPI_Win win = argument<F, Role::win>(arguments);
    const auto add = [&](Kind kind, std::uint64_t bytes) {
      monitor_.add(kind, win, target, bytes, [&] { return monitor_.windows.world_rank(win, target); });
    };
    if (cairn::Moves::sends_to_target<F>(arguments)) add(Kind::put, moves_.to_target<F>(arguments));
    if constexpr (has<F>(Role::result_buffer)) add(Kind::fetched, moves_.from_target<F>(arguments));
    return result;
  }

  template <Function F>
  requires(accesses_file<F>()) int on(cairn::Call<F>& call) {
    const int result = call.proceed();
    if (result != MPI_SUCCESS) return result;
    const auto& arguments = std::as_const(call).arguments();
    if (cairn::is_tools_call()) [[unlikely]]
      return result;
    if constexpr (has<F>(Role::read_count))
      monitor_.add({Kind::read, 0},
                   moves_.bytes(argument<F, Role::read_count>(arguments), argument<F, Role::read_datatype>(arguments)));
    else
      monitor_.add({Kind::written, 0}, moves_.bytes(argument<F, Role::write_count>(arguments),
                                                    argument<F, Role::write_datatype>(arguments)));
    return result;
  }

  int on(cairn::Call<Function::MPI_Start_>& call) { return started(call, 1, arg<Role::request_inout>(call)); }
  int on(cairn::Call<Function::MPI_Startall_>& call) {
    return started(call, arg<Role::request_count>(call), &arg<Role::requests_inout>(call)[0]);
  }

  // ---------------------------------------------------------- lives of handles, phases

  int on(cairn::Call<Function::MPI_Request_free_>& call) {
    if (const MPI_Request* const request = arg<Role::request_inout>(call)) persistent_.forget(*request);
    return call.proceed();
  }

  int on(cairn::Call<Function::MPI_Comm_set_name_>& call) {
    const int result = call.proceed();
    if (result == MPI_SUCCESS) monitor_.forget(arg<Role::comm>(call));
    return result;
  }

  int on(cairn::Call<Function::MPI_Pcontrol_>& call) {
    monitor_.regions.hear(call, monitor_.thread_regions());
    results_.hear(arg<Role::level>(call));
    return call.proceed();
  }

  template <Function F>
  requires(cairn::starts_mpi<F>()) int on(cairn::Call<F>& call) { return started_mpi(call.proceed()); }

  int on(cairn::Call<Function::MPI_Finalize_>& call) {
    const int result = call.proceed();
    if (inner_.wrote_nothing(results_.rank()))
      self_.warn(
          "nothing of what the library sends by itself: its monitoring component writes when MPI ends, but not while "
          "MPI_T is in use, as by 'vars', 'policy', 'steer', 'reorder=topologies:on', 'cairn run --set' or the "
          "program");
    return result;
  }

  void finish() {
    const cairn::World world(self_);
    if (!snapshots_.stop())
      self_.warn("no snapshots by signal " + std::to_string(options_.signal) +
                 " from when the program set a handler of its own for it");
    Summary summary = summary_with_moment(Moment::end);
    if (options_.prof) write_prof();
    variables_.write_output();
    history_.count_from(world.least_on_node(history_.started()));
    std::ranges::copy(history_.moments(), summary.moments.begin());  // which has room for as many
    if (results_.gather(world, summary, [](Summary& into, Summary&& other) { merge(into, std::move(other)); }))
      write_results(summary);
    results_.end();
    unlink_snapshot();
    monitor_.withdraw();
  }

 private:
  void describe_message(MPI_Request request, int world, std::uint64_t bytes) {
    if (world != monitor_.place().rank) persistent_.describe(request, {{to_process(Kind::p2p, world), bytes}});
  }

  /// `request`: of a persistent call.
  void collective(const cairn::Transfer& call, Operation what, const MPI_Request* request) try {
    if (cairn::is_tools_call()) [[unlikely]]
      return monitor_.add_of_tools(moves_.sent(call));
    const Known* const known = monitor_.communicators.find(call.comm);
    if (known == nullptr) return;
    Parts kept;
    count_collective(call, {what, *known, moves_, ranks_, options_.model},
                     {monitor_, request == nullptr ? nullptr : &kept});
    if (request != nullptr) persistent_.describe(*request, std::move(kept));
  } catch (const std::bad_alloc&) {
    monitor_.lose();
  }

  template <Function F>
  int started(cairn::Call<F>& call, int count, const MPI_Request* requests) {
    const int result = call.proceed();
    for (int i = 0; i < count && result == MPI_SUCCESS; ++i)
      if (const Parts* const parts = persistent_.find(requests[i]))
        for (const Part& part : *parts) monitor_.add(part.key, part.bytes);
    return result;
  }

  void start_inner() {
    const char* const problem = self_.all_ranks_have_folder()
                                    ? inner_.start(path_of("inner"))  // on all ranks or on none
                                    : "all ranks need the run's folder for it, so it must be chosen by --out DIR";
    if (problem != nullptr) self_.warn(std::string("nothing of what the library sends by itself: ") + problem);
  }

  int started_mpi(int result) {
    inner_.stop();
    if (!start_.is_first(result)) return result;
    monitor_.learn_place(cairn::place_in_job(self_));
    monitor_.publish(self_.instance());
    history_.start();
    const char* const problem =
        snapshots_.start(options_.every.seconds, options_.signal, [this] { write_wanted_snapshot(); });
    results_.begin([this](const std::string& end) { write_snapshot(end); }, [this] { withdraw_part(); });
    if (problem != nullptr) self_.warn(std::string("no snapshots: ") + problem);
    return result;
  }

  // ---------------------------------------------------------- files

  /// In place of a snapshot that was asked for comes a new one.
  void withdraw_part() {
    if (wants_snapshot_) write_snapshot();
    else unlink_snapshot();
  }

  Summary own_summary() {
    Summary summary = monitor_.summary(monitor_.amounts());
    summary.run = results_.run();
    summary.program = self_.program();
    summary.tool = self_.title();
    return summary;
  }

  /// With what came since the last snapshot as one more moment.
  Summary summary_with_moment(std::uint32_t number = 0) {
    Summary summary = own_summary();
    history_.take(sums_by_kind(summary), number);
    summary.moments = history_.moments();
    return summary;
  }

  /// "RUN/comm/NAME", with its folder made; "" if that cannot be.
  std::string path_of(const std::string& file) const {
    const char* const run = self_.output_folder();
    if (run == nullptr) return "";
    const std::string folder = std::string(run) + "/" + self_.file_name("comm", "");
    if (!cairn::make_result_folder(folder)) self_.not_written(folder);
    return folder + "/" + file;
  }

  std::string snapshot_file() const { return "rank." + std::to_string(monitor_.place().rank) + ".json"; }

  bool write_wanted_snapshot() {
    wants_snapshot_ = true;
    return write_snapshot();
  }

  /// In place of the one before. `end`: how the process ends, if it does.
  bool write_snapshot(const std::string& end = "") {
    if (monitor_.place().rank < 0) return false;
    const std::lock_guard lock(snapshot_lock_);
    Summary summary = summary_with_moment();
    summary.ended_by = end;
    const std::string path = path_of(snapshot_file());
    if (path.empty()) return false;
    const bool written = cairn::write_file(path, file_text(summary));
    if (!written) self_.not_written(path);
    has_snapshot_ = has_snapshot_ || written;
    return written;
  }

  /// Its figures are in those of the run.
  void unlink_snapshot() {
    if (has_snapshot_) unlink(path_of(snapshot_file()).c_str());
  }

  void write_prof() {
    monitor_.find_world();
    const std::string path = path_of("rank." + std::to_string(monitor_.place().rank) + ".prof");
    variables_.write_file(path, format_prof(own_summary()));
  }

  void write_results(Summary& summary) {
    summary.rank = -1;
    summary.saturated = !sums_fit(summary);
    if (summary.saturated) self_.warn("a sum of bytes exceeds 2^64 and is given as the largest number");
    if (summary.lost) self_.warn("out of memory: some messages are not counted");
    if (path_of("").empty()) return;
    const std::string folder = self_.file_name("comm", "") + "/";
    self_.write(folder + "comm.json", file_text(summary));
    Matrices files(self_, path_of(""));
    write_matrices(summary, [&](const std::string& file, std::string_view text) { files.add(file, text); });
    files.keep();
    results_.show(format_text(summary, options_.top), options_.table);
  }

  cairn::Self self_;
  cairn::RunResults results_{self_, "comm"};
  Options options_;
  const cairn::Ranks& ranks_;
  const cairn::Moves moves_;
  Monitor monitor_;
  Persistent persistent_;
  Snapshots snapshots_;
  std::mutex snapshot_lock_;  // of the two below
  History history_;
  bool has_snapshot_ = false;
  bool wants_snapshot_ = false;  // somebody has asked for one
  Inner inner_;
  OwnVariables variables_;
  cairn::MpiStart start_;
};

}  // namespace comm

CAIRN_TOOL(comm::Comm)
