// SPDX-License-Identifier: BSD-3-Clause
// profile_section.cc - profile.json as a section: tables, charts; what matters in it is in profile_lines.cc

#include "base/text.hpp"
#include "cli/report/chart.hpp"
#include "cli/report/efficiency.hpp"
#include "cli/report/entries.hpp"
#include "cli/report/profile_lines.hpp"
#include "cli/report/reading.hpp"
#include "cli/report/wording.hpp"
#include "formats/readers.hpp"

namespace cairn::report {

namespace {

using namespace formats::profile;

/// What functions and call sites have in common, in the order of the columns.
std::vector<Column> amounts() {
  return {{"calls", "calls", Kind::count, Column::sum, true},
          {"calls_max", "most calls of a rank", Kind::count},
          {"run_share", "of run", Kind::fraction, Column::nothing, true},
          {"time_mean_s", "mean per rank", Kind::seconds, Column::sum, true},
          {"time_min_s", "least on a rank", Kind::seconds},
          {"time_max_s", "most on a rank", Kind::seconds, Column::nothing, true},
          {"imbalance", "imbalance", Kind::fraction, Column::state, true},
          {"bytes_sent", "sent", Kind::bytes, Column::sum, true},
          {"bytes_received", "received", Kind::bytes, Column::sum},
          {"call_mean_s", "mean call", Kind::seconds, Column::nothing, true},
          {"shortest_call_s", "shortest call", Kind::seconds},
          {"longest_call_s", "longest call", Kind::seconds},
          {"transfers_overlap", "overlap", Kind::fraction, Column::state},
          {"transfers_completed", "transfers", Kind::count},
          {"transfers_under_way_s", "under way", Kind::seconds},
          {"transfers_waited_s", "waited for", Kind::seconds},
          {"time_total_s", "total over ranks", Kind::seconds},
          {"ranks", "ranks", Kind::number},
          {"slowest_rank", "slowest rank", Kind::number}};
}

std::vector<Column> with_amounts(std::vector<Column> columns) {
  for (Column& column : amounts()) columns.push_back(std::move(column));
  return columns;
}

/// The file's entries as they stand, for what later versions put there, too. The structure has the same ones.
Json objects_at(const Json& file, const char* key) {
  Json entries = Json::array();
  if (const Json& all = at(file, key); all.is_array())
    for (const Json& entry : all)
      if (entry.is_object()) entries.push_back(entry);
  return entries;
}

/// What can be computed from the others.
void add_means(const Amounts& amounts, double run_time, Json& entry) {
  if (run_time > 0) entry["run_share"] = amounts.time.total / run_time;
  if (amounts.calls > 0) entry["call_mean_s"] = amounts.time.total / static_cast<double>(amounts.calls);
}

Json extended_functions(const Json& file, const Summary& profile) {
  Json entries = objects_at(file, "functions");
  for (std::size_t i = 0; i < entries.size(); ++i) add_means(profile.functions[i], profile.run_time.total, entries[i]);
  return entries;
}

Json extended_sites(const Json& file, const Summary& profile) {
  Json entries = objects_at(file, "callsites");
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const CallSiteSummary& site = profile.sites[i];
    add_means(site, profile.run_time.total, entries[i]);
    entries[i]["place"] = place_of(site.place);
    std::vector<std::string> callers;
    for (const formats::SourcePosition& caller : site.callers) callers.push_back(place_of(caller));
    if (!callers.empty()) entries[i]["called_from"] = join(callers, " < ");
  }
  return entries;
}

Table functions_of(const Json& entries) {
  return table_of("functions", "Functions", entries,
                  with_amounts({{"name", "function", Kind::text, Column::tells_apart, true}}));
}

Table sites_of(const Json& entries) {
  return table_of("callsites", "Call sites", entries,
                  with_amounts({{"function", "function", Kind::text, Column::tells_apart, true},
                                {"place", "called at", Kind::text, Column::tells_apart, true},
                                {"called_from", "called from", Kind::text, Column::tells_apart},
                                {"file", "file", Kind::text},
                                {"line", "line", Kind::text},
                                {"caller", "caller", Kind::text},
                                {"object", "object", Kind::text},
                                {"offset", "offset", Kind::text}}));
}

/// What ranks differ in. Evidence of findings on the run.
Table over_ranks(const Summary& profile) {
  Table table{std::string(over_ranks_table),
              "Over the ranks",
              {{"figure", "figure", Kind::text, Column::tells_apart, true},
               {"mean_s", "mean", Kind::seconds, Column::sum, true},
               {"min_s", "least on a rank", Kind::seconds, Column::nothing, true},
               {"max_s", "most on a rank", Kind::seconds, Column::nothing, true}},
              {},
              Question::ranks};
  const auto add = [&](const char* figure, const OverRanks& over) {
    if (over.is_known) table.rows.push_back({figure, over.mean, over.min, over.max});
  };
  add("run time", profile.run_time);
  add("MPI_Init", profile.start_time);
  add("in MPI, with MPI_Init", profile.mpi_time);
  if (knows_own_work(profile)) add("outside MPI", profile.own_time);
  add("ready to run, without a processor", profile.run_delay);
  return table;
}

/// Whether `path` is the region or within it.
bool is_within(const std::string& path, const std::string& region) {
  return path == region || region.empty() || path.starts_with(region + "/");
}

/// The regions with their inner ones added up, and what is outside of all under a name.
Json extended_regions(const Json& file, const Summary& profile) {
  Json entries = objects_at(file, "regions");
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const RegionSummary& region = profile.regions[i];
    Json& entry = entries[i];
    double all = 0;
    for (const RegionSummary& other : profile.regions)
      if (is_within(other.path, region.path)) all += other.in_region.total;
    entry["with_inner_total_s"] = all;
    if (region.in_region.total > 0) entry["mpi_share"] = region.time.total / region.in_region.total;
    entry["region"] = formats::name_or(region.path, "(outside)");
    entry.erase("functions");
  }
  return entries;
}

Table regions_of(const Json& entries) {
  return table_of("regions", "Regions", entries,
                  {{"region", "region", Kind::text, Column::tells_apart, true},
                   {"visits", "visits", Kind::count, Column::sum, true},
                   {"in_region_mean_s", "mean per rank", Kind::seconds, Column::sum, true},
                   {"in_region_min_s", "least on a rank", Kind::seconds},
                   {"in_region_max_s", "most on a rank", Kind::seconds, Column::nothing, true},
                   {"with_inner_total_s", "with inner ones, all ranks", Kind::seconds},
                   {"mpi_share", "of it in MPI", Kind::fraction, Column::nothing, true},
                   {"time_mean_s", "in MPI, mean per rank", Kind::seconds, Column::sum},
                   {"calls", "calls", Kind::count, Column::sum},
                   {"bytes_sent", "sent", Kind::bytes, Column::sum, true}});
}

Json extended_communicators(const Json& file, const Summary& profile) {
  Json entries = objects_at(file, "communicators");
  for (std::size_t i = 0; i < entries.size(); ++i)
    entries[i]["name"] = formats::name_or(profile.communicators[i].name, "(no name)");
  return entries;
}

Table communicators_of(const Json& entries) {
  return table_of("communicators", "Communicators", entries,
                  {{"name", "communicator", Kind::text, Column::tells_apart, true},
                   {"processes", "processes", Kind::text, Column::tells_apart, true},
                   {"size", "size", Kind::number, Column::nothing, true},
                   {"communicators", "handles, all ranks", Kind::count, Column::sum},
                   {"calls", "calls", Kind::count, Column::sum, true},
                   {"time_mean_s", "mean per rank", Kind::seconds, Column::sum, true},
                   {"bytes_sent", "sent", Kind::bytes, Column::sum, true},
                   {"bytes_received", "received", Kind::bytes, Column::sum}});
}

/// As `waits` has them, as far as the time in calls tells.
void add_efficiency(const Summary& profile, std::vector<Fact>& facts) {
  const OverRanks& own = profile.own_time;
  if (!knows_own_work(profile) || own.max <= 0) return;
  // Ranks may start at different times; which one's start is the longest run's is not known.
  const double run = std::max(profile.run_time.max - profile.start_time.mean, own.max);
  const auto add = [&](const char* key, double part, double whole) {
    facts.push_back({key, std::string(efficiency_title(key)), Kind::fraction, part / whole});
  };
  add("parallel_efficiency", own.mean, run);
  add("load_balance", own.mean, own.max);
  add("communication_efficiency", own.max, run);
  facts.push_back({work_fact, "work, all ranks", Kind::seconds, own.total});
}

std::vector<RankFigures> by_rank(const Summary& profile) {
  std::vector<RankFigures> figures;
  const auto add = [&](const char* key, const char* title, const OverRanks& over) {
    if (!over.by_rank.empty()) figures.push_back({{key, title, Kind::seconds, Column::sum, true}, over.by_rank});
  };
  add("mpi_time_s", "in MPI", profile.mpi_time);
  add("own_time_s", "outside MPI", profile.own_time);
  return figures;
}

std::vector<Fact> facts_of(const Json& file, const Summary& profile) {
  std::vector<Fact> facts;
  Json flat = flatten(file);
  if (profile.run_after_start() > 0) flat["mpi_share"] = profile.mpi_after_start() / profile.run_after_start();
  for (const auto& [key, value] : flat.items())
    if (key != "format" && key != "run") facts.push_back({key, title_of(key), kind_of(key, value), value});
  for (Fact& fact : facts) {
    fact.headline = fact.key == "run_time_max_s" || fact.key == "mpi_share" || fact.key == "mpi_time_mean_s";
    if (fact.key == "run_time_max_s") fact.title = "run time";
    if (fact.key == "mpi_share") fact.title = "share of MPI";
    if (fact.key == "mpi_time_mean_s") fact.title = "MPI per rank";
  }
  return facts;
}

Json series_of(const Summary& profile, Bins Amounts::*bins) {
  Json series = Json::array();
  for (const FunctionSummary& function : profile.functions)
    if (!(function.*bins).empty()) series.push_back({{"name", function.name}, {"bins", function.*bins}});
  return series;
}

/// Seconds of each rank where the file has them.
Json ranks_of(const Summary& profile) {
  Json rows = Json::array();
  const auto add = [&](const std::string& name, const OverRanks& quantity) {
    if (!quantity.by_rank.empty()) rows.push_back({{"name", name}, {"values", quantity.by_rank}});
  };
  add("all MPI calls", profile.mpi_time);
  constexpr std::size_t enough = 15;
  for (const FunctionSummary& function : profile.functions)
    if (rows.size() <= enough) add(function.name, function.time);
  return rows;
}

const Table* table_named(const Section& section, std::string_view name) {
  const auto found = std::ranges::find(section.tables, name, &Table::name);
  return found == section.tables.end() ? nullptr : &*found;
}

void add_charts(const Summary& profile, Section& section) {
  const Table& by_function = section.tables[0];
  const Table& by_site = section.tables[1];
  const auto add = [&](Json chart) {
    if (!chart.is_null()) section.charts.push_back(std::move(chart));
  };
  add(bar_chart("Time by function, mean per rank", by_function, "name", "", "time_mean_s"));
  add(bar_chart("Time by call site, mean per rank", by_site, "function", "place", "time_mean_s"));
  if (const Table* const regions = table_named(section, "regions"))
    add(bar_chart("Time by region, mean per rank", *regions, "region", "", "in_region_mean_s"));
  if (const Json rows = ranks_of(profile); !rows.empty()) {
    Json chart = heat_chart("Time of each rank", Kind::seconds, rows);
    if (!chart.is_null()) chart["question"] = key_of(Question::ranks);
    add(std::move(chart));
  } else add(range_chart("Time over ranks: least, mean, most", by_function, "name", "time"));
  add(histogram_chart("Durations of calls", Kind::seconds, series_of(profile, &Amounts::by_time)));
  add(histogram_chart("Bytes sent by a call", Kind::bytes, series_of(profile, &Amounts::by_size)));
}

/// Arrays of objects that this version does not know by name.
void add_other_tables(const Json& file, Section& section) {
  for (const auto& [key, value] : file.items()) {
    if (!value.is_array() || value.empty() || !value.front().is_object()) continue;
    if (key == "functions" || key == "callsites" || key == "regions" || key == "communicators") continue;
    section.tables.push_back(table_of(key, title_of(key), value));
  }
}

}  // namespace

void read_profile(const Json& file, Section& section) {
  const Summary profile = formats::read_profile(file);
  section.facts = facts_of(file, profile);
  add_efficiency(profile, section.facts);
  section.by_rank = by_rank(profile);
  section.tables = {functions_of(extended_functions(file, profile)), sites_of(extended_sites(file, profile))};
  if (const Json regions = extended_regions(file, profile); !regions.empty())
    section.tables.push_back(regions_of(regions));
  if (const Json known = extended_communicators(file, profile); !known.empty())
    section.tables.push_back(communicators_of(known));
  section.tables.push_back(over_ranks(profile));
  section.lines = profile_lines(profile, section);
  add_charts(profile, section);
  add_other_tables(file, section);
}

}  // namespace cairn::report
