// SPDX-License-Identifier: BSD-3-Clause
// wording.cc - figures of waits.json as sentences and tables

#include "waits/wording.hpp"

#include <algorithm>

#include "formats/numbers.hpp"
#include "formats/ranks.hpp"
#include "formats/text.hpp"
#include "waits/summary.hpp"

namespace cairn::waits {

namespace {

using formats::cat;
using formats::fixed;
using formats::significant;
using namespace formats::waits;

constexpr std::size_t most_lines = 5;

std::string percent(double part) { return fixed(100 * part, 1) + " %"; }
std::string seconds(double value) { return significant(value, 3) + " s"; }

void add_efficiency(std::string& out, const Summary& summary) {
  if (summary.coverage.calls == 0) {
    out += "  nothing is known: there are no records of calls\n";
    return;
  }
  const Efficiency& of = summary.efficiency;
  out += cat({"  run ", seconds(summary.run_time), " on ",
              formats::plural(static_cast<std::uint64_t>(summary.ranks), "rank"), "; parallel efficiency ",
              percent(of.parallel), " = load balance ", percent(of.load_balance), " x communication ",
              percent(of.communication), "\n"});
  const double all = summary.split.all();
  if (all > 0)
    out += cat({"  time of all ranks: ", percent(summary.split.work / all), " work, ",
                percent(summary.split.waiting / all), " waiting, ", percent(summary.split.transfer / all),
                " transfer, ", percent(summary.split.start / all), " start of MPI",
                summary.split.unknown > 0
                    ? cat({", ", percent(summary.split.unknown / all), " waiting or transfer: ", unknown_text})
                    : std::string(),
                "\n"});
}

void add_clock(std::string& out, const ClockQuality& clock) {
  if (clock.nodes > 1)
    out += cat({"  the clocks of ", formats::plural(static_cast<std::uint64_t>(clock.nodes), "node"), " ",
                clock.compared == "time of day" ? "are compared by their time of day"
                                                : cat({"were compared at the ", clock.compared}),
                clock.compared == "start" ? "; times were then accurate to " : ", times are accurate to ",
                significant(1e6 * clock.error, 3), " us\n"});
  if (clock.corrected != 0)
    out += cat({"  by the ", clock.nodes > 1 ? "clocks" : "records",
                ", messages were received before they were sent, or barriers left before all ranks arrived: ",
                clock.corrected, " corrected, by up to ", seconds(clock.largest), "\n"});
}

void add_missing(std::string& out, const Summary& summary) {
  if (summary.coverage.is_cut()) out += "  " + analysed_text(summary.coverage) + "\n";
  if (!summary.coverage.missing.empty())
    out += cat({"  without ", formats::named_ranks(summary.coverage.missing), ", which left no records\n"});
  for (const LeftOut& one : summary.coverage.left_out)
    out += cat({"  ", formats::named_ranks(one.ranks), ": ", one.why,
                one.count != 0 ? cat({" (", one.count, ")"}) : std::string(), "\n"});
  for (const Unmatched& one : unmatched(summary.coverage))
    out += cat({"  ", one.what, ": ", one.count, " of ", one.all, "\n"});
  const bool is_graphs_end =
      std::ranges::any_of(summary.coverage.left_out, [](const LeftOut& one) { return one.why == beyond_graph; });
  if (summary.coverage.is_cut())
    out += cat({"    try: waits=", is_graphs_end ? "analysis:0" : "calls:1048576:memory:0", "\n"});
}

void add_predictions(std::string& out, double replayed, const Cause& cause) {
  const auto add = [&](const char* change, double predicted) {
    if (predicted < 0.999 * replayed)  // it is known, and shorter
      out += cat({"      ", change, ", the run would take ", seconds(predicted), "\n"});
  };
  add(cause.in_turn ? "if nobody waited there" : "with the other ranks' time for it", cause.predicted_run);
  add("with that work after what is sent", cause.sent_first_run);
}

}  // namespace

std::string analysed_text(const Coverage& coverage) {
  return cat({"these figures cover the first ", seconds(coverage.analysed), " of the run's ",
              seconds(coverage.whole_run), "; the last ", percent(1 - coverage.analysed / coverage.whole_run),
              " is left out: not all ranks' calls are known there"});
}

std::vector<Unmatched> unmatched(const Coverage& coverage) {
  std::vector<Unmatched> all;
  const auto add = [&](std::uint64_t ends, const char* one, const char* several) {
    if (ends <= coverage.matched) return;
    const std::uint64_t count = ends - coverage.matched;
    all.push_back({count == 1 ? one : several, count, ends});
  };
  add(coverage.sends, "send without a known receive", "sends without a known receive");
  add(coverage.receives, "receive without a known send", "receives without a known send");
  return all;
}

std::string call_text(const Place& place) {
  const std::string where = place_text(place.at);
  return where.empty() ? place.function : cat({place.function, " at ", where});
}

std::string piece_text(bool is_work, const Place& from, const Place& to) {
  return is_work ? cat({"between ", call_text(from), " and ", call_text(to)}) : "in " + call_text(from);
}

std::string work_text(const Cause& cause) {
  return cause.kind == "start" ? "in the start of MPI"
                               : piece_text(cause.kind != "communication", cause.from, cause.to);
}

std::string cause_text(const Cause& cause) {
  if (cause.kind == "usual_work")
    return cat({"usual work of ", formats::named_ranks(cause.ranks), " ", work_text(cause),
                ", for which idle ranks wait ", seconds(cause.cost), ", ", percent(cause.share), " of all waiting"});
  return cat({cause.kind == "work" ? "work of " : "time of ", formats::named_ranks(cause.ranks), " ", work_text(cause),
              " costs the others ", seconds(cause.cost), ", ", percent(cause.share), " of all waiting"});
}

std::string sampled_text(const Cause& cause) {
  std::string text;
  double sum = cause.other_samples;
  for (const Sampled& one : cause.samples) sum += one.time;
  const double all = std::max(cause.own, sum);  // several threads may work at once
  for (const Sampled& one : cause.samples)
    text += cat({text.empty() ? "" : ", ", percent(one.time / all), " ", formats::place_text(one.at)});
  if (cause.other_samples > 0) text += cat({", ", percent(cause.other_samples / all), " other functions"});
  return cat({text, " (", formats::plural(cause.sample_count, "sample"), ")"});
}

std::string text_of(const Summary& summary) {
  std::string out;
  add_efficiency(out, summary);
  add_clock(out, summary.clock);
  add_missing(out, summary);
  if (!summary.causes.empty()) out += "  what ranks wait for:\n";
  for (std::size_t i = 0; i < std::min(most_lines, summary.causes.size()); ++i) {
    const Cause& cause = summary.causes[i];
    out += cat({"    ", cause_text(cause), "\n"});
    if (!cause.samples.empty()) out += cat({"      of that time ", sampled_text(cause), "\n"});
    add_predictions(out, summary.replayed, cause);
  }
  if (!summary.waits.empty()) out += "  where they wait:\n";
  for (std::size_t i = 0; i < std::min(most_lines, summary.waits.size()); ++i) {
    const formats::waits::Wait& wait = summary.waits[i];
    out += cat({"    ", formats::left(wait.kind, 22), formats::right(seconds(wait.time), 12), "  ",
                call_text(wait.place), "\n"});
  }
  return out;
}

}  // namespace cairn::waits
