// SPDX-License-Identifier: BSD-3-Clause
// profile.cc - the one handler that every MPI function of the program goes through, and the report at the end
//
// The handler takes two clock readings and adds to the calling thread's entry for the call site. The results are
// gathered when the program finalizes MPI.

#include <mpi.h>

#include "bytes.hpp"
#include "cairn/kit.hpp"
#include "cairn/kit/per_thread.hpp"
#include "frames.hpp"
#include "gather.hpp"
#include "record.hpp"
#include "report.hpp"

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
        options_(options),
        callers_(self.find<cairn::Callers>()),
        symbols_(self.find<cairn::Symbols>()),
        depth_(std::min<std::size_t>(options.depth, deepest)) {
    datatypes = &self.need<cairn::Datatypes>();
    ranks = &self.need<cairn::Ranks>();
    start_clock();
  }

  template <cairn::Function F>
  auto on(cairn::Call<F>& call) {
    const std::uint64_t begin = ticks_now();
    const auto result = call.proceed();
    const std::uint64_t spent = ticks_now() - begin;
    Figures& figures = site(F, call.caller(), call.frame()).figures;
    figures.add(spent);
    if constexpr (counts_bytes<F>())
      if (result == MPI_SUCCESS) figures.add_sent(sent_bytes<F>(call.arguments()));  // bad arguments cannot be asked
    return result;
  }

  /// The report is made in it, so it is counted, not timed.
  int on(cairn::Call<cairn::Function::MPI_Finalize_>& call) {
    site(call.function, call.caller(), call.frame()).figures.add(0);
    finish_run();
    return call.proceed();
  }

 private:
  struct Recorded {
    Sites sites;
    Frames frames;
  };

  Site& site(cairn::Function function, const void* caller, const void* frame) {
    Recorded& mine = recorded_.mine();
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
    const std::string table = format_table(summary, options_.top, options_.sites);
    if (options_.table) self_.print(table);
    self_.write(self_.file_name("profile", ".json"), format_json(summary));
    self_.write("report.txt", table + "\n", "a");
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
    return gather(functions, sites, merged_calls, symbols_, heading());
  }

  Summary heading() const {
    Summary summary;
    summary.program = self_.program();
    summary.tool = self_.name();
    if (self_.instance() > 1) summary.tool += " #" + std::to_string(self_.instance());
    return summary;
  }

  cairn::Self self_;
  Options options_;
  const cairn::Callers* callers_;
  const cairn::Symbols* symbols_;
  std::size_t depth_;
  cairn::PerThread<Recorded> recorded_;
};

}  // namespace profile

CAIRN_TOOL(profile::Profile)
