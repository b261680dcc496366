// SPDX-License-Identifier: BSD-3-Clause
// trace.cc - keeps every call that the recorder sees, in a file per process (docs/trace-format.md)

#include <mpi.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>

#include "cairn/kit.hpp"
#include "cairn/kit/run_identity.hpp"
#include "cairn/kit/start.hpp"
#include "cairn/kit/variables.hpp"
#include "cairn/kit/will.hpp"
#include "shared/helper_thread.hpp"
#include "shared/recording.hpp"
#include "trace/drain.hpp"

namespace trace_tool {

class Trace {
 public:
  static constexpr std::string_view about = "keeps every call, with its times and partners, for 'cairn trace'";
  struct Options {
    unsigned calls = 65536;
    unsigned interval = 10;
    unsigned limit = 1000;
    std::string_view functions;
    cairn::Duration shortest;
    cairn::Duration from;
    cairn::Duration until;
    bool recording = true;
    bool pcontrol = false;
    template <class Visit>
    constexpr void describe(Visit visit) {
      visit("calls", calls, "calls of each thread that may wait to be written, at 64 bytes each");
      visit("interval", interval, "milliseconds between two looks at what is to be written");
      visit("limit", limit, "megabytes that each process may write; 0: no limit");
      visit("functions", functions, "only these: names and globs with + between them, such as MPI_Send*+MPI_Recv");
      visit("shortest", shortest, "only calls that take as long: 5us, 1ms");
      visit("from", from, "only from this time after the process's first MPI call: 500ms, 10s");
      visit("until", until, "only until this time after it");
      visit("recording", recording, "off: nothing until 'trace_recording' or MPI_Pcontrol switches it on");
      visit("pcontrol", pcontrol, "on: MPI_Pcontrol(0) switches recording off, levels from 1 on");
    }
  };
  using Needs = cairn::ServiceList<cairn::Recorder>;

  Trace(cairn::Self self, const Options& options)
      : self_(self),
        run_(self),
        will_(self),
        interval_s_(1e-3 * std::max(1U, options.interval)),
        recorder_(shared::recording(self, std::max(options.calls, 4096U))),
        choice_({std::string(options.functions), options.shortest.seconds, options.from.seconds, options.until.seconds,
                 options.recording}),
        hears_pcontrol_(options.pcontrol),
        drain_(recorder_, choice_, std::uint64_t{options.limit} * 1'000'000) {
    recorder_.keep_details();
    cairn::Variables(self).control(
        "recording", "1: calls are written into the trace, 0: they are not",
        [this] { return int{choice_.is_recording()}; },
        [this](int wanted) {
          if (wanted == 0 || wanted == 1) choice_.switch_to(wanted == 1);
          return wanted == 0 || wanted == 1;
        });
  }

  template <cairn::Function F>
  requires(cairn::starts_mpi<F>()) int on(cairn::Call<F>& call) {
    const int result = call.proceed();
    if (result == MPI_SUCCESS) open_.fetch_add(1);
    if (start_.is_first(result)) begin();
    return result;
  }

  int on(cairn::Call<cairn::Function::MPI_Pcontrol_>& call) {
    if (const int level = cairn::arg<cairn::Role::level>(call); hears_pcontrol_ && level >= 0)
      choice_.switch_to(level != 0);
    return call.proceed();
  }

  /// Before: lists of members are in the page's file, which the recorder removes.
  template <cairn::Function F>
  requires(F == cairn::Function::MPI_Finalize_ || cairn::finalizes_session<F>()) int on(cairn::Call<F>& call) {
    drain();
    const int result = call.proceed();
    if (result == MPI_SUCCESS && open_.fetch_sub(1) == 1) end();
    return result;
  }

 private:
  void begin() {
    const cairn::page::PageHeader* const header = recorder_.page();
    const char* const folder = self_.output_folder();
    if (header == nullptr || folder == nullptr) return;
    const std::string place = folder + ("/" + self_.file_name("trace", ""));
    mkdir(place.c_str(), 0777);
    path_ = place + "/rank-" + std::to_string(header->rank) + ".trace";
    std::remove(path_.c_str());
    keep([this] { drain_.begin([this](const std::string& bytes) { return append(bytes); }, run_.text()); });
    if (has_failed_) return;
    thread_.start(interval_s_, [this] { drain(); });
    will_.begin([this](const std::string& end) { drain_.finish(end); }, [] {});
  }

  void end() {
    will_.end();
    thread_.stop();
    keep([this] { drain_.finish(""); });
    if (is_memory_out_) {
      errno = ENOMEM;
      self_.not_written(path_);
    }
    if (drain_.lost() != 0)
      self_.warn(std::to_string(drain_.lost()) +
                 " records are not in the trace: they came faster than they could be written (more of 'calls' helps)");
    if (drain_.omitted() != 0) self_.warn("the trace ends before the program does: its 'limit' was reached");
  }

  void drain() {
    keep([this] { drain_.drain(); });
  }

  /// Without memory for it, the trace ends there; the user is told when there may be some again.
  template <class Work>
  void keep(Work work) try {
    if (!has_failed_) work();
  } catch (const std::bad_alloc&) {
    is_memory_out_ = true;
    has_failed_ = true;
  }

  bool append(const std::string& bytes) {
    if (cairn::add_to_file(path_, bytes)) return true;
    if (!has_failed_.exchange(true)) self_.not_written(path_);
    return false;
  }

  cairn::Self self_;
  cairn::RunIdentity run_;
  cairn::LastWill will_;
  cairn::MpiStart start_;
  double interval_s_;
  const cairn::Recorder& recorder_;
  cairn::trace::Choice choice_;
  bool hears_pcontrol_;
  cairn::trace::Drain drain_;
  shared::HelperThread thread_;
  std::string path_;
  std::atomic<int> open_{0};  // MPI_Init and sessions that are not finalized
  std::atomic<bool> has_failed_{false};
  std::atomic<bool> is_memory_out_{false};
};

}  // namespace trace_tool

CAIRN_TOOL(trace_tool::Trace)
