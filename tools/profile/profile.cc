// SPDX-License-Identifier: BSD-3-Clause
// profile.cc - the one handler that every MPI function of the program goes through, and the report at the end
//
// The handler takes two clock readings and adds to the calling thread's entry for the call site, and to that for the
// communicator. The results are gathered when the program finalizes MPI.

#include <mpi.h>

#include <atomic>
#include <optional>

#include "arrivals.hpp"
#include "cairn/kit.hpp"
#include "cairn/kit/moves.hpp"
#include "cairn/kit/per_thread.hpp"
#include "cairn/kit/variables.hpp"
#include "cairn/kit/will.hpp"
#include "frames.hpp"
#include "gather.hpp"
#include "report.hpp"
#include "thread.hpp"
#include "transfers.hpp"

namespace profile {

class Profile {
 public:
  static constexpr std::string_view about =
      "calls, time and bytes of each MPI function and call site, with the imbalance over ranks";
  struct Options {
    unsigned top = 10;
    unsigned sites = 5;
    unsigned depth = 1;
    std::string_view sort = "time";
    double threshold = 0;
    bool ranks = false;
    bool transfers = true;
    bool table = true;
    template <class Visit>
    constexpr void describe(Visit visit) {
      visit("top", top, "functions shown in the table on the terminal");
      visit("sites", sites, "call sites shown there");
      visit("depth", depth, "calling functions that make up a call site, up to 16; 0: none, functions only");
      visit("sort", sort, "order of functions and call sites: time, calls, sent (bytes) or name");
      visit("threshold", threshold, "percent of the time in MPI below which call sites are left out");
      visit("ranks", ranks, "whether every rank's time is kept, not only statistics: on or off");
      visit("transfers", transfers, "whether requests are followed to their completion: on or off");
      visit("table", table, "whether the table is shown: on or off");
    }
  };

  using Needs = cairn::ServiceList<cairn::Datatypes, cairn::Ranks, cairn::Requests>;

  Profile(cairn::Self self, const Options& options)
      : self_(self),
        callers_(self.find<cairn::Callers>()),
        symbols_(self.find<cairn::Symbols>()),
        depth_(std::min<std::size_t>(options.depth, deepest)),
        sites_(options.sites),
        top_(options.top),
        table_(options.table),
        gathering_{options.ranks, options.threshold, order_of(options.sort)},
        moves_(self.need<cairn::Datatypes>(), self.need<cairn::Ranks>()),
        communicators_(self.need<cairn::Ranks>()) {
    if (options.transfers) transfers_.emplace(self, threads_, moves_);
    const cairn::Variables variables(self);
    variables.counter("calls", "calls of MPI functions", [this] { return sum(&Totals::calls); });
    variables.aggregate("bytes_sent", "bytes that calls of MPI functions sent", [this] { return sum(&Totals::sent); });
    variables.timer("time", "seconds in MPI functions, all threads together",
                    [this] { return static_cast<double>(sum(&Totals::ticks)) * rate_so_far(); });
    variables.control("top", "functions shown in the table on the terminal", top_);
    variables.control("table", "whether the table is shown", table_);
  }

  template <cairn::Function F>
  auto on(cairn::Call<F>& call) {
    [[maybe_unused]] MPI_Status own;
    if constexpr (cairn::received_by_status<F>())
      if (call.template get<cairn::Role::status>() == MPI_STATUS_IGNORE)
        call.template get<cairn::Role::status>() = &own;
    if constexpr (F == cairn::Function::MPI_Comm_set_name_)
      communicators_.forget(call.template get<cairn::Role::comm>());
    if constexpr (cairn::has<F>(cairn::Role::comm_inout))
      if (const MPI_Comm* const comm = call.template get<cairn::Role::comm_inout>()) communicators_.forget(*comm);
    const std::uint64_t begin = ticks_now();
    const auto result = call.proceed();
    const std::uint64_t end = ticks_now();
    if constexpr (synchronizes<F>())
      if (call.template get<cairn::Role::comm>() == MPI_COMM_WORLD) arrivals_.add(F, begin, end);
    record(call, begin, end, result == MPI_SUCCESS);
    if constexpr (F == cairn::Function::MPI_Init_ || F == cairn::Function::MPI_Init_thread_)
      if (result == MPI_SUCCESS) begin_will();
    return result;
  }

  /// The report is made in it, so it is counted, not timed.
  int on(cairn::Call<cairn::Function::MPI_Finalize_>& call) {
    site(threads_.mine(), call.function, call.caller(), call.frame()).figures.add(0);
    finish_run();
    return call.proceed();
  }

 private:
  /// `well`: the arguments were good, so that MPI can be asked about them.
  template <cairn::Function F>
  void record(const cairn::Call<F>& call, std::uint64_t begin, std::uint64_t end, bool well) {
    using cairn::Role;
    const std::uint64_t spent = end - begin;
    Thread& mine = threads_.mine();
    mine.begin(begin);
    Site& here = site(mine, F, call.caller(), call.frame());
    here.figures.add(spent);
    ++mine.totals.calls;
    mine.totals.ticks += spent;
    if constexpr (F == cairn::Function::MPI_Pcontrol_) change_region(call, mine);
    if (!well) return;
    [[maybe_unused]] const Bytes bytes = count_bytes(call, mine.totals, here.figures);
    if constexpr (cairn::has<F>(Role::comm)) {
      CommFigures& figures = mine.on_communicator(call.template get<Role::comm>(), communicators_);
      ++figures.calls;
      figures.ticks += spent;
      figures.sent += bytes.sent;
      figures.received += bytes.received;
    }
    if (!transfers_) return;
    if constexpr (cairn::makes_request<F>()) transfers_->made(call, mine, here, end);
    if constexpr (cairn::has<F>(Role::request_inout) || cairn::has<F>(Role::requests_inout))
      transfers_->settle(mine, here.figures, begin, end);
  }

  struct Bytes {
    std::uint64_t sent = 0;
    std::uint64_t received = 0;
  };

  template <cairn::Function F>
  Bytes count_bytes(const cairn::Call<F>& call, Totals& totals, Figures& figures) {
    Bytes bytes;
    if constexpr (cairn::counts_sent<F>()) {
      bytes.sent = moves_.sent<F>(call.arguments());
      totals.sent += bytes.sent;
      figures.add_sent(bytes.sent);
    }
    if constexpr (cairn::received_by_status<F>())
      bytes.received = cairn::bytes_of(*call.template get<cairn::Role::status>());
    else if constexpr (cairn::counts_received<F>()) bytes.received = moves_.received<F>(call.arguments());
    figures.received += bytes.received;
    return bytes;
  }

  [[gnu::noinline]] void change_region(const cairn::Call<cairn::Function::MPI_Pcontrol_>& call, Thread& mine) {
    regions_.hear(call, mine.regions);
    Part& part = mine.part(regions_.current(mine.regions));
    if (call.get<cairn::Role::level>() != CAIRN_REGION_END) ++part.visits;
  }

  Site& site(Thread& mine, cairn::Function function, const void* caller, const void* frame) {
    Sites& sites = mine.part(regions_.current(mine.regions)).sites;
    if (depth_ != 1) [[unlikely]]
      return depth_ == 0 ? sites.at(function, 0) : site_further_up(mine, function, caller, frame);
    Site& site = sites.at(function, reinterpret_cast<std::uintptr_t>(caller));
    if (site.kind == Site::direct) [[likely]]
      return site;
    return kind_of(site, caller) == Site::direct ? site : site_further_up(mine, function, caller, frame);
  }

  /// Found out when the site is met for the first time.
  Site::Kind kind_of(Site& site, const void* caller) const {
    if (site.kind == Site::unknown)
      site.kind = callers_ == nullptr || callers_->is_program(caller) != 0 ? Site::direct : Site::indirect;
    return site.kind;
  }

  [[gnu::noinline]] Site& site_further_up(Thread& mine, cairn::Function function, const void* caller,
                                          const void* frame) {
    const Chain chain = mine.frames.walk(callers_, caller, frame, depth_);
    return mine.part().sites.at(function, mine.frames.number(chain));
  }

  void finish_run() {
    run_clock.anchor();
    Summary head = heading();
    compare(arrivals_, run_clock, head.waiting);
    const Summary summary = gather(rank_figures(), symbols_, gathering_, std::move(head));
    if (summary.ranks != 0) write_results(summary);  // on rank 0
    will_.end();
  }

  void write_results(const Summary& summary) {
    const std::string table = format_table(summary, top_, sites_);
    if (table_) self_.print(table);
    self_.write(self_.file_name("profile", ".json"), format_json(summary));
    self_.write("report.txt", table + "\n", "a");
  }

  void begin_will() {
    PMPI_Comm_rank(MPI_COMM_WORLD, &rank_);
    gathering_.load_before = shared::MachineLoad::now();
    will_.begin([this](const std::string& end) { write_part(end); }, [this] { self_.remove(part_file()); });
  }

  /// What this rank has, where it will not come to the end. First without names: there may be no time for more.
  void write_part(const std::string& end) {
    run_clock.anchor();
    Summary head = heading();
    head.rank = rank_;
    head.ended_by = end;
    const RankFigures figures = rank_figures();
    for (const cairn::Symbols* const symbols : {static_cast<const cairn::Symbols*>(nullptr), symbols_})
      self_.write(part_file(), format_json(summarize(figures, symbols, gathering_, head, rank_)));
  }

  /// As it is known at the first question: a timer does not go back.
  static double rate_so_far() {
    static const double rate = [] {
      cairn::Clock clock = run_clock;
      clock.anchor();
      return clock.seconds_per_tick();
    }();
    return rate;
  }

  std::string part_file() const { return self_.file_name("profile", ".rank-" + std::to_string(rank_) + ".json"); }

  unsigned long sum(Figure Totals::*figure) {
    std::uint64_t total = 0;
    threads_.for_each([&](const Thread& thread) { total += thread.totals.*figure; });
    return total;
  }

  RankFigures rank_figures() {
    RankFigures all(self_.program());
    threads_.for_each([&](Thread& thread) { add_thread(all, thread); });
    communicators_.for_each([&](shared::Communicators::Number, const shared::CommGroup& group, std::uint64_t count) {
      if (count != 0) all.add_communicators(group, count);
    });
    return all;
  }

  void add_thread(RankFigures& all, Thread& thread) {
    thread.settle(ticks_now());
    for (const Part& part : thread.parts()) {
      const std::string path = regions_.path(part.region);
      all.add_visits(path, part.visits, part.ticks);
      for (const Site& site : part.sites.all()) {
        if (site.figures.calls == 0 && site.figures.transfers.completed == 0) continue;  // only led further up
        all.add_function(site.function, site.figures);
        if (depth_ != 0) all.add_site(site.function, thread.frames.chain_of(site.place), site.figures);
        all.add_region(path, site.function, site.figures);
      }
    }
    communicators_.for_each([&](shared::Communicators::Number number, const shared::CommGroup& group, std::uint64_t) {
      if (number < thread.communicators().size() && thread.communicators()[number].calls != 0)
        all.add_communicator(group, figures_of(thread.communicators()[number]));
    });
  }

  static Figures figures_of(const CommFigures& communicator) {
    Figures figures;
    figures.calls = communicator.calls;
    figures.ticks = communicator.ticks;
    figures.sent = communicator.sent;
    figures.received = communicator.received;
    return figures;
  }

  Summary heading() {
    Summary summary;
    summary.program = self_.program();
    summary.tool = self_.title();
    summary.threads = 0;
    threads_.for_each([&](const Thread& thread) {
      if (thread.totals.calls != 0) ++summary.threads;
      for (const Part& part : thread.parts()) summary.merged_calls += part.sites.merged_calls();
    });
    return summary;
  }

  cairn::Self self_;
  const cairn::Callers* callers_;
  const cairn::Symbols* symbols_;
  std::size_t depth_;
  unsigned sites_;
  std::atomic<unsigned> top_;  // as the options say, unless a program sets the variables
  std::atomic<bool> table_;
  GatherOptions gathering_;
  ArrivalSample arrivals_;
  cairn::Regions regions_;
  cairn::Moves moves_;
  shared::Communicators communicators_;
  cairn::PerThread<Thread> threads_;
  std::optional<TransferLog> transfers_;
  cairn::LastWill will_{self_};
  int rank_ = 0;  // known after MPI_Init
};

}  // namespace profile

CAIRN_TOOL(profile::Profile)
