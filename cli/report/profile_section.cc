// SPDX-License-Identifier: BSD-3-Clause
// profile_section.cc - profile.json as a section: tables, charts; what matters in it is in profile_findings.cc

#include "base/text.hpp"
#include "cli/report/chart.hpp"
#include "cli/report/entries.hpp"
#include "cli/report/profile_findings.hpp"
#include "cli/report/reading.hpp"
#include "cli/report/wording.hpp"

namespace cairn::report {

namespace {

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

std::string callers_of(const Json& site) {
  std::vector<std::string> places;
  const Json& callers = at(site, "callers");
  if (callers.is_array())
    for (const Json& caller : callers) places.push_back(place_of(caller));
  return join(places, " < ");
}

/// The file's entries with what can be computed from them.
Json extended(const Json& profile, const char* key, double run_time) {
  Json entries = at(profile, key);
  if (!entries.is_array()) return Json::array();
  for (Json& entry : entries) {
    if (!entry.is_object()) continue;
    const double time = number_at(at(entry, "time_s"), "total");
    const double calls = number_at(entry, "calls");
    if (run_time > 0) entry["run_share"] = time / run_time;
    if (calls > 0) entry["call_mean_s"] = time / calls;
    if (!entry.contains("function")) continue;
    entry["place"] = place_of(entry);
    if (entry.contains("callers")) entry["called_from"] = callers_of(entry);
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

/// Whether `path` is the region or within it.
bool is_within(const std::string& path, const std::string& region) {
  return path == region || region.empty() || path.starts_with(region + "/");
}

/// The regions with their inner ones added up, and what is outside of all under a name.
Json extended_regions(const Json& profile) {
  const Json& regions = at(profile, "regions");
  Json entries = Json::array();
  if (!regions.is_array()) return entries;
  for (const Json& region : regions) {
    if (!region.is_object()) continue;
    const std::string path = text_at(region, "region");
    Json entry = region;
    double all = 0;
    for (const Json& other : regions)
      if (is_within(text_at(other, "region"), path)) all += number_at(at(other, "in_region_s"), "total");
    entry["with_inner_total_s"] = all;
    const double own = number_at(at(region, "in_region_s"), "total");
    if (own > 0) entry["mpi_share"] = number_at(at(region, "time_s"), "total") / own;
    if (path.empty()) entry["region"] = "(outside)";
    entry.erase("functions");
    entries.push_back(std::move(entry));
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

Json extended_communicators(const Json& profile) {
  Json entries = at(profile, "communicators");
  if (!entries.is_array()) return Json::array();
  for (Json& entry : entries)
    if (entry.is_object() && text_at(entry, "name").empty()) entry["name"] = "(no name)";
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

std::vector<Fact> facts_of(const Json& profile) {
  std::vector<Fact> facts;
  Json flat = flatten(profile);
  if (const double run = number_at(flat, "run_time_total_s"); run > 0)
    flat["mpi_share"] = number_at(flat, "mpi_time_total_s") / run;
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

Json series_of(const Json& entries, const char* key) {
  Json series = Json::array();
  for (const Json& entry : entries)
    if (const Json& bins = at(entry, key); bins.is_array() && !bins.empty())
      series.push_back({{"name", text_at(entry, "name")}, {"bins", bins}});
  return series;
}

/// Seconds of each rank where the file has them: "by_rank" beside total, mean, min and max.
Json ranks_of(const Json& profile, const Json& entries) {
  Json rows = Json::array();
  const auto add = [&](const std::string& name, const Json& quantity) {
    const Json& values = at(quantity, "by_rank");
    if (values.is_array() && !values.empty()) rows.push_back({{"name", name}, {"values", values}});
  };
  add("all MPI calls", at(profile, "mpi_time_s"));
  constexpr std::size_t enough = 15;
  for (const Json& entry : entries)
    if (rows.size() <= enough) add(text_at(entry, "name"), at(entry, "time_s"));
  return rows;
}

const Table* table_named(const Section& section, std::string_view name) {
  const auto found = std::ranges::find(section.tables, name, &Table::name);
  return found == section.tables.end() ? nullptr : &*found;
}

void add_charts(const Json& profile, const Json& functions, Section& section) {
  const Table& by_function = section.tables[0];
  const Table& by_site = section.tables[1];
  const auto add = [&](Json chart) {
    if (!chart.is_null()) section.charts.push_back(std::move(chart));
  };
  add(bar_chart("Time by function, mean per rank", by_function, "name", "", "time_mean_s"));
  add(bar_chart("Time by call site, mean per rank", by_site, "function", "place", "time_mean_s"));
  if (const Table* const regions = table_named(section, "regions"))
    add(bar_chart("Time by region, mean per rank", *regions, "region", "", "in_region_mean_s"));
  if (const Json rows = ranks_of(profile, functions); !rows.empty())
    add(heat_chart("Time of each rank", Kind::seconds, rows));
  else add(range_chart("Time over ranks: least, mean, most", by_function, "name", "time"));
  add(histogram_chart("Durations of calls", Kind::seconds, series_of(functions, "calls_by_time_s")));
  add(histogram_chart("Bytes sent by a call", Kind::bytes, series_of(functions, "calls_by_bytes_sent")));
}

/// Arrays of objects that this version does not know by name.
void add_other_tables(const Json& profile, Section& section) {
  for (const auto& [key, value] : profile.items()) {
    if (!value.is_array() || value.empty() || !value.front().is_object()) continue;
    if (key == "functions" || key == "callsites" || key == "regions" || key == "communicators") continue;
    section.tables.push_back(table_of(key, title_of(key), value));
  }
}

}  // namespace

void read_profile(const Json& profile, Section& section) {
  const double run_time = number_at(at(profile, "run_time_s"), "total");
  const Json functions = extended(profile, "functions", run_time);
  section.facts = facts_of(profile);
  section.tables = {functions_of(functions), sites_of(extended(profile, "callsites", run_time))};
  if (const Json regions = extended_regions(profile); !regions.empty()) section.tables.push_back(regions_of(regions));
  if (const Json known = extended_communicators(profile); !known.empty())
    section.tables.push_back(communicators_of(known));
  section.findings = profile_findings(profile, section);
  add_charts(profile, functions, section);
  add_other_tables(profile, section);
}

}  // namespace cairn::report
