// SPDX-License-Identifier: BSD-3-Clause
// trace.cc - keeps every call that the recorder sees, in a file per process (docs/trace-format.md)

#include <fcntl.h>
#include <mpi.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>

#include "cairn/kit.hpp"
#include "cairn/kit/result_file.hpp"
#include "cairn/kit/run_identity.hpp"
#include "cairn/kit/start.hpp"
#include "cairn/kit/turn.hpp"
#include "cairn/kit/variables.hpp"
#include "cairn/kit/will.hpp"
#include "cairn/services/clocks.hpp"
#include "passes.hpp"
#include "shared/helper_thread.hpp"
#include "shared/recording.hpp"
#include "trace/drain.hpp"

namespace trace_tool {

class Trace {
 public:
  static constexpr std::string_view about = "keeps every call, with its times and partners, for 'cairn trace'";
  struct Options {
    unsigned calls = 65536;
    cairn::Duration interval{0.1};
    unsigned limit = 1000;
    std::string_view functions;
    cairn::Duration shortest;
    cairn::Duration from;
    cairn::Duration until;
    cairn::Duration last;
    std::string_view region;
    cairn::EveryNth nth;
    bool recording = true;
    bool pcontrol = false;
    cairn::Duration precision;
    template <class Visit>
    constexpr void describe(Visit visit) {
      visit("calls", calls, "calls of each thread that may wait to be written, at 64 bytes each");
      visit("interval", interval, "longest time between two readings of new calls: 1ms, 20ms; at least 1ms");
      visit("limit", limit, "megabytes that each process may write; 0: no limit");
      visit("functions", functions, "only these: names and globs with + between them, such as MPI_Send*+MPI_Recv");
      visit("shortest", shortest, "only calls that take at least this long: 5us, 1ms");
      visit("from", from, "only from this time after the process's first MPI call: 500ms, 10s");
      visit("until", until, "only until this time after it");
      visit("last", last, "only so much time before the end, within 'limit': 30s");
      visit("region", region, "only while a thread is in this region of the program (docs/regions.md)");
      visit("nth", nth, "only in every n-th pass of 'region', from the first on: 100");
      visit("recording", recording, "off: nothing until 'trace_recording' or MPI_Pcontrol switches it on");
      visit("pcontrol", pcontrol, "on: MPI_Pcontrol(0) switches recording off, levels from 1 on");
      visit("precision", precision, "times may be off by this much, for a smaller trace: 10us");
    }
  };
  using Needs = cairn::ServiceList<cairn::Recorder>;

  Trace(cairn::Self self, const Options& options)
      : self_(self),
        run_(self),
        will_(self),
        clocks_(self.find<cairn::Clocks>()),
        interval_s_(std::max(1e-3, options.interval.seconds)),
        recorder_(shared::recording(self, std::max(options.calls, 4096U))),
        choice_({std::string(options.functions), options.shortest.seconds, options.from.seconds, options.until.seconds,
                 options.recording, std::string(options.region), options.nth.n, options.last.seconds}),
        passes_(options.region, choice_),
        hears_pcontrol_(options.pcontrol),
        drain_(recorder_, choice_, std::uint64_t{options.limit} * 1'000'000) {
    recorder_.keep_details();
    recorder_.keep_shares();
    recorder_.wake_reader(&reader_);
    drain_.allow(options.precision.seconds);
    drain_.name_regions(
        layer(), [this](std::uint64_t number) { return passes_.path(static_cast<cairn::Regions::Number>(number)); });
    warn_of(options);
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
    if (const auto region = passes_.hear(call)) tell_region(*region);
    return call.proceed();
  }

  /// Before: lists of members are in the page's file, which the recorder removes; and a launcher may kill this process as
  /// soon as another one has ended.
  template <cairn::Function F>
  requires(F == cairn::Function::MPI_Finalize_ || cairn::finalizes_session<F>()) int on(cairn::Call<F>& call) {
    keep([this] { drain_.save(); });
    if (has_clocks()) {
      if constexpr (F == cairn::Function::MPI_Finalize_) cairn::take_turn<&Trace::compare_clocks>(self_, *this);
      else cairn::take_session_turn<&Trace::compare_clocks>(self_, *this);
    }
    const int result = call.proceed();
    if (result == MPI_SUCCESS && open_.fetch_sub(1) == 1) end();
    return result;
  }

 private:
  void warn_of(const Options& options) {
    if (options.nth.n > 1 && options.region.empty()) self_.warn("'nth' has no effect without 'region'");
    if (const double until = options.until.seconds; until > 0 && until <= options.from.seconds)
      self_.warn("no call will be in the trace: 'until' is not after 'from'");
    if (options.precision.seconds > cairn::trace::Drain::most_error_s)
      self_.warn("'precision' counts as 1s: times are not off by more");
    std::vector<std::string> names;
    for (const cairn::FunctionFacts& function : cairn::function_facts) names.emplace_back(function.name);
    for (const std::string& glob : cairn::trace::unfitting(options.functions, names))
      self_.warn("'functions' has '" + glob + "', which fits no MPI function");
  }

  std::int32_t layer() const { return static_cast<std::int32_t>(self_.level()); }

  /// The name of one that is new is soon in the file, should the process be killed.
  void tell_region(cairn::Regions::Number region) {
    recorder_.tell_region(region, layer());
    cairn::Regions::Number last = last_region_.load(std::memory_order_relaxed);
    while (region > last && !last_region_.compare_exchange_weak(last, region, std::memory_order_relaxed)) {
    }
    if (region > last) thread_.wake();
  }

  void begin() {
    const cairn::page::PageHeader* const header = recorder_.page();
    const char* const folder = self_.output_folder();
    if (header == nullptr || folder == nullptr) return;
    const std::string place = folder + ("/" + self_.file_name("trace", ""));
    if (!cairn::make_result_folder(place)) {
      self_.not_written(place);
      has_failed_ = true;
      return;
    }
    path_ = place + "/rank-" + std::to_string(header->rank) + ".trace";
    std::remove(path_.c_str());
    drain_.when_cut([this](const std::vector<cairn::trace::Recent::Range>& stays) { return cut(stays); });
    keep([this] { drain_.begin([this](const std::string& bytes) { return append(bytes); }, run_.text()); });
    if (has_failed_) return;
    if (has_clocks()) keep([this] { drain_.compare(*clocks_->at_start()); });
    if (!thread_.start(interval_s_, [this] { drain(); }))
      self_.warn("of each thread only the last calls will be in the trace: the system cannot create another thread");
    will_.begin([this](const std::string& end) { drain_.finish(end); }, [] {});
  }

  /// The job has several. It is the same on all ranks.
  bool has_clocks() const {
    const cairn::ClockComparison* const start = clocks_ == nullptr ? nullptr : clocks_->at_start();
    return start != nullptr && start->clocks > 1;
  }
  void compare_clocks() {
    keep([this, now = clocks_->now(&self_.raw())] { drain_.compare(now); });
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
                 " records are not in the trace: they came faster than they could be written (a larger 'calls' helps)");
    if (choice_.lost_switches() != 0)
      self_.warn("calls near " + std::to_string(choice_.lost_switches()) +
                 " switches of recording may be missing or extra: they came faster than they could be read");
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

  /// The file anew, with only these parts of it; until it is complete, the old one is there.
  bool cut(const std::vector<cairn::trace::Recent::Range>& stays) {
    const int from = open(path_.c_str(), O_RDONLY | O_CLOEXEC);
    std::string part;
    cairn::ResultFile made(path_);
    bool is_good = from >= 0;
    for (const auto& [at, size] : stays)
      for (std::uint64_t done = 0; is_good && done < size; done += part.size()) {
        part.resize(std::min<std::uint64_t>(size - done, 1U << 20U));
        is_good =
            pread(from, part.data(), part.size(), static_cast<off_t>(at + done)) == static_cast<ssize_t>(part.size());
        made.add(part);
      }
    if (from >= 0) close(from);
    if (is_good && made.keep()) return true;
    if (!has_failed_.exchange(true)) self_.not_written(path_);
    return false;
  }

  cairn::Self self_;
  cairn::RunIdentity run_;
  cairn::LastWill will_;
  const cairn::Clocks* clocks_;
  cairn::MpiStart start_;
  double interval_s_;
  const cairn::Recorder& recorder_;
  cairn::trace::Choice choice_;
  Passes passes_;
  bool hears_pcontrol_;
  cairn::trace::Drain drain_;
  shared::HelperThread thread_;
  cairn::RecordReader reader_{this, [](void* self) { static_cast<Trace*>(self)->thread_.wake(); }, nullptr};
  std::string path_;
  std::atomic<cairn::Regions::Number> last_region_{0};  // that a thread was in so far
  std::atomic<int> open_{0};                            // MPI_Init and sessions that are not finalized
  std::atomic<bool> has_failed_{false};
  std::atomic<bool> is_memory_out_{false};
};

}  // namespace trace_tool

CAIRN_TOOL(trace_tool::Trace)
