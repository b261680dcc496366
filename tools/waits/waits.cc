// SPDX-License-Identifier: BSD-3-Clause
// waits.cc - why ranks wait: keeps what the recorder sees in memory, and brings it together when the program is over
//
// While the program runs there is no message of ours and no file: a thread takes records out of the rings and keeps them
// compressed. In MPI_Finalize each rank follows its own requests and messages, and rank 0 puts all together (src/waits).

#include <mpi.h>

#include <algorithm>
#include <climits>
#include <mutex>

#include "cairn/kit.hpp"
#include "cairn/kit/per_thread.hpp"
#include "cairn/kit/regions.hpp"
#include "cairn/kit/results.hpp"
#include "cairn/services/symbols.hpp"
#include "sampler.hpp"
#include "shared/helper_thread.hpp"
#include "shared/recording.hpp"
#include "trace/drain.hpp"
#include "waits/cut.hpp"
#include "waits/packing.hpp"
#include "waits/reduce.hpp"
#include "waits/summary.hpp"
#include "waits/wording.hpp"

namespace waits_tool {

using cairn::formats::SourcePosition;

class Waits {
 public:
  static constexpr std::string_view about =
      "why ranks wait: for whom, because of which work, what it costs, and the run's critical path";
  struct Options {
    unsigned calls = 65536;
    unsigned interval = 10;
    unsigned memory = 64;
    unsigned analysis = 4000;
    bool sample = false;
    bool table = true;
    template <class Visit>
    constexpr void describe(Visit visit) {
      visit("calls", calls, "calls of each thread that may wait to be taken, at 64 bytes each");
      visit("interval", interval, "milliseconds between two looks at what is to be taken");
      visit("memory", memory,
            "megabytes that each process keeps, compressed; what comes after is left out; 0: no limit");
      visit("analysis", analysis,
            "megabytes that rank 0 may need at the end for all ranks together; later calls of all are left out; 0: no "
            "limit");
      visit(
          "sample", sample,
          "whether the program's threads are interrupted every 10 ms of processor time to see which functions they are "
          "in: on or off");
      visit("table", table, "whether the table is shown: on or off");
    }
  };
  using Needs = cairn::ServiceList<cairn::Recorder>;

  Waits(cairn::Self self, const Options& options)
      : self_(self),
        symbols_(self.find<cairn::Symbols>()),
        interval_s_(1e-3 * std::clamp(options.interval, 1U, options.sample ? longest_sampled : UINT_MAX)),
        analysis_(options.analysis),
        sample_(options.sample),
        table_(options.table),
        recorder_(shared::recording(self, std::max(options.calls, 4096U))),
        drain_(recorder_, choice_, std::uint64_t{options.memory} * 1'000'000) {
    recorder_.keep_details();
  }

  int on(cairn::Call<cairn::Function::MPI_Pcontrol_>& call) {
    cairn::Regions::Thread& mine = threads_.mine().regions;
    const cairn::Regions::Number before = regions_.current(mine);
    regions_.hear(call, mine);
    if (const auto now = regions_.current(mine); now != before)
      recorder_.tell_region(now, static_cast<std::int32_t>(self_.level()));
    return call.proceed();
  }

  template <cairn::Function F>
  requires(cairn::starts_mpi<F>()) int on(cairn::Call<F>& call) {
    if (sample_) sampler_.note_threads();
    const int result = call.proceed();
    if (start_.is_first(result)) begin();
    return result;
  }

  /// Before: lists of members are in the page's file, which the recorder removes.
  int on(cairn::Call<cairn::Function::MPI_Finalize_>& call) {
    drain();
    cairn::take_turn<&Waits::finish_run>(self_, *this);
    return call.proceed();
  }
  template <cairn::Function F>
  requires(cairn::finalizes_session<F>()) int on(cairn::Call<F>& call) {
    drain();
    cairn::take_session_turn<&Waits::finish_run>(self_, *this);
    return call.proceed();
  }

 private:
  static constexpr unsigned longest_sampled = 10;  // milliseconds

  struct OfThread {
    cairn::Regions::Thread regions;
    void thread_ended() { regions = {}; }
  };

  void begin() {
    if (recorder_.page() == nullptr) return;
    keep([this] { drain_.begin([this](const std::string& bytes) { return add(bytes); }, results_.run()); });
    if (sample_ && !sampler_.begin(most_samples()))
      self_.warn("sample:on: SIGURG has a handler already; no functions are sampled");
    thread_.start(interval_s_, [this] {
      drain();
      keep([this] { look(); });
    });
    results_.begin([this](const std::string& end) { write_part(end); }, [this] { self_.remove(part_file()); });
  }

  void finish_run() {
    const cairn::World world(self_);
    thread_.stop();
    sampler_.end();
    cairn::waits::RankRecords own = records("");
    std::array<std::int64_t, 1> least = {-cairn::waits::end_of(own)};
    world.max_everywhere(std::span(least));
    cairn::waits::cut(own, -least[0]);
    const std::vector<std::string> all = world.gather(packed(own));
    if (world.rank() == 0) tell(all);
    results_.end();
  }

  /// Of this rank; without calls where there are none.
  cairn::waits::RankRecords records(const std::string& end) {
    keep([&] { drain_.finish(end); });
    if (taken_.empty()) return {};
    const cairn::waits::RegionNames names{static_cast<std::int32_t>(self_.level()),
                                          [this](cairn::Regions::Number number) { return regions_.path(number); }};
    const auto file = cairn::trace::File::holding(taken_, "waits");
    cairn::waits::RankRecords records = cairn::waits::reduce(file, names, most_calls());
    cairn::waits::add_samples(file, sampler_.samples(), records);
    records.unsampled = sampler_.unsampled();
    return records;
  }
  static std::string packed(const cairn::waits::RankRecords& records) {
    return records.calls.empty() ? std::string() : cairn::waits::packed(records);
  }
  /// Of this rank, so that rank 0 has room for those of all.
  std::size_t most_calls() const {
    constexpr std::uint64_t bytes_of_call = 128;
    const std::uint64_t part = sample_ ? 7 : 8;  // of eight
    return analysis_ == 0 ? SIZE_MAX : analysis_of_a_rank() / 8 * part / bytes_of_call;
  }
  std::size_t most_samples() const {
    constexpr std::uint64_t bytes_of_sample = 32;
    constexpr std::uint64_t most = 1U << 17U;
    return analysis_ == 0 ? most : std::clamp<std::uint64_t>(analysis_of_a_rank() / 8 / bytes_of_sample, 1024, most);
  }
  std::uint64_t analysis_of_a_rank() const {
    return std::uint64_t{analysis_} * 1'000'000 / static_cast<std::uint64_t>(std::max(1, recorder_.page()->size));
  }

  void tell(const std::vector<std::string>& all) {
    self_.write(self_.file_name("waits", ".graph"), cairn::waits::graph_file(all));
    std::vector<cairn::waits::RankRecords> records;
    for (const std::string& one : all)
      if (!one.empty()) records.push_back(cairn::waits::unpacked(one));
    cairn::formats::waits::Summary summary =
        cairn::waits::summarize(std::move(records), cairn::waits::naming_by(symbols_));
    summary.run = results_.run();
    summary.program = self_.program();
    results_.show(self_.title() + "\n" + cairn::waits::text_of(summary), table_);
    results_.write(file_text(summary));
  }

  std::string part_file() const {
    return self_.file_name("waits", ".rank-" + std::to_string(results_.rank()) + ".graph");
  }
  void write_part(const std::string& end) {
    self_.write(part_file(), cairn::waits::graph_file({packed(records(end))}));
  }

  void look() {
    if (!sampler_.look()) self_.warn("sample:on: the program has begun to handle SIGURG itself; sampling ends here");
  }
  void drain() {
    keep([this] { drain_.drain(); });
  }
  bool add(const std::string& bytes) {
    taken_ += bytes;
    return true;
  }
  /// Without memory for it, what is kept ends there.
  template <class Work>
  void keep(Work work) try {
    if (!has_failed_) work();
  } catch (const std::bad_alloc&) {
    has_failed_ = true;
  }

  cairn::Self self_;
  cairn::RunResults results_{self_, "waits"};
  const cairn::Symbols* symbols_;
  cairn::MpiStart start_;
  double interval_s_;
  unsigned analysis_;
  bool sample_;
  bool table_;
  const cairn::Recorder& recorder_;
  cairn::trace::Choice choice_{{}};
  cairn::trace::Drain drain_;
  Sampler sampler_;
  shared::HelperThread thread_;
  cairn::Regions regions_;
  cairn::PerThread<OfThread> threads_;
  std::string taken_;
  std::atomic<bool> has_failed_{false};
};

}  // namespace waits_tool

CAIRN_TOOL(waits_tool::Waits)
