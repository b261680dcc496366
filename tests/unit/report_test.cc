// SPDX-License-Identifier: BSD-3-Clause
// report_test.cc - `cairn report`'s words and tables from plain data.

#include <gtest/gtest.h>

#include <filesystem>

#include "cli/report/categories.hpp"
#include "cli/report/chart.hpp"
#include "cli/report/comm_parts.hpp"
#include "cli/report/compare.hpp"
#include "cli/report/entries.hpp"
#include "cli/report/reading.hpp"
#include "cli/report/wording.hpp"
#include "cli/report/writing.hpp"
#include "formats/readers.hpp"

namespace cairn::report {
namespace {

TEST(Wording, ShowsThreeDigitsOfATime) {
  EXPECT_EQ(seconds(0), "0 s");
  EXPECT_EQ(seconds(8.107), "8.11 s");
  EXPECT_EQ(seconds(0.0169), "16.9 ms");
  EXPECT_EQ(seconds(0.9996), "1.00 s");
  EXPECT_EQ(seconds(430e-6), "430 µs");
  EXPECT_EQ(seconds(5e-9), "5.00 ns");
  EXPECT_EQ(seconds(7200), "7,200 s");
}

TEST(Wording, ShowsBytesInUnitsOfThousands) {
  EXPECT_EQ(bytes(0), "0 B");
  EXPECT_EQ(bytes(999), "999 B");
  EXPECT_EQ(bytes(1000), "1.00 kB");
  EXPECT_EQ(bytes(999'900), "1.00 MB");
  EXPECT_EQ(bytes(176'947'200), "177 MB");
  EXPECT_EQ(bytes(18.4e18), "18.4 EB");
}

TEST(Wording, GroupsDigitsAndKnowsPlurals) {
  EXPECT_EQ(count(0), "0");
  EXPECT_EQ(count(999), "999");
  EXPECT_EQ(count(18446744073709551615U), "18,446,744,073,709,551,615");
  EXPECT_EQ(plural(1, "rank"), "1 rank");
  EXPECT_EQ(plural(3600, "call"), "3,600 calls");
}

TEST(Wording, TellsLittleFromNothing) {
  EXPECT_EQ(percent(0), "0.0 %");
  EXPECT_EQ(percent(0.0004), "<0.1 %");
  EXPECT_EQ(percent(0.689), "68.9 %");
  EXPECT_EQ(percent(2.115), "211.5 %");
}

TEST(Wording, GivesChangesTheirSign) {
  EXPECT_EQ(value_text(Kind::seconds, 0.25, true), "+250 ms");
  EXPECT_EQ(value_text(Kind::seconds, -0.25, true), "-250 ms");
  EXPECT_EQ(value_text(Kind::count, 0, true), "0");
  EXPECT_EQ(value_text(Kind::count, Json(), true), "");
}

TEST(Wording, TellsGreatChangesAsFactors) {
  EXPECT_EQ(value_text(Kind::relative, 0.5, true), "+50.0 %");
  EXPECT_EQ(value_text(Kind::relative, -0.5, true), "-50.0 %");
  EXPECT_EQ(value_text(Kind::relative, 9458.45, true), "9,459x");
  EXPECT_EQ(value_text(Kind::fraction, 20, true), "+2000.0 %");
}

TEST(Wording, LetsNoTextSteerATerminal) { EXPECT_EQ(harmless("a\x1b[31m\nb\tµ"), "a?[31m?b?µ"); }

TEST(Entries, FlattenWithTheUnitLast) {
  EXPECT_EQ(
      flatten(Json::parse(R"({"a": 1, "time_s": {"min": 2, "by_rank": [3]}, "size": {"max": 4}, "list": []})")).dump(),
      R"({"a":1,"time_min_s":2,"size_max":4})");
}

TEST(Entries, PutKnownColumnsFirstAndKeepTheOthers) {
  const Json entries = Json::parse(R"([{"new_s": 1, "name": "x"}, 5, {"name": "y", "more_bytes": 2}])");
  const Table table = table_of("t", "T", entries, {{"absent", "absent"}, {"name", "name"}});
  ASSERT_EQ(table.columns.size(), 3U);
  EXPECT_EQ(table.columns[0].key, "name");
  EXPECT_EQ(table.columns[1].kind, Kind::seconds);
  EXPECT_EQ(table.columns[2].kind, Kind::bytes);
  ASSERT_EQ(table.rows.size(), 2U);
  EXPECT_TRUE(table.rows[1][1].is_null());
}

TEST(Categories, SayWhatTimeInAFunctionMeans) {
  EXPECT_EQ(meaning_of("MPI_Waitall"), "Waits for the completion of transfers started earlier.");
  EXPECT_EQ(meaning_of("MPI_Send_c"), meaning_of("MPI_Recv"));
  EXPECT_EQ(meaning_of("MPI_Nothing"), "");
  EXPECT_TRUE(is_start_or_end("MPI_Init_thread"));
  EXPECT_FALSE(is_start_or_end("MPI_Send"));
}

TEST(Categories, FunctionsThatMakeCommunicatorsDoNotWaitForTheLast) {
  for (const char* function : {"MPI_Comm_dup", "MPI_Comm_dup_with_info", "MPI_Comm_split", "MPI_Comm_split_type",
                               "MPI_Comm_create", "MPI_Comm_free", "MPI_Cart_create", "MPI_Intercomm_create"}) {
    EXPECT_EQ(meaning_of(function), "All ranks take part; most of it is the library's own work.") << function;
    EXPECT_FALSE(waits_for_others(function)) << function;
    EXPECT_EQ(spent_in(function), TimeSpent::rest) << function;
  }
  EXPECT_EQ(meaning_of("MPI_Bcast"), "All ranks take part: early ones wait for the last.");
  EXPECT_TRUE(waits_for_others("MPI_Bcast"));
}

TEST(Categories, PollingIsWaiting) {
  for (const char* function : {"MPI_Test", "MPI_Testany", "MPI_Testall", "MPI_Testsome", "MPI_Request_get_status",
                               "MPI_Iprobe", "MPI_Improbe"})
    EXPECT_EQ(spent_in(function), TimeSpent::waiting) << function;
}

Report sample(double time, std::uint64_t calls) {
  Section section{"tool", 1, "", "tool.json", {{"run_s", "run", Kind::seconds, time, true}}, {}, {}, {}};
  section.tables = {{"rows",
                     "Rows",
                     {{"name", "name", Kind::text, Column::tells_apart, true},
                      {"calls", "calls", Kind::count, Column::sum, true},
                      {"time_s", "time", Kind::seconds, Column::sum, true}},
                     {{"a,\"b\"", calls, time}}}};
  return {"a run", {}, {section}, {}};
}

TEST(Csv, QuotesAndEndsLinesAsItsStandardSays) {
  const auto files = csv_files(sample(0.5, 3));
  ASSERT_EQ(files.size(), 1U);
  EXPECT_EQ(files[0].first, "rows.csv");
  EXPECT_EQ(files[0].second, "name,calls,time_s\r\n\"a,\"\"b\"\"\",3,0.5\r\n");
}

TEST(Comparison, ComparesCountsExactly) {
  const Report report = compare(sample(1, 9007199254740993U), sample(2, 9007199254740994U));
  const Table& table = report.sections.at(0).tables.at(0);
  const auto& row = table.rows.at(0);
  EXPECT_EQ(row[table.find("calls_change")], 1);
  EXPECT_EQ(row[table.find("time_s_change")], 1.0);
  EXPECT_EQ(row[table.find("time_s_relative")], 1.0);
  EXPECT_EQ(report.sections[0].lines.at(0).figure, "+100.0 %");
}

TEST(Sections, CountWithWholeNumbers) {
  Section section{"tool", 1, "", "tool.json", {{"sent", "sent", Kind::bytes, 10.0}}, {}, {}, {}};
  section.tables = {{"t", "T", {{"n", "n", Kind::count}, {"m", "m", Kind::number}, {"s", "s", Kind::seconds}}, {}}};
  section.tables[0].rows = {{10.0, -3.0, 2.0}, {1e300, 0.5, nullptr}};
  make_whole(section);
  EXPECT_EQ(section.facts[0].value.dump(), "10");
  EXPECT_EQ(csv_files({"", {}, {section}, {}})[0].second, "n,m,s\r\n10,-3,2.0\r\n1e+300,0.5,\r\n");
}

TEST(Charts, DrawNothingOfWhatIsNothing) {
  const Table table{"t",
                    "T",
                    {{"name", "name"}, {"place", "place"}, {"time_s", "time", Kind::seconds}},
                    {{"a", "x", 0.0}, {"b", "y", 2.0}, {"c", "z", nullptr}}};
  const Json chart = bar_chart("title", table, "name", "place", "time_s");
  EXPECT_EQ(chart["items"].dump(), R"([{"label":"b","values":[2.0],"detail":"y"}])");
  EXPECT_TRUE(bar_chart("title", {"t", "T", table.columns, {{"a", "x", 0.0}}}, "name", "", "time_s").is_null());
  const Json rows = {{{"name", "sent"}, {"values", {0, 3}}}, {{"name", "received"}, {"values", {0, 0}}}};
  EXPECT_EQ(heat_chart("title", Kind::bytes, rows)["rows"].size(), 1U);
}

/// Ranks of a ring, all of which send `bytes` to the next one.
Json ring(int ranks, double bytes) {
  Json p2p = Json::array();
  for (int rank = 0; rank < ranks; ++rank) p2p.push_back({rank, (rank + 1) % ranks, 1, bytes, Json::array()});
  return {{"format", "cairn-comm 1"},
          {"ranks", ranks},
          {"nodes", {{{"name", "a"}, {"ranks", "0-3"}}}},
          {"phases", {{{"name", ""}, {"p2p", p2p}}}}};
}

Section section_of(const Json& file) {
  Section section{"comm", 1, "", "comm.json", {}, {}, {}, {}};
  show_comm(comm::Data(formats::read_comm(file)), {}, section);
  make_whole(section);
  return section;
}

TEST(Comm, DoesNotSingleOutOneOfEquals) {
  const Section even = section_of(ring(4, 100));
  EXPECT_EQ(even.lines[1].sentence, "100 B in 1 message, as much as 3 other pairs; 4 pairs communicate.");
  EXPECT_EQ(even.lines[2].figure + " " + even.lines[2].subject, "100 B sent by each rank");
  Json one = ring(4, 100);
  one["phases"][0]["p2p"][2][3] = 101;
  EXPECT_EQ(section_of(one).lines[1].sentence, "101 B in 1 message, more than any other pair; 4 pairs communicate.");
  one["phases"][0]["p2p"] = Json::array({one["phases"][0]["p2p"][2]});
  EXPECT_EQ(section_of(one).lines[1].sentence, "101 B in 1 message, the only pair that communicates.");
}

TEST(Comm, DoesNotBelieveRanksThatNothingBearsOut) {
  Json file = ring(4, 100);
  file["ranks"] = 2'000'000'014;
  try {
    formats::read_comm(file);
    FAIL();
  } catch (const formats::Damaged& damage) {
    EXPECT_STREQ(damage.what(), "it claims 2000000014 ranks on 1 node");
  }
  file["rank"] = 1;  // a snapshot has one node of the many
  EXPECT_THROW(comm::Data(formats::read_comm(file)), formats::Damaged);
}

TEST(Comm, NamesPairsInComparisonsAndLeavesOutWhatIsNothingInBoth) {
  Json more = ring(4, 100);
  more["phases"][0]["p2p"][3][3] = 500;
  const Report a{"a", {}, {section_of(ring(4, 100))}, {}};
  const Report b{"b", {}, {section_of(more)}, {}};
  const std::vector<Line> lines = compare(a, b).sections.at(0).lines;
  EXPECT_EQ(lines[0].subject, "point-to-point bytes");
  EXPECT_EQ(lines[1].subject, "from 3 to 0");
  for (const Line& line : lines) EXPECT_NE(line.figure, "new") << line.subject;
}

TEST(Compare, DoesNotTakeTheRanksOfAPartForThoseOfTheRun) {
  const auto with = [](const std::string& part, const Json& ranks) {
    return Section{"profile", 1, part, "", {{"ranks", "ranks", Kind::number, ranks}}, {}, {}, {}};
  };
  const auto warnings = [](const Report& a, const Report& b) { return compare(a, b).warnings.size(); };
  const Report whole{"a", {}, {with("", 4)}, {}};
  EXPECT_EQ(warnings(whole, {"b", {}, {with("rank 1", 1), with("", 4)}, {}}), 0U);
  EXPECT_EQ(warnings(whole, {"b", {}, {with("rank 1", 1)}, {}}), 0U);  // nothing tells how many there were
  EXPECT_EQ(warnings(whole, {"b", {}, {with("", Json()), with("", 4)}, {}}), 0U);
  EXPECT_EQ(warnings(whole, {"b", {}, {with("rank 1", 4), with("", 5)}, {}}), 1U);
  Report with_gap{"b", {}, {with("", 3)}, {}};  // one rank lacked the tool
  with_gap.ranks = 4;
  EXPECT_EQ(warnings(whole, with_gap), 0U);
}

TEST(Comm, KnowsNodesOfOneNameAsOne) {
  const auto on = [](const char* node, const char* ranks) {
    Json file = ring(4, 100);
    file["nodes"] = {{{"name", node}, {"ranks", ranks}}};
    return formats::read_comm(file);
  };
  formats::comm::Summary whole = on("a", "0");
  merge(whole, on("a", "1-2"));
  merge(whole, on("b", "3"));
  const comm::Data data(whole);
  EXPECT_EQ(data.nodes, (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(data.node_of, (std::vector<int>{0, 0, 0, 1}));
}

TEST(Comm, HasNoRowsBeyondRanksAndCommunicators) {
  const std::pair<const char*, Json> rows[] = {{"p2p", {4, 0, 1, 1, Json::array()}},
                                               {"p2p", {0, 1, 1, 1}},
                                               {"p2p", {0, 1, 1, "1", Json::array()}},
                                               {"p2p", {0, 1, 1, 1, {{3, 1}}}},
                                               {"coll_shared", {0, "to_all", 1, 1, 1, Json::array()}},
                                               {"coll_shared", {0, "to_some", 1, 1, 1, Json::array()}},
                                               {"operations", {7, "bcast", 0, 1, 1}},
                                               {"files", {-1, 1, 1, 1, 1}}};
  for (const auto& [key, row] : rows) {
    Json file = ring(4, 100);
    file["phases"][0][key] = Json::array({row});
    EXPECT_THROW(formats::read_comm(file), formats::Damaged) << key << row;
  }
}

TEST(Profile, SaysNothingOfWaitingBelowOnePercentOfTheRun) {
  const auto said = [](double seconds) {
    const Json file = {{"format", "cairn-profile 1"},
                       {"ranks", 4},
                       {"run_time_s", {{"total", 400}, {"mean", 100}, {"min", 100}, {"max", 100}}},
                       {"waiting",
                        {{"calls_per_rank", 9},
                         {"time_s", seconds},
                         {"time_s_by_last_rank", Json::array({Json::array({2, seconds})})},
                         {"late_rank", 2}}}};
    Section section{"profile", 1, "", "profile.json", {}, {}, {}, {}};
    read_profile(file, section);
    std::vector<std::string> found;
    for (const Line& line : section.lines)
      if (line.question == Question::waiting) found.push_back(line.figure + ": " + line.sentence);
    return found;
  };
  EXPECT_EQ(said(3.99), std::vector<std::string>());
  EXPECT_EQ(said(4.01), std::vector<std::string>{"1.0 %: 100.0 % of it for rank 2."});
}

TEST(Vars, AreCountedByWhatChangedThemWithoutThoseOfTools) {
  const Json file = {
      {"format", "cairn-vars 1"},
      {"variables", {{{"name", "comm_read_bytes"}, {"of", "tool"}}, {{"name", "queue"}, {"of", "library"}}}},
      {"changes",
       {{{"variable", "comm_read_bytes"}, {"function", "MPI_Send"}, {"total", 9}},
        {{"variable", "queue"}, {"function", "MPI_Send"}, {"total", 3}, {"changed", 1}}}}};
  Section section{"vars", 1, "", "vars.json", {}, {}, {}, {}};
  read_vars(file, section);
  ASSERT_EQ(section.lines.size(), 1U);
  EXPECT_EQ(section.lines[0].figure + " " + section.lines[0].subject, "1 variable of the library changed in calls");
  EXPECT_EQ(section.tables[0].rows.size(), 2U);
}

}  // namespace
}  // namespace cairn::report
