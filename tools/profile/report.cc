// SPDX-License-Identifier: BSD-3-Clause
// report.cc - the table on the terminal

#include "report.hpp"

#include <algorithm>

#include "formats/numbers.hpp"
#include "formats/text.hpp"

namespace profile {

using namespace cairn::formats;

namespace {

std::string heading(const Summary& summary) {
  return cat({"cairn ", summary.tool, ": ", harmless(file_of(summary.program)), " on ",
              plural(static_cast<std::uint64_t>(summary.ranks), "rank"), ", ", fixed(summary.run_time.max, 3),
              " s, after MPI_Init ", fixed(percent(summary.mpi_after_start(), summary.run_after_start()), 1),
              " % in MPI (imbalance ", fixed(100 * imbalance(summary.mpi_time), 1), " %)\n"});
}

/// One row of the table of functions, up to what only single functions have.
std::string function_line(const Piece& name, const Piece& calls, const Piece& sent, const Piece& share,
                          const Piece& mean) {
  return cat(
      {"  ", left(name, 28), " ", right(calls, 12), " ", right(sent, 10), " ", right(share, 7), " ", right(mean, 12)});
}

std::string extremes(const Piece& least, const Piece& most, const Piece& imbalance) {
  return cat({" ", right(least, 12), " ", right(most, 12), " ", right(imbalance, 8)});
}

std::string row(const FunctionSummary& function, double run_time) {
  return function_line(function.name, function.calls, human_bytes(function.bytes_sent),
                       fixed(percent(function.time.total, run_time), 2), fixed(function.time.mean, 6)) +
         extremes(fixed(function.time.min, 6), fixed(function.time.max, 6), fixed(100 * imbalance(function.time), 1)) +
         "\n";
}

/// Minimum and maximum of a sum are not known from those of its parts, so the rest has a mean only.
std::string rest(const std::vector<FunctionSummary>& functions, std::size_t from, double run_time) {
  std::uint64_t calls = 0;
  std::uint64_t bytes = 0;
  double total = 0;
  double mean = 0;
  for (std::size_t i = from; i < functions.size(); ++i) {
    calls += functions[i].calls;
    bytes += functions[i].bytes_sent;
    total += functions[i].time.total;
    mean += functions[i].time.mean;
  }
  return function_line(plural(functions.size() - from, "other function"), calls, human_bytes(bytes),
                       fixed(percent(total, run_time), 2), fixed(mean, 6)) +
         "\n";
}

/// One row of the table of call sites.
std::string site_line(const Piece& name, const Piece& function, const Piece& calls, const Piece& share,
                      const Piece& mean, const Piece& imbalance) {
  return cat({"  ", left(name, 38), " ", left(function, 22), " ", right(calls, 12), " ", right(share, 7), " ",
              right(mean, 12), " ", right(imbalance, 8), "\n"});
}

std::string site_row(const CallSiteSummary& site, double run_time) {
  std::string name = harmless(place_text(site.place));
  if (name.empty()) name = "other places";
  constexpr std::size_t widest = 38;
  if (name.size() > widest) name = name.substr(0, widest - 3) + "...";
  return site_line(name, site.function, site.calls, fixed(percent(site.time.total, run_time), 2),
                   fixed(site.time.mean, 6), fixed(100 * imbalance(site.time), 1));
}

std::string site_table(const Summary& summary, std::size_t count) {
  std::string out = site_line("call site", "function", "calls", "% run", "mean s", "imbal %");
  for (std::size_t i = 0; i < count; ++i) out += site_row(summary.sites[i], summary.run_time.total);
  if (summary.merged_calls != 0)
    out += cat({"  ", summary.merged_calls,
                " calls came from more places than are kept apart; they are under 'other places'\n"});
  if (summary.lost_calls != 0)
    out += cat({"  ", summary.lost_calls, " calls from new places are missing: out of memory\n"});
  return out;
}

/// One sentence on who is waited for; empty where nothing is known or little is waited.
std::string waiting_line(const Summary& summary) {
  constexpr double worth_saying = 1;  // percent of the run
  const Waiting& waiting = summary.waiting;
  const double share = percent(waiting.time, summary.run_time.total);
  if (waiting.calls == 0 || share < worth_saying) return {};
  const int late = waiting.late_rank;
  const std::string text =
      cat({"  collective calls on MPI_COMM_WORLD: ", fixed(share, 2), " % of the run is waiting for the last rank"});
  if (late < 0) return text + "\n";
  return cat(
      {text, ", ", fixed(percent(waiting.causes.front().second, waiting.time), 0), " % of it for rank ", late, "\n"});
}

/// One row of the table of regions.
std::string region_line(const Piece& name, const Piece& visits, const Piece& mean, const Piece& most,
                        const Piece& share, const Piece& sent, const Piece& imbalance) {
  return cat({"  ", left(name, 38), " ", right(visits, 9), " ", right(mean, 12), " ", right(most, 12), " ",
              right(share, 7), " ", right(sent, 10), " ", right(imbalance, 8), "\n"});
}

std::string region_table(const Summary& summary) {
  if (summary.regions.empty()) return {};
  std::string out = region_line("region", "visits", "mean s", "max s", "% MPI", "sent", "imbal %");
  constexpr std::size_t shown = 10;
  for (std::size_t i = 0; i < std::min(shown, summary.regions.size()); ++i) {
    const RegionSummary& region = summary.regions[i];
    out += region_line(harmless(name_or(region.path, "(outside)")), region.visits, fixed(region.in_region.mean, 6),
                       fixed(region.in_region.max, 6), fixed(percent(region.time.total, region.in_region.total), 2),
                       human_bytes(region.bytes_sent), fixed(100 * imbalance(region.in_region), 1));
  }
  if (summary.regions.size() > shown) out += cat({"  ", summary.regions.size() - shown, " other regions\n"});
  return out;
}

/// How much of the time of non-blocking transfers the program did something else.
std::string transfer_line(const Summary& summary) {
  TransferAmounts all;
  for (const FunctionSummary& function : summary.functions) all.add(function.transfers);
  if (all.completed == 0) return {};
  return cat({"  ", all.completed, " non-blocking transfers: overlapped for ", fixed(100 * all.overlap(), 0),
              " % of the time that they were under way\n"});
}

std::string split_line(const Summary& summary) {
  const Split& split = summary.split;
  const double all = split.all();
  if (all <= 0) return {};
  const auto share = [&](double part) { return fixed(percent(part, all), 0); };
  return cat({"  in MPI: ", share(split.waiting), " % waiting, ", share(split.blocking),
              " % in blocking calls (waiting or moving data; 'waits' tells), ", share(split.moving), " % moving data, ",
              share(split.rest), " % the rest\n"});
}

/// What the ranks do outside MPI; with several threads in MPI it is not known.
std::string own_work_line(const Summary& summary) {
  if (summary.ranks < 2 || summary.threads != 1 || summary.own_time.mean <= 0) return {};
  return cat({"  outside MPI: ", fixed(summary.own_time.mean, 3), " s on the average rank, ",
              fixed(summary.own_time.max, 3), " s at most (imbalance ", fixed(100 * imbalance(summary.own_time), 1),
              " %); MPI_Init ", fixed(summary.start_time.max, 3), " s\n"});
}

std::string tools_line(const Summary& summary) {
  const ToolsCalls& tools = summary.of_tools;
  if (tools.calls == 0) return {};
  return cat({"  not among these: ", tools.calls, " calls of tools above for themselves, ",
              human_bytes(tools.bytes_sent), " sent, ", fixed(tools.time, 6), " s\n"});
}

}  // namespace

std::string format_table(const Summary& summary, unsigned top, unsigned sites) {
  std::string out = heading(summary);
  out += function_line("function", "calls", "sent", "% run", "mean s") + extremes("min s", "max s", "imbal %") + "\n";
  const std::size_t shown = std::min<std::size_t>(top, summary.functions.size());
  for (std::size_t i = 0; i < shown; ++i) out += row(summary.functions[i], summary.run_time.total);
  if (shown < summary.functions.size()) out += rest(summary.functions, shown, summary.run_time.total);
  if (sites != 0 && !summary.sites.empty())
    out += site_table(summary, std::min<std::size_t>(sites, summary.sites.size()));
  out += region_table(summary);
  out += split_line(summary);
  out += waiting_line(summary);
  out += transfer_line(summary);
  out += own_work_line(summary);
  out += tools_line(summary);
  return out;
}

}  // namespace profile
