// SPDX-License-Identifier: BSD-3-Clause
// timeline.cc - going through a run's traces for the page: once for how much there is, then for what is shown of it

#include "cli/report/timeline.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <map>

#include "cli/report/timeline_calls.hpp"
#include "cli/report/timeline_levels.hpp"
#include "cli/report/wording.hpp"
#include "cli/trace/call_text.hpp"
#include "formats/text.hpp"
#include "trace/events.hpp"
#include "trace/flows.hpp"

namespace cairn::report {

namespace {

using cli::ProcessTrace;
using cli::RunTraces;

constexpr std::size_t most_functions = 254;  // what a cell can name

// ------------------------------------------------------------ how much there is

/// Calls by their durations: so many classes from one power of two to the next.
class Durations {
 public:
  void add(std::int64_t ns) { ++calls_[place_of(ns)]; }
  /// The least duration of which, and of all above it, there are no more than so many calls.
  std::int64_t least_of(std::size_t most) const {
    std::uint64_t sum = 0;
    for (std::size_t place = calls_.size(); place > 0; --place) {
      sum += calls_[place - 1];
      if (sum > most) return first_of(place);
    }
    return 0;
  }

 private:
  static constexpr std::size_t classes = 64;
  static std::size_t place_of(std::int64_t ns) {
    const auto value = static_cast<std::uint64_t>(std::max<std::int64_t>(ns, 0));
    if (value < 2 * classes) return value / 2;
    const std::size_t power = static_cast<std::size_t>(std::bit_width(value / classes)) - 1;
    return power * classes + (value >> power) - classes;
  }
  static std::int64_t first_of(std::size_t place) {
    if (place < classes) return static_cast<std::int64_t>(place * 2);
    return static_cast<std::int64_t>((place % classes + classes) << (place / classes));
  }
  std::array<std::uint64_t, classes * 64> calls_{};
};

struct Extent {
  std::int64_t first_ns = 0;  // of the run; all that follows is since then
  std::int64_t from = INT64_MAX;
  std::int64_t to = 0;
  std::uint64_t calls = 0;
  Durations durations;
  std::map<std::pair<std::size_t, std::uint32_t>, std::size_t> rows;  // by process and thread
  std::map<std::string, double> seconds;                              // by function
};

bool is_in(const TimelineWindow& window, std::int64_t begin, std::int64_t end) {
  return end >= window.from && begin <= window.to;
}

Extent extent_of(const RunTraces& run, const TimelineWindow& window) {
  Extent extent;
  extent.first_ns = run.first_ns();
  for (std::size_t i = 0; i < run.processes.size(); ++i) {
    const ProcessTrace& process = *run.processes[i];
    for (trace::Records records(process.file); const trace::Record* call = records.now(); records.step()) {
      if (trace::is_detail(*call)) continue;
      const std::int64_t begin = process.nanoseconds(call->entry) - extent.first_ns;
      const std::int64_t end =
          call->exit == 0 ? begin : std::max(begin, process.nanoseconds(call->exit) - extent.first_ns);
      if (!is_in(window, begin, end)) continue;
      extent.from = std::min(extent.from, begin);
      extent.to = std::max(extent.to, end);
      extent.durations.add(end - begin);
      extent.rows[{i, records.thread()}] = 0;
      extent.seconds[cli::name_of(process.file, *call)] += 1e-9 * static_cast<double>(end - begin);
      ++extent.calls;
    }
  }
  if (extent.calls == 0) return extent;
  extent.from = std::max({extent.from, window.from, std::int64_t{0}});
  extent.to = std::max(std::min(extent.to, window.to), extent.from + 1);
  std::size_t number = 0;
  for (auto& [of, row] : extent.rows) row = number++;
  return extent;
}

/// Those with most time first: numbers by name.
std::vector<std::pair<std::string, double>> functions_of(const Extent& extent) {
  std::vector<std::pair<std::string, double>> all(extent.seconds.begin(), extent.seconds.end());
  std::ranges::stable_sort(all, std::greater<>(), [](const auto& one) { return one.second; });
  return all;
}

/// A power of two, so that levels divide evenly.
std::size_t bins_of(std::size_t rows, const TimelineLimits& limits) {
  return std::bit_floor(std::max<std::size_t>(std::min(limits.bins, limits.cells / rows), 1));
}

// ------------------------------------------------------------ what is shown

struct Timeline {
  Extent extent;
  TimelineWindow shown;  // where there is something
  std::int64_t least = 0;
  std::size_t row_count;
  std::vector<std::pair<std::string, double>> functions;
  std::map<std::string, std::size_t, std::less<>> numbers;  // of functions
  TimelineLevels levels;
  TimelineCalls calls;
  TimelineMessages messages;
  std::uint64_t calls_shown = 0;

  Timeline(Extent of, const TimelineLimits& limits)
      : extent(std::move(of)),
        shown{extent.from, extent.to},
        least(extent.durations.least_of(limits.calls)),
        row_count(std::min(extent.rows.size(), limits.rows)),
        functions(functions_of(extent)),
        levels(row_count, std::min(functions.size(), most_functions), shown.to - shown.from,
               bins_of(row_count, limits)),
        calls(row_count),
        messages(limits.messages) {
    for (std::size_t i = 0; i < functions.size(); ++i) numbers[functions[i].first] = std::min(i, most_functions - 1);
  }
  /// row_count: none.
  std::size_t row_of(std::size_t process, std::uint32_t thread) const {
    const auto found = extent.rows.find({process, thread});
    return found == extent.rows.end() ? row_count : std::min(found->second, row_count);
  }
};

/// What a call received, of which nobody knew when it began.
std::string received_text(const trace::Message& message) {
  return fmt::format("received {} from {}, tag {}", formats::plural(message.bytes, "byte"), message.peer, message.tag);
}

/// Takes one process into the timeline; `is_again`: only messages whose other end is known.
class Collector : public trace::EventSink {
 public:
  Collector(Timeline& timeline, const RunTraces& run, std::size_t number, where::Places& places, bool is_again)
      : timeline_(timeline),
        process_(*run.processes[number]),
        number_(number),
        places_(places),
        is_again_(is_again),
        flows_(process_.file, [this](const trace::FlowEnd& end) { add_end(end); }) {}

  void enter(std::uint32_t thread, std::int64_t ns, const trace::Record& call) override {
    Thread& its = of(thread);
    const std::int64_t begin = since(ns);
    const std::int64_t end = call.exit == 0 ? INT64_MAX : since(process_.file.nanoseconds(call.exit));
    its.open.push_back({begin, end - begin >= timeline_.least && is_in(timeline_.shown, begin, end), {}});
  }
  void leave(std::uint32_t thread, std::int64_t ns, const trace::Record& call) override;
  void message(std::uint32_t thread, std::int64_t ns, const trace::Message& message) override {
    const bool is_shown = of(thread).open.back().is_shown;
    const bool is_received = message.what == trace::Transfer::receive || message.what == trace::Transfer::end_receive;
    if (is_received) tell(thread, received_text(message));
    flows_.take(thread, ns, message, is_shown && !is_again_ ? 1 : 0);
  }
  void gap(std::uint32_t /*thread*/, std::int64_t /*ns*/, std::uint64_t /*count*/) override { flows_.lose(); }
  void moved(std::uint32_t thread, const trace::Record& /*call*/, trace::Moved bytes) override {
    tell(thread, cli::moved_text(bytes));
  }
  void access(std::uint32_t thread, std::int64_t /*ns*/, const trace::Access& access) override {
    if (access.bytes) tell(thread, cli::transferred_text(*access.bytes));
  }
  void finish() {
    for (std::uint32_t thread = 0; thread < threads_.size(); ++thread)
      if (Thread& its = threads_[thread]; !its.levels.empty())
        timeline_.levels.take(timeline_.row_of(number_, thread), std::move(its.levels.front()));
  }

 private:
  static constexpr std::size_t most_received = 400;
  struct Open {
    std::int64_t begin;
    bool is_shown;
    std::string received;
  };
  struct Thread {
    std::vector<Open> open;
    std::vector<TimelineLevels::Row> levels;  // one, once there is something
  };

  Thread& of(std::uint32_t thread) {
    if (threads_.size() <= thread) threads_.resize(thread + 1);
    return threads_[thread];
  }
  std::int64_t since(std::int64_t ns) const {
    return std::max<std::int64_t>(ns + process_.shift_ns - timeline_.extent.first_ns, 0);
  }
  /// More of the call that is open, as much as is shown.
  void tell(std::uint32_t thread, const std::string& text) {
    Open& its = of(thread).open.back();
    if (its.is_shown && !is_again_ && its.received.size() < most_received)
      its.received += (its.received.empty() ? "" : "; ") + text;
  }
  void add_end(const trace::FlowEnd& end) {
    const std::size_t row = timeline_.row_of(number_, end.thread);
    if (row < timeline_.row_count) timeline_.messages.add(end, row, since(end.ns));
  }
  std::string arguments(const trace::Record& call, const std::string& received) const;

  Timeline& timeline_;
  const ProcessTrace& process_;
  std::size_t number_;
  where::Places& places_;
  bool is_again_;
  trace::Flows flows_;
  std::vector<Thread> threads_;
};

/// Without the handles of requests: they differ where all else is the same.
std::string Collector::arguments(const trace::Record& call, const std::string& received) const {
  std::string text;
  for (const cli::CallArgument& one : cli::arguments_of(process_.file, call))
    if (!one.words.empty() && one.name != "request") text += (text.empty() ? "" : ", ") + one.words;
  for (const std::string& more : {cli::outcome_of(call), std::string(call.exit == 0 ? "not over" : ""), received})
    if (!more.empty()) text += (text.empty() ? "" : "; ") + more;
  return text;
}

void Collector::leave(std::uint32_t thread, std::int64_t ns, const trace::Record& call) {
  Thread& its = of(thread);
  const Open open = std::move(its.open.back());
  its.open.pop_back();
  const std::size_t row = timeline_.row_of(number_, thread);
  const std::int64_t end = since(ns);
  if (is_again_ || row == timeline_.row_count || !is_in(timeline_.shown, open.begin, end)) return;
  const std::size_t function = timeline_.numbers[cli::name_of(process_.file, call)];
  const std::int64_t from = timeline_.shown.from;
  if (its.open.empty()) {
    if (its.levels.empty()) its.levels.emplace_back(timeline_.levels);
    its.levels.front().add(function, std::max(open.begin, from) - from, std::min(end, timeline_.shown.to) - from);
  }
  if (!open.is_shown) return;
  ++timeline_.calls_shown;
  timeline_.calls.add(row, open.begin, end, function, arguments(call, open.received),
                      formats::place_text(places_.of(process_.mapped, call.site)));
}

void collect(Timeline& timeline, const RunTraces& run, where::Places& places, bool is_again) {
  for (std::size_t i = 0; i < run.processes.size(); ++i) {
    Collector collector(timeline, run, i, places, is_again);
    trace::Player(run.processes[i]->file, collector).play();
    if (!is_again) collector.finish();
  }
}

// ------------------------------------------------------------ for the page

Json rows_of(const Timeline& timeline, const RunTraces& run) {
  Json rows = Json::array();
  for (const auto& [of, row] : timeline.extent.rows)
    if (row < timeline.row_count) {
      const std::string rank = std::to_string(run.processes[of.first]->rank());
      rows.push_back(of.second == 0 ? rank : rank + "." + std::to_string(of.second));
    }
  return rows;
}

Json levels_of(const Timeline& timeline) {
  Json levels = Json::array();
  for (const TimelineLevels::Level& level : timeline.levels.levels())
    levels.push_back({{"bins", level.bins}, {"cells", base64(level.cells)}});
  return levels;
}

/// What is on the page, and what is not.
Json notes_of(const Timeline& timeline) {
  Json notes = Json::array();
  if (timeline.least == 0) notes.push_back(plural(timeline.extent.calls, "call") + ", all of them on this page.");
  else
    notes.push_back(
        fmt::format("{} of {} are on this page: those of {} or more. Of the others, it shows which share of each "
                    "interval they take; 'cairn report DIR --between SECONDS' shows all calls of an interval.",
                    count(timeline.calls_shown), plural(timeline.extent.calls, "call"),
                    seconds(1e-9 * static_cast<double>(timeline.least))));
  if (timeline.extent.rows.size() > timeline.row_count)
    notes.push_back(plural(timeline.extent.rows.size() - timeline.row_count, "more thread") + " not on this page.");
  if (timeline.messages.left_out() != 0)
    notes.push_back(plural(timeline.messages.left_out(), "more message") + " not on this page.");
  return notes;
}

}  // namespace

Json timeline_chart(const RunTraces& run, where::Places& places, const TimelineWindow& window,
                    const TimelineLimits& limits) {
  Extent extent = extent_of(run, window);
  if (extent.calls == 0) return {};
  Timeline timeline(std::move(extent), limits);
  collect(timeline, run, places, false);
  if (timeline.messages.are_incomplete()) collect(timeline, run, places, true);
  Json functions = Json::array();
  for (const auto& [name, seconds] : timeline.functions)
    functions.push_back({{"name", harmless(name)}, {"seconds", seconds}});
  Json chart = {{"type", "timeline"},
                {"title", "Ranks over time"},
                {"from", timeline.shown.from},
                {"to", timeline.shown.to},
                {"rows", rows_of(timeline, run)},
                {"functions", std::move(functions)},
                {"all_calls", timeline.least == 0},
                {"levels", levels_of(timeline)},
                {"notes", notes_of(timeline)}};
  timeline.calls.put(chart);
  timeline.messages.put(chart);
  return chart;
}

}  // namespace cairn::report
