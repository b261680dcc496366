// SPDX-License-Identifier: BSD-3-Clause
// report.cc - the table on the terminal and the JSON file

#include "report.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <iterator>
#define JSON_NO_IO
#include <nlohmann/json.hpp>

#define FMT_HEADER_ONLY
#define FMT_STATIC_THOUSANDS_SEPARATOR ','  // spares the tool the C++ library's locales, half its size
#include <fmt/format.h>

namespace profile {

namespace {

double percent(double part, double whole) { return whole > 0 ? 100 * part / whole : 0; }

std::string human_bytes(std::uint64_t bytes) {
  if (bytes < 1000) return fmt::format("{} B", bytes);
  constexpr const char* units[] = {"kB", "MB", "GB", "TB", "PB", "EB"};
  double value = static_cast<double>(bytes) / 1000;
  std::size_t unit = 0;
  while (value >= 999.95 && unit + 1 < std::size(units)) {
    value /= 1000;
    ++unit;
  }
  return fmt::format("{:.1f} {}", value, units[unit]);
}

std::string_view file_of(std::string_view path) { return path.substr(path.rfind('/') + 1); }

std::string heading(const Summary& summary) {
  return fmt::format("cairn {}: {} on {} rank{}, {:.3f} s, {:.1f} % of it in MPI (imbalance {:.1f} %)\n", summary.tool,
                     file_of(summary.program), summary.ranks, summary.ranks == 1 ? "" : "s", summary.run_time.max,
                     percent(summary.mpi_time.total, summary.run_time.total), 100 * imbalance(summary.mpi_time));
}

std::string row(const FunctionSummary& function, double run_time) {
  return fmt::format("  {:<28} {:>12} {:>10} {:>7.2f} {:>12.6f} {:>12.6f} {:>12.6f} {:>8.1f}\n", function.name,
                     function.calls, human_bytes(function.bytes_sent), percent(function.time.total, run_time),
                     function.time.mean, function.time.min, function.time.max, 100 * imbalance(function.time));
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
  const std::size_t number = functions.size() - from;
  return fmt::format("  {:<28} {:>12} {:>10} {:>7.2f} {:>12.6f}\n",
                     fmt::format("{} other function{}", number, number == 1 ? "" : "s"), calls, human_bytes(bytes),
                     percent(total, run_time), mean);
}

/// "halo.c:120 exchange", or what is known in its place.
std::string name_of(const SourcePosition& place) {
  if (place.file.empty() && place.caller.empty()) return fmt::format("{}+{:#x}", file_of(place.object), place.offset);
  if (place.file.empty()) return fmt::format("{} in {}", place.caller, file_of(place.object));
  return fmt::format("{}:{} {}", file_of(place.file), place.line, place.caller);
}

std::string site_row(const CallSiteSummary& site, double run_time) {
  std::string name = site.places.empty() ? "other places" : name_of(site.places.front());
  constexpr std::size_t widest = 38;
  if (name.size() > widest) name = name.substr(0, widest - 3) + "...";
  return fmt::format("  {:<38} {:<22} {:>12} {:>7.2f} {:>12.6f} {:>8.1f}\n", name, site.function, site.calls,
                     percent(site.time.total, run_time), site.time.mean, 100 * imbalance(site.time));
}

std::string site_table(const Summary& summary, std::size_t count) {
  std::string out = fmt::format("  {:<38} {:<22} {:>12} {:>7} {:>12} {:>8}\n", "call site", "function", "calls",
                                "% run", "mean s", "imbal %");
  for (std::size_t i = 0; i < count; ++i) out += site_row(summary.sites[i], summary.run_time.total);
  if (summary.merged_calls != 0)
    out += fmt::format("  {} calls came from more places than are kept apart; they are under 'other places'\n",
                       summary.merged_calls);
  return out;
}

/// One sentence on who is waited for; empty where nothing is known or little is waited.
std::string waiting_line(const Summary& summary) {
  constexpr double worth_saying = 1;  // percent of the run
  const Waiting& waiting = summary.waiting;
  const double share = percent(waiting.time, summary.run_time.total);
  if (waiting.calls == 0 || share < worth_saying) return {};
  const int late = waiting.late_rank(summary.ranks);
  return fmt::format(
      "  collective calls on MPI_COMM_WORLD: {:.2f} % of the run is waiting for the last rank{}\n", share,
      late < 0
          ? ""
          : fmt::format(", {:.0f} % of it for rank {}", percent(waiting.causes.front().second, waiting.time), late));
}

std::string region_table(const Summary& summary) {
  if (summary.regions.empty()) return {};
  std::string out = fmt::format("  {:<38} {:>9} {:>12} {:>12} {:>7} {:>10} {:>8}\n", "region", "visits", "mean s",
                                "max s", "% MPI", "sent", "imbal %");
  constexpr std::size_t shown = 10;
  for (std::size_t i = 0; i < std::min(shown, summary.regions.size()); ++i) {
    const RegionSummary& region = summary.regions[i];
    out += fmt::format("  {:<38} {:>9} {:>12.6f} {:>12.6f} {:>7.2f} {:>10} {:>8.1f}\n",
                       region.path.empty() ? "(outside)" : region.path, region.visits, region.in_region.mean,
                       region.in_region.max, percent(region.time.total, region.in_region.total),
                       human_bytes(region.bytes_sent), 100 * imbalance(region.in_region));
  }
  if (summary.regions.size() > shown) out += fmt::format("  {} other regions\n", summary.regions.size() - shown);
  return out;
}

double overlap_of(const TransferAmounts& transfers) {
  return transfers.under_way > 0 ? 1 - transfers.waited / transfers.under_way : 0;
}

/// How much of the time of non-blocking transfers the program did something else.
std::string transfer_line(const Summary& summary) {
  TransferAmounts all;
  for (const FunctionSummary& function : summary.functions) {
    all.completed += function.transfers.completed;
    all.under_way += function.transfers.under_way;
    all.waited += function.transfers.waited;
  }
  if (all.completed == 0) return {};
  return fmt::format("  {} non-blocking transfers: overlapped for {:.0f} % of the time that they were under way\n",
                     all.completed, 100 * overlap_of(all));
}

std::string split_line(const Summary& summary) {
  const Split& split = summary.split;
  const double all = split.waiting + split.blocking + split.moving + split.rest;
  if (all <= 0) return {};
  return fmt::format(
      "  in MPI: {:.0f} % waiting, {:.0f} % in blocking calls (waiting or moving data), {:.0f} % moving data, {:.0f} % "
      "the "
      "rest\n",
      percent(split.waiting, all), percent(split.blocking, all), percent(split.moving, all), percent(split.rest, all));
}

/// What the ranks do outside MPI; with several threads in MPI it is not known.
std::string own_work_line(const Summary& summary) {
  if (summary.ranks < 2 || summary.threads != 1 || summary.own_time.mean <= 0) return {};
  return fmt::format(
      "  outside MPI: {:.3f} s on the average rank, {:.3f} s at most (imbalance {:.1f} %); MPI_Init {:.3f} s\n",
      summary.own_time.mean, summary.own_time.max, 100 * imbalance(summary.own_time), summary.start_time.max);
}

nlohmann::ordered_json to_json(const Waiting& waiting, int ranks) {
  nlohmann::ordered_json out = {{"calls_per_rank", waiting.calls},
                                {"compared", waiting.compared},
                                {"time_s", waiting.time},
                                {"error_s", waiting.error},
                                {"mean_spread_s", waiting.mean_spread},
                                {"max_spread_s", waiting.max_spread},
                                {"time_s_by_function", nlohmann::ordered_json::object()},
                                {"time_s_by_last_rank", waiting.causes},
                                {"last_ranks", waiting.last_ranks}};
  for (const auto& [name, time] : waiting.functions) out["time_s_by_function"][name] = time;
  if (const int late = waiting.late_rank(ranks); late >= 0) out["late_rank"] = late;
  return out;
}

nlohmann::ordered_json to_json(const OverRanks& quantity) {
  nlohmann::ordered_json out = {
      {"total", quantity.total}, {"mean", quantity.mean}, {"min", quantity.min}, {"max", quantity.max}};
  if (!quantity.by_rank.empty()) out["by_rank"] = quantity.by_rank;
  return out;
}

/// Pairs of an upper limit, which no value reaches, and a number of calls; without the empty ones.
nlohmann::ordered_json to_json(const Histogram& histogram, double unit) {
  nlohmann::ordered_json out = nlohmann::ordered_json::array();
  for (std::size_t i = 0; i < histogram.size(); ++i)
    if (histogram[i] != 0) out.push_back({std::ldexp(unit, static_cast<int>(i)), histogram[i]});
  return out;
}

void add_amounts(nlohmann::ordered_json& out, const Amounts& amounts, double seconds_per_tick) {
  out["calls"] = amounts.calls;
  out["calls_max"] = amounts.calls_max;
  out["bytes_sent"] = amounts.bytes_sent;
  out["bytes_received"] = amounts.bytes_received;
  out["time_s"] = to_json(amounts.time);
  out["imbalance"] = imbalance(amounts.time);
  out["ranks"] = amounts.ranks;
  out["slowest_rank"] = amounts.slowest_rank;
  out["shortest_call_s"] = amounts.least;
  out["longest_call_s"] = amounts.most;
  out["calls_by_time_s"] = to_json(amounts.by_time, seconds_per_tick);
  out["calls_by_bytes_sent"] = to_json(amounts.by_size, 1);
  if (amounts.in_vain != 0) out["in_vain"] = amounts.in_vain;
  const TransferAmounts& transfers = amounts.transfers;
  if (transfers.completed == 0) return;
  out["transfers"] = {{"completed", transfers.completed},
                      {"under_way_s", transfers.under_way},
                      {"waited_s", transfers.waited},
                      {"overlap", overlap_of(transfers)}};
}

nlohmann::ordered_json to_json(const SourcePosition& place) {
  return {{"file", place.file},
          {"line", place.line},
          {"caller", place.caller},
          {"object", place.object},
          {"offset", place.offset}};
}

nlohmann::ordered_json to_json(const InCall& call) {
  nlohmann::ordered_json out = {{"function", call.function}, {"time_s", call.time}};
  out.update(to_json(call.place));
  return out;
}

nlohmann::ordered_json to_json(const CallSiteSummary& site, double seconds_per_tick) {
  nlohmann::ordered_json out = {{"function", site.function}};
  out.update(to_json(site.places.empty() ? SourcePosition{} : site.places.front()));
  add_amounts(out, site, seconds_per_tick);
  for (std::size_t i = 1; i < site.places.size(); ++i) out["callers"].push_back(to_json(site.places[i]));
  return out;
}

nlohmann::ordered_json to_json(const FunctionSummary& function, double seconds_per_tick) {
  nlohmann::ordered_json out = {{"name", function.name}};
  add_amounts(out, function, seconds_per_tick);
  return out;
}

/// What a region's functions and communicators are told apart by is enough: no histograms.
void add_few_amounts(nlohmann::ordered_json& out, const Amounts& amounts) {
  out["calls"] = amounts.calls;
  out["bytes_sent"] = amounts.bytes_sent;
  out["bytes_received"] = amounts.bytes_received;
  out["time_s"] = to_json(amounts.time);
}

nlohmann::ordered_json to_json(const RegionSummary& region) {
  nlohmann::ordered_json out = {
      {"region", region.path}, {"visits", region.visits}, {"in_region_s", to_json(region.in_region)}};
  add_few_amounts(out, region);
  out["functions"] = nlohmann::ordered_json::array();
  for (const FunctionSummary& function : region.functions) {
    nlohmann::ordered_json entry = {{"name", function.name}};
    add_few_amounts(entry, function);
    out["functions"].push_back(std::move(entry));
  }
  return out;
}

nlohmann::ordered_json to_json(const CommunicatorSummary& communicator) {
  nlohmann::ordered_json out = {{"name", communicator.name},
                                {"processes", communicator.processes},
                                {"size", communicator.size},
                                {"remote_size", communicator.remote_size},
                                {"communicators", communicator.communicators},
                                {"members", communicator.members}};
  add_few_amounts(out, communicator);
  return out;
}

template <class Entries, class... More>
nlohmann::ordered_json array_of(const Entries& entries, More... more) {
  nlohmann::ordered_json out = nlohmann::ordered_json::array();
  for (const auto& entry : entries) out.push_back(to_json(entry, more...));
  return out;
}

std::string tools_line(const Summary& summary) {
  const ToolsCalls& tools = summary.of_tools;
  if (tools.calls == 0) return {};
  return fmt::format("  not among these: {} calls of tools above for themselves, {} sent, {:.6f} s\n", tools.calls,
                     human_bytes(tools.bytes_sent), tools.time);
}

}  // namespace

double imbalance(const OverRanks& quantity) { return quantity.mean > 0 ? quantity.max / quantity.mean - 1 : 0; }

std::string format_table(const Summary& summary, unsigned top, unsigned sites) {
  std::string out = heading(summary);
  out += fmt::format("  {:<28} {:>12} {:>10} {:>7} {:>12} {:>12} {:>12} {:>8}\n", "function", "calls", "sent", "% run",
                     "mean s", "min s", "max s", "imbal %");
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

std::string format_json(const Summary& summary) {
  nlohmann::ordered_json out;
  out["format"] = "cairn-profile 1";
  if (!summary.run.empty()) out["run"] = summary.run;
  out["program"] = summary.program;
  out["ranks"] = summary.ranks;
  if (!summary.ended_by.empty())
    out["part"] = {{"rank", summary.rank}, {"ended_by", summary.ended_by}, {"in_calls", array_of(summary.in_calls)}};
  out["threads"] = summary.threads;
  out["run_time_s"] = to_json(summary.run_time);
  out["mpi_time_s"] = to_json(summary.mpi_time);
  out["split_s"] = {{"waiting", summary.split.waiting},
                    {"blocking", summary.split.blocking},
                    {"moving", summary.split.moving},
                    {"rest", summary.split.rest}};
  out["start_time_s"] = to_json(summary.start_time);
  out["own_time_s"] = to_json(summary.own_time);
  out["busiest_rank"] = summary.busiest_rank;
  out["run_delay_s"] = to_json(summary.run_delay);
  out["involuntary_switches"] = to_json(summary.involuntary_switches);
  if (summary.waiting.calls != 0) out["waiting"] = to_json(summary.waiting, summary.ranks);
  if (const ToolsCalls& tools = summary.of_tools; tools.calls != 0)
    out["tools"] = {{"calls", tools.calls}, {"bytes_sent", tools.bytes_sent}, {"time_s", tools.time}};
  out["functions"] = array_of(summary.functions, summary.seconds_per_tick);
  out["callsites"] = array_of(summary.sites, summary.seconds_per_tick);
  if (summary.sites_left_out != 0) out["callsites_left_out"] = summary.sites_left_out;
  if (!summary.regions.empty()) out["regions"] = array_of(summary.regions);
  out["communicators"] = array_of(summary.communicators);
  return out.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

}  // namespace profile
