// SPDX-License-Identifier: BSD-3-Clause
// profile_lines.cc - the lines of a profile that matter, and what they mean

#include "cli/report/profile_lines.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "cli/report/categories.hpp"
#include "cli/report/entries.hpp"
#include "cli/report/wording.hpp"

namespace cairn::report {

namespace {

using namespace formats::profile;

constexpr std::size_t sites_named = 4;
constexpr double worth_naming = 0.005;  // of the run

double value(const Table& table, std::size_t row, const char* key) {
  const std::size_t column = table.find(key);
  if (column == table.columns.size()) return 0;
  const Json& cell = table.rows[row][column];
  return cell.is_number() ? cell.get<double>() : 0;
}

std::string text(const Table& table, std::size_t row, const char* key) {
  const std::size_t column = table.find(key);
  return column == table.columns.size() ? std::string() : value_text(Kind::text, table.rows[row][column]);
}

/// Call sites say most; a profile of depth 0 has none.
const Table& finest(const Section& section) {
  return section.tables[1].rows.empty() ? section.tables[0] : section.tables[1];
}

std::string function_of(const Table& table, std::size_t row) {
  return text(table, row, table.name == "functions" ? "name" : "function");
}

/// " at heat3d.c:280 exchange_halo"
std::string place_in(const Table& table, std::size_t row) {
  const std::string place = text(table, row, "place");
  return place.empty() ? place : " at " + place;
}

/// ", of which 40.0 % is waiting, 50.0 % in blocking calls (waiting or moving data) and 5.0 % moving data" where the
/// file tells.
std::string split_of(const Split& split) {
  const double all = split.all();
  if (all <= 0) return {};
  return fmt::format(
      ", of which {} is waiting, {} in blocking calls (waiting or moving data; 'waits' tells) and {} moving data",
      percent(split.waiting / all), percent(split.blocking / all), percent(split.moving / all));
}

/// Of one rank's part: where its threads were in MPI.
void add_calls_at_the_end(const std::vector<InCall>& calls, std::vector<Line>& lines) {
  constexpr std::size_t shown = 3;
  for (std::size_t i = 0; i < std::min(shown, calls.size()); ++i)
    lines.push_back({seconds(calls[i].time),
                     "in " + calls[i].function + " at " + report::place_of(calls[i].place) + " when it ended",
                     "The call did not return; its time counts as waiting."});
}

void add_share(const Summary& profile, std::vector<Line>& lines) {
  const double run = profile.run_after_start();  // see add_start
  if (run <= 0) return;
  const double mpi = profile.mpi_after_start();
  const double share = mpi / run;
  const char* judgement = share < 0.05  ? "There is little to gain in MPI."
                          : share < 0.3 ? "The lines below show where."
                                        : "That is a lot; the lines below show where.";
  lines.push_back({percent(share), "of the run is spent in MPI",
                   fmt::format("{} of {} on the average rank{}. {}", seconds(mpi), seconds(run),
                               split_of(profile.split), judgement)});
}

void add_sites(const Section& section, std::vector<Line>& lines) {
  const Table& table = finest(section);
  std::size_t row = 0;
  for (; row < std::min(sites_named, table.rows.size()); ++row) {
    const double share = value(table, row, "run_share");
    if (share < worth_naming && row > 0) break;
    const auto calls = static_cast<std::uint64_t>(value(table, row, "calls"));
    lines.push_back({percent(share), function_of(table, row) + place_in(table, row),
                     fmt::format("{} of {}. {}", plural(calls, "call"), seconds(value(table, row, "call_mean_s")),
                                 meaning_of(function_of(table, row)))});
  }
  if (row == table.rows.size()) return;
  double rest = 0;
  const std::size_t others = table.rows.size() - row;
  for (; row < table.rows.size(); ++row) rest += value(table, row, "run_share");
  lines.push_back({percent(rest), plural(others, table.name == "functions" ? "other function" : "other call site"),
                   "All other MPI calls together."});
}

/// Where the slowest rank loses most against the average one.
void add_imbalance(const Summary& profile, const Section& section, std::vector<Line>& lines) {
  const Table& table = finest(section);
  const auto lost = [&](std::size_t row) {
    return is_start_or_end(function_of(table, row))
               ? 0
               : value(table, row, "time_max_s") - value(table, row, "time_mean_s");
  };
  std::size_t worst = 0;
  for (std::size_t row = 1; row < table.rows.size(); ++row)
    if (lost(row) > lost(worst)) worst = row;
  if (table.rows.empty() || profile.ranks < 2 || lost(worst) <= 0) return;
  const char* reason = waits_for_others(function_of(table, worst)) ? "Ranks that arrive early wait here for the others."
                                                                   : "Check what this rank has more of.";
  if (lost(worst) < worth_naming * profile.run_time.mean) reason = "Too little to matter.";
  lines.push_back(
      {"+" + percent(value(table, worst, "imbalance")),
       "worst imbalance: " + function_of(table, worst) + place_in(table, worst),
       fmt::format("Rank {:.0f} spends most time in it, {}; the average is {}. {}", value(table, worst, "slowest_rank"),
                   seconds(value(table, worst, "time_max_s")), seconds(value(table, worst, "time_mean_s")), reason)});
}

/// Where the time outside MPI is known, add_own_work says more.
void add_ranks(const Summary& profile, std::vector<Line>& lines) {
  if (knows_own_work(profile)) return;
  const double run = profile.run_time.mean;
  if (profile.ranks < 2 || run <= 0) return;
  const double least = profile.mpi_time.min;
  const double most = profile.mpi_time.max;
  const bool even = most - least < 0.05 * run;
  lines.push_back({percent((most - least) / run),
                   "of the run lies between the ranks with the most and the least time in MPI",
                   fmt::format("{} and {}. {}", seconds(most), seconds(least),
                               even ? "The ranks' own work is balanced."
                                    : "Ranks with less time in MPI have more work of their own.")});
}

/// Named where the file says that one stands out.
std::string late_rank_of(const Waiting& waiting) {
  for (const auto& [rank, time] : waiting.causes)
    if (rank == waiting.late_rank && waiting.late_rank >= 0)
      return fmt::format("{} of it for rank {}.", percent(time / waiting.time), rank);
  return "No rank stands out among those that arrive last.";
}

void add_waiting(const Summary& profile, std::vector<Line>& lines) {
  const double run = profile.run_time.total;
  const double time = profile.waiting.time;
  constexpr double worth_saying = 0.01;
  if (run <= 0 || time < worth_saying * run) return;
  lines.push_back({percent(time / run),
                   "of the run is spent waiting for the last rank in collective calls on MPI_COMM_WORLD",
                   late_rank_of(profile.waiting), Question::waiting});
}

void add_own_work(const Summary& profile, std::vector<Line>& lines) {
  if (!knows_own_work(profile)) return;
  const OverRanks& own = profile.own_time;
  const double uneven = imbalance(own);
  lines.push_back({"+" + percent(uneven), "more work outside MPI on the busiest rank than on the average one",
                   fmt::format("{} and {}. {}", seconds(own.max), seconds(own.mean),
                               uneven < 0.05 ? "The program's own work is balanced."
                                             : "Moving work away from that rank would shorten the others' waiting.")});
}

void add_start(const Summary& profile, std::vector<Line>& lines) {
  const double start = profile.start_time.max;
  const double run = profile.run_time.max;
  if (start <= 0 || run <= 0 || start < worth_naming * run) return;
  lines.push_back({seconds(start), "in MPI_Init",
                   "Not part of the share of MPI above, but of the shares of functions and of the run time."});
}

void add_overlap(const Summary& profile, std::vector<Line>& lines) {
  TransferAmounts all;
  for (const FunctionSummary& function : profile.functions) all.add(function.transfers);
  if (all.completed == 0 || all.under_way <= 0) return;
  lines.push_back(
      {percent(all.overlap()), "of the time of non-blocking transfers overlapped with other work",
       fmt::format("{}; {}", plural(all.completed, "transfer"),
                   all.overlap() < 0.5 ? "most of that time is waiting: start them earlier or complete them later."
                                       : "waiting is the smaller part.")});
}

void add_messages(const Section& section, std::vector<Line>& lines) {
  const Table& table = section.tables[0];
  double sent = 0;
  double calls = 0;
  std::size_t most = 0;
  for (std::size_t row = 0; row < table.rows.size(); ++row) {
    const double here = value(table, row, "bytes_sent");
    sent += here;
    if (here > 0) calls += value(table, row, "calls");
    if (here > value(table, most, "bytes_sent")) most = row;
  }
  if (sent <= 0) return;
  lines.push_back(
      {bytes(sent), "sent in total, most of it by " + function_of(table, most),
       fmt::format("{}, {} on average. {}", plural(static_cast<std::uint64_t>(calls), "call"), bytes(sent / calls),
                   sent / calls < 1000 ? "Small messages: their number determines the time."
                                       : "Large messages: their size matters, too.")});
}

}  // namespace

bool knows_own_work(const Summary& profile) {
  return profile.ranks > 1 && profile.threads == 1 && profile.own_time.mean > 0;
}

std::vector<Line> profile_lines(const formats::profile::Summary& profile, const Section& section) {
  std::vector<Line> lines;
  add_end(profile.part, lines);
  add_calls_at_the_end(profile.part.in_calls, lines);
  add_share(profile, lines);
  add_sites(section, lines);
  add_imbalance(profile, section, lines);
  add_ranks(profile, lines);
  add_waiting(profile, lines);
  add_own_work(profile, lines);
  add_overlap(profile, lines);
  add_start(profile, lines);
  add_messages(section, lines);
  return lines;
}

}  // namespace cairn::report
