// SPDX-License-Identifier: BSD-3-Clause
// profile.cc - the one handler that every MPI function of the program goes through, and the report at the end
//
// The handler takes two clock readings and adds to the calling thread's entry for the call site, and to that for the
// communicator. The results are gathered when the program finalizes MPI.

#include <mpi.h>

#include <atomic>
#include <optional>
#include <type_traits>

#include "arrivals.hpp"
#include "cairn/kit.hpp"
#include "cairn/kit/moves.hpp"
#include "cairn/kit/results.hpp"
#include "cairn/kit/status_bytes.hpp"
#include "cairn/kit/variables.hpp"
#include "calls.hpp"
#include "comparison.hpp"
#include "gather.hpp"
#include "report.hpp"
#include "thread.hpp"
#include "transfers.hpp"

namespace profile {

/// Of what is no error code nothing is known.
template <class Result>
bool is_success([[maybe_unused]] Result result) {
  if constexpr (std::is_same_v<Result, int>) return result == MPI_SUCCESS;
  else return false;
}

class Profile {
 public:
  static constexpr std::string_view about =
      "calls, time and bytes of each MPI function and call site, with the imbalance over ranks";
  static constexpr bool obeys_levels = true;
  struct Options {
    unsigned top = 10;
    unsigned sites = 5;
    unsigned depth = 1;
    std::string_view sort = "time";
    cairn::Percent threshold;
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

  using Needs = cairn::ServiceList<cairn::Datatypes, cairn::Frees, cairn::Ranks, cairn::Requests, cairn::ToolCalls>;

  Profile(cairn::Self self, const Options& options)
      : self_(self),
        symbols_(self.find<cairn::Symbols>()),
        sites_(options.sites),
        top_(options.top),
        table_(options.table),
        gathering_{options.ranks, options.threshold.value, order_of(options.sort), options.depth > 1},
        moves_(self.need<cairn::Datatypes>(), self.need<cairn::Ranks>()),
        calls_(self, self.need<cairn::Ranks>(), self.need<cairn::Frees>(),
               std::min<std::size_t>(options.depth, deepest)) {
    if (options.depth > deepest)
      self.warn("option 'depth' cannot be '" + std::to_string(options.depth) + "'; it is at most " +
                std::to_string(deepest) + ", which is used");
    calls_.threads().mine().begin(run_clock.started_ticks());
    if (options.transfers) transfers_.emplace(self, calls_.threads());
    const cairn::Variables variables(self);
    variables.counter("calls", "calls of MPI functions", [this] { return calls_.sum(&CommFigures::calls); });
    variables.aggregate("bytes_sent", "bytes that calls of MPI functions sent",
                        [this] { return calls_.sum(&CommFigures::sent); });
    variables.timer("time", "seconds in MPI functions, all threads together",
                    [this] { return static_cast<double>(calls_.sum(&CommFigures::ticks)) * rate_so_far(); });
    variables.control("top", "functions shown in the table on the terminal", top_);
    variables.control("table", "whether the table is shown", table_);
  }

  /// Inline: it is all of the wrapper, whose frame is asked for where it is needed, which spares the other calls
  /// Call::frame.
  template <cairn::Function F>
  [[gnu::always_inline]] auto on(cairn::Call<F>& call) {
    Thread& mine = calls_.mine();
    [[maybe_unused]] MPI_Status own;
    if constexpr (cairn::received_by_status<F>())
      if (arg<cairn::Role::status>(call) == MPI_STATUS_IGNORE) arg<cairn::Role::status>(call) = &own;
    prepare(call);
    const void* frame = __builtin_dwarf_cfa();
    UnderWay now(F, call.caller());
    cairn::NotedCall noted;
    const bool is_noted = mine.notes.are_read();
    if (is_noted) [[unlikely]]
      frame = calls_.enter_noted(mine, now, noted, frame);
    else mine.enter(now);
    const auto result = call.proceed();
    const std::uint64_t end = is_noted ? calls_.leave_noted(noted) : ticks_now();
    if constexpr (cairn::starts_mpi<F>()) publish();
    if (is_success(result)) [[likely]] {
      const CachedSite& site = is_frequent<F>() ? Calls::count_inline(mine, now, end, on_of(call), frame)
                                                : Calls::count(mine, now, end, on_of(call), frame);
      look_at_arguments(call, site, now.begin, end);
      if constexpr (starts_requests<F>()) add_started(mine, site);
    } else {
      Calls::count(mine, now, end, {}, frame);
    }
    if constexpr (starts_requests<F>()) mine.started_sent = mine.started_received = 0;
    if constexpr (F == cairn::Function::MPI_Pcontrol_) {
      calls_.change_region(call, mine);
      results_.hear(arg<cairn::Role::level>(call));
    }
    if constexpr (cairn::starts_mpi<F>())
      if (start_.is_first(result)) start_run();
    return result;
  }

  template <cairn::Function F>
  requires(F != cairn::Function::MPI_Finalize_) auto on_tools_call(cairn::Call<F>& call) {
    const std::uint64_t begin = ticks_now();
    const auto result = call.proceed();
    ToolTotals& totals = calls_.mine().of_tools;
    totals.ticks += ticks_now() - begin;
    ++totals.calls;
    if constexpr (cairn::counts_sent<F>())
      if (result == MPI_SUCCESS) totals.sent += moves_.sent<F>(call.arguments());
    return result;
  }

  /// The report is made in it, so it is counted, not timed.
  int on(cairn::Call<cairn::Function::MPI_Finalize_>& call) {
    count_untimed(call);
    cairn::take_turn<&Profile::finish_run>(self_, *this);
    return call.proceed();
  }
  template <cairn::Function F>
  requires(cairn::finalizes_session<F>()) int on(cairn::Call<F>& call) {
    count_untimed(call);
    cairn::take_session_turn<&Profile::finish_run>(self_, *this);
    return call.proceed();
  }

 private:
  /// Point-to-point messages and their completion.
  template <cairn::Function F>
  static constexpr bool is_frequent() {
    using enum cairn::Category;
    const cairn::Category category = cairn::facts(F).category;
    return category == point_to_point || category == point_to_point_nonblocking || category == completion ||
           category == completion_nonblocking;
  }

  template <cairn::Function F>
  void count_untimed(const cairn::Call<F>& call) {
    UnderWay now(call.function, call.caller());
    calls_.mine().enter(now);
    Calls::count(calls_.mine(), now, now.begin, {}, call.frame());
  }

  template <cairn::Function F>
  void prepare(cairn::Call<F>& call) {
    if constexpr (F == cairn::Function::MPI_Comm_set_name_) calls_.forget(arg<cairn::Role::comm>(call));
  }

  template <cairn::Function F>
  static Calls::On on_of(const cairn::Call<F>& call) {
    if constexpr (cairn::has<F>(cairn::Role::comm)) return Calls::On(arg<cairn::Role::comm>(call));
    else return {};
  }

  /// They are good, so that MPI can be asked about them.
  template <cairn::Function F>
  void look_at_arguments(const cairn::Call<F>& call, const CachedSite& site, std::uint64_t begin, std::uint64_t end) {
    using cairn::Role;
    if constexpr (synchronizes<F>())
      if (on_of(call).comm == MPI_COMM_WORLD) arrivals_.add(F, begin, end);
    if constexpr (cairn::counts_sent<F>()) calls_.add_sent(site, moves_.sent<F>(call.arguments()));
    if constexpr (cairn::received_by_status<F>())
      calls_.add_received(site, cairn::StatusBytes::of(*arg<Role::status>(call)));
    else if constexpr (cairn::counts_received<F>()) calls_.add_received(site, moves_.received<F>(call.arguments()));
    if constexpr (asks<F>()) site.site->figures.in_vain += found_nothing(call) ? 1 : 0;
    if constexpr (cairn::makes_request<F>())
      if (transfers_)
        transfers_->made(*arg<Role::new_request>(call), transfer_of(call, site, end),
                         cairn::describes_transfer(call.category));
  }

  /// Whether the function asks for something that may not be there yet, and returns at once.
  template <cairn::Function F>
  static constexpr bool asks() {
    using enum cairn::Category;
    const cairn::Category category = cairn::facts(F).category;
    return (category == completion_nonblocking || category == probe_nonblocking) &&
           (cairn::has<F>(cairn::Role::flag) || cairn::has<F>(cairn::Role::completed_count));
  }
  template <cairn::Function F>
  static bool found_nothing(const cairn::Call<F>& call) {
    if constexpr (cairn::has<F>(cairn::Role::flag)) return *arg<cairn::Role::flag>(call) == 0;
    else return *arg<cairn::Role::completed_count>(call) == 0;
  }

  template <cairn::Function F>
  TransferLog::Transfer transfer_of(const cairn::Call<F>& call, const CachedSite& site, std::uint64_t now) const {
    constexpr bool is_later = cairn::describes_transfer(cairn::Call<F>::category);
    constexpr bool receives = cairn::has<F>(cairn::Role::source) || cairn::has<F>(cairn::Role::message_inout);
    TransferLog::Transfer made{site.site, now, 0, 0, receives ? 1U : 0U};
    if constexpr (is_later && cairn::describes_sending<F>()) made.sent = moves_.sent<F>(call.arguments());
    if constexpr (is_later && cairn::is_collective<F>())
      made.received = moves_.received<F>(call.arguments()) & ~std::uint64_t{0} >> 1U;
    return made;
  }

  template <cairn::Function F>
  static constexpr bool starts_requests() {
    return cairn::facts(F).category == cairn::Category::start;
  }
  static void add_started(const Thread& mine, const CachedSite& site) {
    if (mine.started_sent != 0) Calls::add_sent(site, mine.started_sent);
    Calls::add_received(site, mine.started_received);
  }

  /// Where this process has a page, its call sites outlive it, too.
  void publish() {
    if (is_published_.exchange(true)) return;
    board_.create(cairn::board::sites, self_.instance());
    if (!board_.is_there()) return;
    publish_sites(&board_);
  }

  void finish_run() {
    gathering_.ended = cairn::run_end(self_);
    const cairn::World world(self_);
    run_clock.anchor();
    Summary summary = heading();
    Comparison comparison(arrivals_, run_clock);
    const RankFigures figures = calls_.figures(self_.program());
    Gathered all = own_figures(figures, gathering_, results_.rank());
    comparison.compare(world);
    gather(world, figures, gathering_, all, summary);
    if (world.rank() == 0) {
      comparison.tell(summary.waiting);
      summary.waiting.late_rank = late_rank(summary.waiting, summary.ranks);
      fill(summary, all, symbols_, gathering_);
      results_.show(format_table(summary, top_, sites_), table_);
      results_.write(file_text(summary));
    }
    results_.end();
    publish_sites(nullptr);
    board_.remove();
  }

  void start_run() {
    cairn::StatusBytes::learn();
    gathering_.load_before = shared::MachineLoad::now();
    results_.begin([this](const std::string& end) { write_part(end); });
  }

  /// What this rank has, where it will not come to the end. First without names: there may be no time for more.
  void write_part(const std::string& end) {
    gathering_.ended = cairn::run_end(self_);
    run_clock.anchor();
    Summary head = heading();
    static_cast<cairn::formats::Part&>(head.part) = {results_.rank(), end};
    head.part.in_calls = calls_.in_calls(self_.program());
    const RankFigures figures = calls_.figures(self_.program());
    for (const cairn::Symbols* const symbols : {static_cast<const cairn::Symbols*>(nullptr), symbols_})
      results_.write_part(file_text(summarize(figures, symbols, gathering_, head, head.part.rank)));
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

  Summary heading() {
    Summary summary;
    summary.run = results_.run();
    summary.program = self_.program();
    summary.tool = self_.title();
    summary.threads = 0;
    calls_.describe_threads(summary);
    return summary;
  }

  cairn::Self self_;
  cairn::RunResults results_{self_, "profile"};
  const cairn::Symbols* symbols_;
  unsigned sites_;
  std::atomic<unsigned> top_;  // as the options say, unless a program sets the variables
  std::atomic<bool> table_;
  GatherOptions gathering_;
  ArrivalSample arrivals_;
  cairn::Moves moves_;
  Calls calls_;
  std::optional<TransferLog> transfers_;
  cairn::MpiStart start_;
  shared::Board board_;
  std::atomic<bool> is_published_{false};
};

}  // namespace profile

CAIRN_TOOL(profile::Profile)
