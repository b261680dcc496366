// SPDX-License-Identifier: BSD-3-Clause
// profile.cc - the one handler that every MPI function of the program goes through, and the report at the end
//
// The handler takes two clock readings and adds to the calling thread's entry for the call site. The results are
// gathered when the program finalizes MPI.

#include <mpi.h>

#include "arrivals.hpp"
#include "bytes.hpp"
#include "cairn/kit.hpp"
#include "cairn/kit/per_thread.hpp"
#include "cairn/kit/variables.hpp"
#include "frames.hpp"
#include "gather.hpp"
#include "record.hpp"
#include "report.hpp"

#include <atomic>

namespace profile {

class Profile {
 public:
  static constexpr std::string_view about =
      "calls, time and bytes of each MPI function and call site, with the imbalance over ranks";
  struct Options {
    unsigned top = 10;
    unsigned sites = 5;
    unsigned depth = 1;
    bool table = true;
    template <class Visit>
    constexpr void describe(Visit visit) {
      visit("top", top, "functions shown in the table on the terminal");
      visit("sites", sites, "call sites shown there");
      visit("depth", depth, "calling functions that make up a call site, up to 16; 0: none, functions only");
      visit("table", table, "whether the table is shown: on or off");
    }
  };

  using Needs = cairn::ServiceList<cairn::Datatypes, cairn::Ranks>;

  Profile(cairn::Self self, const Options& options)
      : self_(self),
        callers_(self.find<cairn::Callers>()),
        symbols_(self.find<cairn::Symbols>()),
        depth_(std::min<std::size_t>(options.depth, deepest)),
        sites_(options.sites),
        top_(options.top),
        table_(options.table) {
    shared::datatypes = &self.need<cairn::Datatypes>();
    shared::ranks = &self.need<cairn::Ranks>();
    start_clock();
    const cairn::Variables variables(self);
    variables.counter("calls", "calls of MPI functions", [this] { return sum(&Totals::calls); });
    variables.aggregate("bytes_sent", "bytes that calls of MPI functions sent", [this] { return sum(&Totals::sent); });
    variables.timer("time", "seconds in MPI functions, all threads together",
                    [this] { return static_cast<double>(sum(&Totals::ticks)) * seconds_per_tick_so_far(); });
    variables.control("top", "functions shown in the table on the terminal", top_);
    variables.control("table", "whether the table is shown", table_);
  }

  template <cairn::Function F>
  auto on(cairn::Call<F>& call) {
    [[maybe_unused]] MPI_Status own;
    if constexpr (received_by_status<F>())
      if (call.template get<cairn::Role::status>() == MPI_STATUS_IGNORE)
        call.template get<cairn::Role::status>() = &own;
    const std::uint64_t begin = ticks_now();
    if constexpr (synchronizes<F>())
      if (call.template get<cairn::Role::comm>() == MPI_COMM_WORLD) arrivals_.add(F, begin);
    const auto result = call.proceed();
    const std::uint64_t spent = ticks_now() - begin;
    Recorded& mine = recorded_.mine();
    Figures& figures = site(mine, F, call.caller(), call.frame()).figures;
    figures.add(spent);
    ++mine.totals.calls;
    mine.totals.ticks += spent;
    if constexpr (counts_bytes<F>() || counts_received<F>())
      if (result == MPI_SUCCESS) count_bytes(call, mine.totals, figures);  // bad arguments cannot be asked about
    return result;
  }

  /// The report is made in it, so it is counted, not timed.
  int on(cairn::Call<cairn::Function::MPI_Finalize_>& call) {
    site(recorded_.mine(), call.function, call.caller(), call.frame()).figures.add(0);
    finish_run();
    return call.proceed();
  }

 private:
  struct Recorded {
    Totals totals;
    Sites sites;
    Frames frames;
  };

  template <cairn::Function F>
  void count_bytes(const cairn::Call<F>& call, Totals& totals, Figures& figures) {
    if constexpr (counts_bytes<F>()) {
      const std::uint64_t sent = sent_bytes<F>(call.arguments());
      totals.sent += sent;
      figures.add_sent(sent);
    }
    if constexpr (received_by_status<F>()) figures.received += bytes_of(*call.template get<cairn::Role::status>());
    else if constexpr (counts_received<F>()) figures.received += received_bytes<F>(call.arguments());
  }

  Site& site(Recorded& mine, cairn::Function function, const void* caller, const void* frame) {
    if (depth_ == 1) [[likely]] {
      Site& site = mine.sites.at(function, reinterpret_cast<std::uintptr_t>(caller));
      if (site.kind == Site::direct) [[likely]]
        return site;
    }
    return site_further_up(mine, function, caller, frame);
  }

  [[gnu::noinline]] Site& site_further_up(Recorded& mine, cairn::Function function, const void* caller,
                                          const void* frame) {
    if (depth_ == 0) return mine.sites.at(function, 0);
    if (depth_ == 1) {
      Site& first = mine.sites.at(function, reinterpret_cast<std::uintptr_t>(caller));
      if (first.kind == Site::unknown)
        first.kind = mine.frames.is_program(callers_, caller) ? Site::direct : Site::indirect;
      if (first.kind == Site::direct) return first;
    }
    return mine.sites.at(function, mine.frames.number(mine.frames.walk(callers_, caller, frame, depth_)));
  }

  void finish_run() {
    const Summary summary = gather_all();
    if (summary.ranks == 0) return;  // not rank 0
    const std::string table = format_table(summary, top_, sites_);
    if (table_) self_.print(table);
    self_.write(self_.file_name("profile", ".json"), format_json(summary));
    self_.write("report.txt", table + "\n", "a");
  }

  unsigned long sum(Figure Totals::*figure) {
    std::uint64_t total = 0;
    recorded_.for_each([&](const Recorded& thread) { total += thread.totals.*figure; });
    return total;
  }

  Summary gather_all() {
    std::array<Figures, cairn::function_count> by_function;
    std::vector<RankTotal> functions;
    std::vector<RankTotal> sites;
    std::uint64_t merged_calls = 0;
    recorded_.for_each([&](Recorded& thread) {
      merged_calls += thread.sites.merged_calls();
      for (const Site& site : thread.sites.all()) {
        if (site.figures.calls == 0) continue;  // only led further up
        by_function[static_cast<std::size_t>(site.function)].add(site.figures);
        sites.push_back({site.function, thread.frames.chain_of(site.place), &site.figures});
      }
    });
    for (std::size_t i = 0; i < by_function.size(); ++i)
      if (by_function[i].calls != 0) functions.push_back({static_cast<cairn::Function>(i), {}, &by_function[i]});
    if (depth_ == 0) sites.clear();
    Summary summary = heading();
    arrivals_.gather(summary.waiting);
    return gather(functions, sites, merged_calls, symbols_, summary);
  }

  Summary heading() const {
    Summary summary;
    summary.program = self_.program();
    summary.tool = self_.name();
    if (self_.instance() > 1) summary.tool += " #" + std::to_string(self_.instance());
    return summary;
  }

  cairn::Self self_;
  const cairn::Callers* callers_;
  const cairn::Symbols* symbols_;
  std::size_t depth_;
  unsigned sites_;
  std::atomic<unsigned> top_;  // as the options say, unless a program sets the variables
  std::atomic<bool> table_;
  Arrivals arrivals_;
  cairn::PerThread<Recorded> recorded_;
};

}  // namespace profile

CAIRN_TOOL(profile::Profile)
