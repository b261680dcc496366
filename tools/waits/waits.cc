// SPDX-License-Identifier: BSD-3-Clause
// waits.cc - why ranks wait: keeps what the recorder sees in memory, and brings it together when the program is over
//
// While the program runs there is no message of ours: a thread takes records out of the rings and keeps them compressed,
// beyond `memory` in a file. In MPI_Finalize each rank follows its own requests and messages, and rank 0 puts all together (src/waits).

#include <mpi.h>

#include <algorithm>
#include <climits>
#include <mutex>
#include <optional>

#include "base/message.hpp"
#include "cairn/kit.hpp"
#include "cairn/kit/per_thread.hpp"
#include "cairn/kit/regions.hpp"
#include "cairn/kit/results.hpp"
#include "cairn/services/callers.hpp"
#include "cairn/services/clocks.hpp"
#include "cairn/services/symbols.hpp"
#include "kept.hpp"
#include "sampler.hpp"
#include "shared/helper_thread.hpp"
#include "shared/recording.hpp"
#include "trace/drain.hpp"
#include "waits/agreement.hpp"
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
    cairn::Duration interval{0.1};
    unsigned memory = 64;
    unsigned disk = 1000;
    unsigned analysis = 4000;
    bool sample = false;
    bool table = true;
    template <class Visit>
    constexpr void describe(Visit visit) {
      visit("calls", calls, "calls of each thread that may wait to be read, at 64 bytes each");
      visit("interval", interval, "longest time between two readings of new calls: 1ms, 20ms; at least 1ms");
      visit("memory", memory, "megabytes that each process keeps in memory, compressed; 0: no limit");
      visit(
          "disk", disk,
          "megabytes that each process may keep in a file, for as long as it runs, where `memory` is full; what comes "
          "after is left out");
      visit("analysis", analysis,
            "megabytes that rank 0 may need at the end for the calls of all ranks; more are analysed in sections, one "
            "after the other; 0: no limit");
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
        clocks_(self.find<cairn::Clocks>()),
        callers_(self.find<cairn::Callers>()),
        interval_s_(std::clamp(options.interval.seconds, shortest, options.sample ? longest_sampled : longest)),
        analysis_(options.analysis),
        sample_(options.sample),
        table_(options.table),
        recorder_(shared::recording(self, std::max(options.calls, 4096U))),
        kept_(self, std::uint64_t{options.memory} * 1'000'000, std::uint64_t{options.disk} * 1'000'000),
        drain_(recorder_, choice_, kept_.limit()) {
    recorder_.keep_details();
    recorder_.wake_reader(&reader_);
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
    const bool is_told = callers_ != nullptr && callers_->is_program(call.caller());  // not by a tool above
    last_call_ = {cairn::run_end(self_), is_told ? reinterpret_cast<std::uintptr_t>(call.caller()) : 0};
    drain();
    if (start_.has_started())
      cairn::take_turn<&Waits::finish_run>(self_, *this);  // not in a program that never started MPI
    return call.proceed();
  }
  template <cairn::Function F>
  requires(cairn::finalizes_session<F>()) int on(cairn::Call<F>& call) {
    drain();
    cairn::take_session_turn<&Waits::finish_run>(self_, *this);
    return call.proceed();
  }

 private:
  static constexpr double shortest = 1e-3;  // of `interval`, in s
  static constexpr double longest_sampled = 1e-2;
  static constexpr double longest = 1e9;

  /// waits.graph, written section by section: it takes no room beside the analysis. It is whole, or not there.
  class GraphFile {
   public:
    GraphFile(cairn::Self self, const std::string& run, std::size_t most)
        : self_(self), name_(self.file_name("waits", ".graph")), most_(most) {
      is_open_ = self_.write(name_, cairn::waits::graph_head(run));
    }
    void add(const std::vector<std::string>& packed) {
      if (!is_open_ || size_ > most_) return;
      const std::string section = cairn::waits::graph_of(packed);
      size_ += section.size();
      is_open_ = self_.add(name_, section);
      if (!is_open_) self_.remove(name_);
    }

   private:
    cairn::Self self_;
    std::string name_;
    std::size_t most_;
    std::size_t size_ = 0;
    bool is_open_ = false;
  };

  struct OfThread {
    cairn::Regions::Thread regions;
    void thread_ended() { regions = {}; }
  };

  void begin() {
    if (recorder_.page() == nullptr) return;
    kept_.use(self_.file_name("waits", ".rank-" + std::to_string(recorder_.page()->rank) + ".records"));
    keep([this] { drain_.begin([this](const std::string& bytes) { return add(bytes); }, results_.run()); });
    if (has_clocks()) keep([this] { drain_.compare(*clocks_->at_start()); });
    if (sample_ && !sampler_.begin(most_samples()))
      self_.warn("sample:on: SIGURG has a handler already; no functions are sampled");
    const bool is_drained = thread_.start(interval_s_, [this] {
      drain();
      keep([this] { look(); });
    });
    if (!is_drained)
      self_.warn("of each thread only the last calls will be analysed: the system cannot create another thread");
    results_.begin([this](const std::string& end) { write_part(end); }, [this] { self_.remove(part_file()); });
  }

  void finish_run() {
    if (has_clocks())
      keep([this, now = clocks_->now(&self_.raw())] { drain_.compare(now); });  // before what needs memory
    const cairn::World world(self_);
    thread_.stop();
    sampler_.end();
    keep([&] { drain_.finish(""); });
    if (has_failed_) self_.warn("memory ran out: the analysis covers what ranks had called before");
    std::optional<cairn::waits::Analysis> analysis;
    if (world.rank() == 0)
      analysis.emplace(cairn::waits::naming_by(symbols_), cairn::waits::Analysis::as_many_as_ranks);
    const std::optional<cairn::trace::File> file = open_kept();
    take_sections(world, file ? &*file : nullptr, analysis);
    kept_.remove_file();  // so that there is room for results
    if (analysis) tell(*analysis);
    results_.end();
  }

  /// `file`: null if there is nothing of this rank. `analysis`: on rank 0.
  void take_sections(const cairn::World& world, const cairn::trace::File* file,
                     std::optional<cairn::waits::Analysis>& analysis) {
    std::optional<cairn::waits::Reduction> own;
    if (file != nullptr) own.emplace(*file, region_names(), last_call_);
    cairn::waits::Agreement agreement(own ? &*own : nullptr, most_calls(),
                                      [&](std::span<std::int64_t> most) { world.max_everywhere(most); });
    std::optional<GraphFile> graph;
    if (analysis) graph.emplace(self_, results_.run(), most_of_graph());
    for (bool is_over = false; !is_over;) {
      cairn::waits::RankRecords section;
      is_over = agreement.next(section);
      if (own) add_samples(*file, section, is_over);
      const std::vector<std::string> all = world.gather(packed(section));
      if (!analysis) continue;
      analysis->add(unpacked(all));
      graph->add(all);
    }
  }

  /// The job has several.
  bool has_clocks() const {
    const cairn::ClockComparison* const start = clocks_ == nullptr ? nullptr : clocks_->at_start();
    return start != nullptr && start->clocks > 1;
  }

  cairn::waits::RegionNames region_names() const {
    return {static_cast<std::int32_t>(self_.level()),
            [this](cairn::Regions::Number number) { return regions_.path(number); }};
  }
  void add_samples(const cairn::trace::File& file, cairn::waits::RankRecords& records, bool is_last) {
    cairn::waits::add_samples(file, sampler_.samples(), records);
    if (is_last) records.unsampled = sampler_.unsampled();
  }
  /// Of this rank's first section, which is the whole run if it is short; of no job where there are none.
  cairn::waits::RankRecords records(const std::string& end) {
    keep([&] { drain_.finish(end); });
    const std::optional<cairn::trace::File> file = open_kept();
    if (!file) return {};
    cairn::waits::Reduction own(*file, region_names(), last_call_);
    own.end_at(own.fill(most_calls()) ? cairn::waits::no_end : own.filled_until());
    own.fill(SIZE_MAX);
    cairn::waits::RankRecords records = own.take({});
    add_samples(*file, records, true);
    return records;
  }
  static std::string packed(const cairn::waits::RankRecords& records) {
    return records.size == 0 ? std::string() : cairn::waits::packed(records);
  }
  /// Of this rank in a section, so that rank 0 has room for those of all.
  std::size_t most_calls() const {
    constexpr std::uint64_t bytes_of_call = 200;  // with its part of the replays side by side
    const std::uint64_t part = sample_ ? 7 : 8;   // of eight
    return analysis_ == 0 ? SIZE_MAX : analysis_of_a_rank() / 8 * part / bytes_of_call;
  }
  std::size_t most_samples() const {
    constexpr std::uint64_t bytes_of_sample = 32;
    constexpr std::uint64_t most = 1U << 17U;
    return analysis_ == 0 ? most : std::clamp<std::uint64_t>(analysis_of_a_rank() / 8 / bytes_of_sample, 1024, most);
  }
  std::uint64_t analysis_of_a_rank() const {
    const cairn::page::PageHeader* const page = recorder_.page();
    const int size = page == nullptr ? 1 : std::max(1, page->size);
    return std::uint64_t{analysis_} * 1'000'000 / static_cast<std::uint64_t>(size);
  }

  /// For `cairn whatif`.
  std::size_t most_of_graph() const { return analysis_ == 0 ? SIZE_MAX : std::size_t{analysis_} * 500'000; }
  static std::vector<cairn::waits::RankRecords> unpacked(const std::vector<std::string>& all) {
    std::vector<cairn::waits::RankRecords> records;
    for (const std::string& one : all)
      if (!one.empty()) records.push_back(cairn::waits::unpacked(one));
    return records;
  }

  void tell(cairn::waits::Analysis& analysis) {
    cairn::formats::waits::Summary summary = analysis.summary();
    summary.run = results_.run();
    summary.program = self_.program();
    results_.show(self_.title() + "\n" + cairn::waits::text_of(summary), table_);
    results_.write(file_text(summary));
  }

  std::string part_file() const {
    return self_.file_name("waits", ".rank-" + std::to_string(results_.rank()) + ".graph");
  }
  void write_part(const std::string& end) {
    const std::string part = cairn::waits::graph_head(results_.run()) + cairn::waits::graph_of({packed(records(end))});
    kept_.remove_file();  // so that there is room for it
    self_.write(part_file(), part);
  }
  /// None: there is nothing, or somebody has removed it. The results say which ranks have left none.
  std::optional<cairn::trace::File> open_kept() const try {
    if (kept_.is_empty()) return std::nullopt;
    return kept_.open();
  } catch (const cairn::Problem&) {
    return std::nullopt;
  }

  void look() {
    if (!sampler_.look()) self_.warn("sample:on: the program now handles SIGURG itself; sampling ends here");
  }
  void drain() {
    keep([this] { drain_.drain(); });
  }
  bool add(const std::string& bytes) {
    if (!kept_.add(bytes)) drain_.end_here();
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
  const cairn::Clocks* clocks_;
  const cairn::Callers* callers_;
  cairn::MpiStart start_;
  double interval_s_;
  unsigned analysis_;
  bool sample_;
  bool table_;
  const cairn::Recorder& recorder_;
  cairn::trace::Choice choice_{{}};
  Kept kept_;
  cairn::trace::Drain drain_;
  Sampler sampler_;
  shared::HelperThread thread_;
  cairn::RecordReader reader_{this, [](void* self) { static_cast<Waits*>(self)->thread_.wake(); }, nullptr};
  cairn::Regions regions_;
  cairn::PerThread<OfThread> threads_;
  cairn::waits::LastCall last_call_;
  std::atomic<bool> has_failed_{false};  // memory ran out
};

}  // namespace waits_tool

CAIRN_TOOL(waits_tool::Waits)
