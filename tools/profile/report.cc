// SPDX-License-Identifier: BSD-3-Clause
// report.cc - the table on the terminal and the JSON file

#include "report.hpp"

#include <algorithm>
#include <cmath>

#include "formats/json_writer.hpp"
#include "formats/numbers.hpp"
#include "formats/tags.hpp"
#include "formats/text.hpp"

namespace profile {

using namespace cairn::formats;

namespace {

std::string heading(const Summary& summary) {
  return cat({"cairn ", summary.tool, ": ", file_of(summary.program), " on ",
              plural(static_cast<std::uint64_t>(summary.ranks), "rank"), ", ", fixed(summary.run_time.max, 3), " s, ",
              fixed(percent(summary.mpi_time.total, summary.run_time.total), 1), " % of it in MPI (imbalance ",
              fixed(100 * imbalance(summary.mpi_time), 1), " %)\n"});
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
  std::string name = site.places.empty() ? "other places" : place_text(site.places.front());
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
  return out;
}

/// One sentence on who is waited for; empty where nothing is known or little is waited.
std::string waiting_line(const Summary& summary) {
  constexpr double worth_saying = 1;  // percent of the run
  const Waiting& waiting = summary.waiting;
  const double share = percent(waiting.time, summary.run_time.total);
  if (waiting.calls == 0 || share < worth_saying) return {};
  const int late = waiting.late_rank(summary.ranks);
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
    out += region_line(region.path.empty() ? "(outside)" : region.path, region.visits, fixed(region.in_region.mean, 6),
                       fixed(region.in_region.max, 6), fixed(percent(region.time.total, region.in_region.total), 2),
                       human_bytes(region.bytes_sent), fixed(100 * imbalance(region.in_region), 1));
  }
  if (summary.regions.size() > shown) out += cat({"  ", summary.regions.size() - shown, " other regions\n"});
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
  return cat({"  ", all.completed, " non-blocking transfers: overlapped for ", fixed(100 * overlap_of(all), 0),
              " % of the time that they were under way\n"});
}

std::string split_line(const Summary& summary) {
  const Split& split = summary.split;
  const double all = split.waiting + split.blocking + split.moving + split.rest;
  if (all <= 0) return {};
  const auto share = [&](double part) { return fixed(percent(part, all), 0); };
  return cat({"  in MPI: ", share(split.waiting), " % waiting, ", share(split.blocking),
              " % in blocking calls (waiting or moving data), ", share(split.moving), " % moving data, ",
              share(split.rest), " % the rest\n"});
}

/// What the ranks do outside MPI; with several threads in MPI it is not known.
std::string own_work_line(const Summary& summary) {
  if (summary.ranks < 2 || summary.threads != 1 || summary.own_time.mean <= 0) return {};
  return cat({"  outside MPI: ", fixed(summary.own_time.mean, 3), " s on the average rank, ",
              fixed(summary.own_time.max, 3), " s at most (imbalance ", fixed(100 * imbalance(summary.own_time), 1),
              " %); MPI_Init ", fixed(summary.start_time.max, 3), " s\n"});
}

void write_waiting(JsonWriter& json, const Waiting& waiting, int ranks) {
  const auto row = [&](const auto& pair) { json.row(pair.first, pair.second); };
  json.object("waiting", [&] {
    json("calls_per_rank", waiting.calls);
    json("compared", waiting.compared);
    json("time_s", waiting.time);
    json("error_s", waiting.error);
    json("mean_spread_s", waiting.mean_spread);
    json("max_spread_s", waiting.max_spread);
    json.object("time_s_by_function", [&] {
      for (const auto& [name, time] : waiting.functions) json(name, time);
    });
    json.array("time_s_by_last_rank", waiting.causes, row);
    json.array("last_ranks", waiting.last_ranks, row);
    if (const int late = waiting.late_rank(ranks); late >= 0) json("late_rank", late);
  });
}

void write_over_ranks(JsonWriter& json, const char* name, const OverRanks& quantity) {
  json.object(name, [&] {
    json("total", quantity.total);
    json("mean", quantity.mean);
    json("min", quantity.min);
    json("max", quantity.max);
    if (!quantity.by_rank.empty()) json.values("by_rank", quantity.by_rank);
  });
}

/// Pairs of an upper limit, which no value reaches, and a number of calls; without the empty ones.
void write_histogram(JsonWriter& json, const char* name, const Histogram& histogram, double unit) {
  json.name(name);
  json.array([&] {
    for (std::size_t i = 0; i < histogram.size(); ++i)
      if (histogram[i] != 0) json.row(std::ldexp(unit, static_cast<int>(i)), histogram[i]);
  });
}

void write_transfers(JsonWriter& json, const TransferAmounts& transfers) {
  if (transfers.completed == 0) return;
  json.object("transfers", [&] {
    json("completed", transfers.completed);
    json("under_way_s", transfers.under_way);
    json("waited_s", transfers.waited);
    json("overlap", overlap_of(transfers));
  });
}

void write_amounts(JsonWriter& json, const Amounts& amounts, double seconds_per_tick) {
  json("calls", amounts.calls);
  json("calls_max", amounts.calls_max);
  json("bytes_sent", amounts.bytes_sent);
  json("bytes_received", amounts.bytes_received);
  write_over_ranks(json, "time_s", amounts.time);
  json("imbalance", imbalance(amounts.time));
  json("ranks", amounts.ranks);
  json("slowest_rank", amounts.slowest_rank);
  json("shortest_call_s", amounts.least);
  json("longest_call_s", amounts.most);
  write_histogram(json, "calls_by_time_s", amounts.by_time, seconds_per_tick);
  write_histogram(json, "calls_by_bytes_sent", amounts.by_size, 1);
  if (amounts.in_vain != 0) json("in_vain", amounts.in_vain);
  write_transfers(json, amounts.transfers);
}

/// What a region's functions and communicators are told apart by is enough: no histograms.
void write_few_amounts(JsonWriter& json, const Amounts& amounts) {
  json("calls", amounts.calls);
  json("bytes_sent", amounts.bytes_sent);
  json("bytes_received", amounts.bytes_received);
  write_over_ranks(json, "time_s", amounts.time);
}

void write(JsonWriter& json, const InCall& call) {
  json.object([&] {
    json("function", call.function);
    json("time_s", call.time);
    write_place(json, call.place);
  });
}

void write(JsonWriter& json, const CallSiteSummary& site, double seconds_per_tick) {
  json.object([&] {
    json("function", site.function);
    write_place(json, site.places.empty() ? SourcePosition{} : site.places.front());
    write_amounts(json, site, seconds_per_tick);
    if (site.places.size() < 2) return;
    json.name("callers");
    json.array([&] {
      for (std::size_t i = 1; i < site.places.size(); ++i) json.object([&] { write_place(json, site.places[i]); });
    });
  });
}

void write(JsonWriter& json, const FunctionSummary& function, double seconds_per_tick) {
  json.object([&] {
    json("name", function.name);
    write_amounts(json, function, seconds_per_tick);
  });
}

void write(JsonWriter& json, const RegionSummary& region) {
  json.object([&] {
    json("region", region.path);
    json("visits", region.visits);
    write_over_ranks(json, "in_region_s", region.in_region);
    write_few_amounts(json, region);
    json.array("functions", region.functions, [&](const FunctionSummary& function) {
      json.object([&] {
        json("name", function.name);
        write_few_amounts(json, function);
      });
    });
  });
}

void write(JsonWriter& json, const CommunicatorSummary& communicator) {
  json.object([&] {
    json("name", communicator.name);
    json("processes", communicator.processes);
    json("size", communicator.size);
    json("remote_size", communicator.remote_size);
    json("communicators", communicator.communicators);
    json("members", communicator.members);
    write_few_amounts(json, communicator);
  });
}

template <class Entries, class... More>
void write_all(JsonWriter& json, const char* name, const Entries& entries, More... more) {
  json.array(name, entries, [&](const auto& entry) { write(json, entry, more...); });
}

void write_heading(JsonWriter& json, const Summary& summary) {
  json("format", profile_tag.text());
  if (!summary.run.empty()) json("run", summary.run);
  json("program", summary.program);
  json("ranks", summary.ranks);
  if (!summary.ended_by.empty())
    json.object("part", [&] {
      json("rank", summary.rank);
      json("ended_by", summary.ended_by);
      write_all(json, "in_calls", summary.in_calls);
    });
  json("threads", summary.threads);
}

/// What the whole run has come to.
void write_totals(JsonWriter& json, const Summary& summary) {
  write_over_ranks(json, "run_time_s", summary.run_time);
  write_over_ranks(json, "mpi_time_s", summary.mpi_time);
  json.object("split_s", [&] {
    json("waiting", summary.split.waiting);
    json("blocking", summary.split.blocking);
    json("moving", summary.split.moving);
    json("rest", summary.split.rest);
  });
  write_over_ranks(json, "start_time_s", summary.start_time);
  write_over_ranks(json, "own_time_s", summary.own_time);
  json("busiest_rank", summary.busiest_rank);
  write_over_ranks(json, "run_delay_s", summary.run_delay);
  write_over_ranks(json, "involuntary_switches", summary.involuntary_switches);
  if (summary.waiting.calls != 0) write_waiting(json, summary.waiting, summary.ranks);
  if (const ToolsCalls& tools = summary.of_tools; tools.calls != 0)
    json.object("tools", [&] {
      json("calls", tools.calls);
      json("bytes_sent", tools.bytes_sent);
      json("time_s", tools.time);
    });
}

std::string tools_line(const Summary& summary) {
  const ToolsCalls& tools = summary.of_tools;
  if (tools.calls == 0) return {};
  return cat({"  not among these: ", tools.calls, " calls of tools above for themselves, ",
              human_bytes(tools.bytes_sent), " sent, ", fixed(tools.time, 6), " s\n"});
}

}  // namespace

double imbalance(const OverRanks& quantity) { return quantity.mean > 0 ? quantity.max / quantity.mean - 1 : 0; }

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

std::string format_json(const Summary& summary) {
  JsonWriter json(2);
  json.object([&] {
    write_heading(json, summary);
    write_totals(json, summary);
    write_all(json, "functions", summary.functions, summary.seconds_per_tick);
    write_all(json, "callsites", summary.sites, summary.seconds_per_tick);
    if (summary.sites_left_out != 0) json("callsites_left_out", summary.sites_left_out);
    if (!summary.regions.empty()) write_all(json, "regions", summary.regions);
    write_all(json, "communicators", summary.communicators);
  });
  return json.take();
}

}  // namespace profile
