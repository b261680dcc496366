// SPDX-License-Identifier: BSD-3-Clause
// comm_report_test.cc - what the report says of comm's results that are not whole

#include <gtest/gtest.h>

#include <algorithm>

#include "cli/report/comm_parts.hpp"
#include "cli/report/compare.hpp"
#include "cli/report/writing.hpp"
#include "formats/readers.hpp"

namespace cairn::report {
namespace {

/// Each rank has sent 100 bytes to the next one; nodes[i] has these ranks.
formats::comm::Summary comm_ring(int ranks, const std::vector<formats::comm::Node>& nodes) {
  formats::comm::Summary ring;
  ring.program = "/bin/app";
  ring.ranks = ranks;
  ring.nodes = nodes;
  formats::comm::Phase& phase = ring.phases.emplace_back();
  for (int rank = 0; rank < ranks; ++rank)
    phase.flows[formats::comm::p2p].push_back({{1, 100}, rank, (rank + 1) % ranks, {}});
  return ring;
}

Section comm_section(formats::comm::Summary summary, const formats::run::Summary& run = {}) {
  Section section{"comm", 1, "", "comm.json", {}, {}, {}, {}};
  show_comm(comm::Data(std::move(summary), comm::Beside(run)), {}, section);
  make_whole(section);
  return section;
}

Json value_of(const Section& section, std::string_view fact) {
  const Fact* const found = section.fact(fact);
  return found == nullptr ? Json() : found->value;
}

/// "" if there is none.
std::string line_with(const Section& section, std::string_view subject) {
  const auto found = std::ranges::find(section.lines, subject, &Line::subject);
  return found == section.lines.end() ? "" : found->figure + ": " + found->sentence;
}

const Table& table_of(const Section& section, std::string_view name) {
  return *std::ranges::find(section.tables, name, &Table::name);
}

constexpr std::string_view unknown_line = "may have gone from one node to another, or not";

TEST(CommNodes, OfRanksWithoutTheToolAreThoseOfTheRun) {
  formats::run::Summary run;
  run.places = {{"a", "0", "0"}, {"a", "1", "1"}, {"b", "", "2-3"}};
  const Section section = comm_section(comm_ring(4, {{"a.cluster", {0}}, {"b", {2}}}), run);
  const Table& ranks = table_of(section, "ranks");
  for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(ranks.rows[i][1], i < 2 ? "a.cluster" : "b") << i;
  EXPECT_EQ(value_of(section, "between_nodes_bytes"), 200);
  EXPECT_EQ(value_of(section, "within_nodes_bytes"), 200);
  EXPECT_EQ(section.fact("unknown_nodes_bytes"), nullptr);
  EXPECT_EQ(line_with(section, unknown_line), "");
}

TEST(CommNodes, OfWhichTheToolHasNoRankAreThere) {
  formats::run::Summary run;
  run.nodes = {{"a", "0-1"}, {"b", "2-3"}};
  const comm::Data data(comm_ring(4, {{"a", {0, 1}}}), comm::Beside(run));
  EXPECT_EQ(data.nodes, (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(data.node_of, (std::vector<int>{0, 0, 1, 1}));
}

TEST(CommNodes, AreOneWhereAllRanksAreOnTheFirstOnes) {
  formats::run::Summary run;
  run.host = "a";
  run.ranks_on_host = 3;
  EXPECT_EQ(comm::Data(comm_ring(3, {{"a", {0}}}), comm::Beside(run)).node_of, (std::vector<int>{0, 0, 0}));
  EXPECT_EQ(comm::Data(comm_ring(4, {{"a", {0}}}), comm::Beside(run)).ranks_without_node(),
            (std::vector<int>{1, 2, 3}));
}

TEST(CommNodes, ThatNobodyKnowsAreNeitherTheSameNorOthers) {
  const Section section = comm_section(comm_ring(4, {{"a", {0}}, {"b", {1}}}));
  EXPECT_EQ(value_of(section, "between_nodes_bytes"), 100);
  EXPECT_EQ(value_of(section, "within_nodes_bytes"), 0);
  EXPECT_EQ(value_of(section, "unknown_nodes_bytes"), 300);
  EXPECT_EQ(line_with(section, unknown_line),
            "300 B: They went from or to ranks 2-3: neither comm nor run.json tells on which node.");
  EXPECT_EQ(table_of(section, "ranks").rows[2][1], Json());
  for (const std::vector<Json>& row : table_of(section, "pairs").rows)
    EXPECT_EQ(row.back(), row[0] == 0 ? Json("two") : Json()) << row[0];
}

TEST(CommNodes, OfSharesAreKnownByMember) {
  formats::comm::Summary summary = comm_ring(3, {{"a", {0}}, {"b", {1}}});
  summary.communicators = {{"MPI_COMM_WORLD", "0-2", "", 1}};
  summary.phases[0].flows[formats::comm::p2p].clear();
  summary.phases[0].shares = {{{1, 10}, 0, formats::comm::Reach::to_all, 0, {}}};
  const comm::Whole whole = comm::whole_of(comm::Data(summary));
  EXPECT_EQ(whole.between_nodes.bytes, 10);
  EXPECT_EQ(whole.unknown_nodes.bytes, 10);
}

/// Each of these ranks sends a message to each other, the bytes by pair.
Section all_to_each_other(int ranks, std::uint64_t (*bytes)(int from, int to)) {
  formats::comm::Summary summary = comm_ring(ranks, {{"a", {}}});
  std::vector<formats::comm::Flow>& flows = summary.phases[0].flows[formats::comm::p2p];
  flows.clear();
  for (int from = 0; from < ranks; ++from)
    for (int to = 0; to < ranks; ++to)
      if (from != to) flows.push_back({{1, bytes(from, to)}, from, to, {}});
  return comm_section(summary);
}

TEST(CommPairs, AreAllThereWhereProgramsReadThemAndCountedWherePeopleDo) {
  constexpr std::size_t pairs = 240 * 239;
  const Report report{"a", {}, {all_to_each_other(240, [](int, int) -> std::uint64_t { return 7; })}, {}};
  const Section& section = report.sections[0];
  EXPECT_EQ(table_of(section, "pairs").rows.size(), pairs);
  EXPECT_EQ(line_with(section, "of the bytes go from rank 0 to rank 1"),
            "<0.1 %: 7 B in 1 message, as much as 57,359 other pairs; 57,360 pairs communicate.");
  const auto files = csv_files(report);
  const auto csv = std::ranges::find(files, "pairs.csv", &std::pair<std::string, std::string>::first);
  EXPECT_EQ(std::ranges::count(csv->second, '\n'), pairs + 1);
  const Json json = to_json(report)["sections"][0]["tables"]["pairs"];
  EXPECT_EQ(json["rows"].size(), pairs);
  EXPECT_FALSE(json.contains("left_out"));
  EXPECT_NE(full_text(report).find("\n  7,360 more are not shown, 'cairn report --csv' has them\n"), std::string::npos);
  const Json cut = to_json(report, 2000)["sections"][0]["tables"]["pairs"];
  EXPECT_EQ(cut["rows"].size(), 2000U);
  EXPECT_EQ(cut["left_out"], 55'360);
  EXPECT_NE(page(report).find("\"left_out\":55360"), std::string::npos);
}

/// The pairs with few bytes are others in each run.
TEST(CommPairs, OfTwoRunsAreComparedAll) {
  const Report a{"a", {}, {all_to_each_other(240, [](int from, int) { return static_cast<std::uint64_t>(from); })}, {}};
  const Report b{
      "b", {}, {all_to_each_other(240, [](int from, int) { return static_cast<std::uint64_t>(239 - from); })}, {}};
  const Section section = compare(a, b).sections.at(0);
  EXPECT_EQ(table_of(section, "pairs").rows.size(), 240U * 239);
  for (const Line& line : section.lines) EXPECT_EQ(line.subject.find("only in"), std::string::npos) << line.subject;
}

TEST(CommLines, TellWhatIsNotInTheSums) {
  formats::comm::Summary summary = comm_ring(2, {{"a", {0, 1}}});
  const auto of_tools = [](const Section& section) { return line_with(section, "sent by tools for themselves"); };
  const Section whole = comm_section(summary);
  for (const char* const subject : {"is counted", "bytes or more are in some sum", "sent by tools for themselves"})
    EXPECT_EQ(line_with(whole, subject), "") << subject;
  summary.lost = summary.saturated = true;
  summary.of_tools = {3, 2000};
  const Section section = comm_section(summary);
  EXPECT_EQ(line_with(section, "is counted"), "not all: Some rank had no memory for more.");
  EXPECT_EQ(line_with(section, "bytes or more are in some sum"),
            "2^64: It did not fit, and stayed at the greatest number: there are more bytes than these figures tell.");
  EXPECT_EQ(of_tools(section),
            "2.00 kB: 3 messages and collective calls of tools above comm; they are not in the sums above.");
}

TEST(CommLines, TellWhatIsUnknownOfKilledRanks) {
  Section section{"comm", 1, "", "comm.json", {}, {}, {}, {}};
  show_comm(comm::Data(comm_ring(4, {{"a", {0, 1, 2, 3}}})), {{3, "SIGKILL"}, {0, "SIGTERM"}, {2, "SIGKILL"}}, section);
  EXPECT_EQ(line_with(section, "and no names of communicators are known of ranks 2-3"),
            "no phases: What comm had there is from memory that outlived the process: it counts as outside of regions, "
            "collective calls as those of communicators without a name, and sizes of messages are missing.");
}

TEST(CommPhases, OfTheProgramAreNotWhatIsOutside) {
  formats::comm::Summary summary = comm_ring(2, {{"a", {0, 1}}});
  for (const char* const name : {"'outside of regions'", "outside of regions", "solve"})
    summary.phases.emplace_back().name = name;
  const Table table = table_of(comm_section(summary), "phases");
  std::vector<std::string> names;
  for (const std::vector<Json>& row : table.rows) names.push_back(row[0]);
  EXPECT_EQ(names, (std::vector<std::string>{"outside of regions", "''outside of regions''", "'outside of regions'",
                                             "solve"}));
}

TEST(CommCommunicators, HaveCallsOfAllByTheRanksThatCounted) {
  formats::comm::Summary summary = comm_ring(4, {{"a", {0, 1, 2, 3}}});
  summary.communicators = {
      {"MPI_COMM_WORLD", "0-3", "", 1}, {"", "0-1,x", "", 1}, {"(other communicators)", "", "", 9}};
  for (const int rank : {0, 1, 2})  // rank 3 was killed; it was the root of a broadcast before
    summary.phases[0].calls.push_back({0, rank, {}, {}, {10, 80}});
  summary.phases[0].calls.push_back({0, 3, {1, 8}, {}, {}});
  for (const int rank : {0, 1}) summary.phases[0].calls.push_back({1, rank, {}, {}, {4, 32}});
  for (const int rank : {0, 1}) summary.phases[0].calls.push_back({2, rank, {}, {}, {5, 50}});
  const Table table = table_of(comm_section(summary), "comm_communicators");
  const std::size_t calls = table.find("all_to_all_calls");
  EXPECT_EQ(table.rows[0][calls], 10);
  EXPECT_EQ(table.rows[1][calls], 4);
  EXPECT_EQ(table.rows[2][calls], Json());
  EXPECT_EQ(table.rows[2][calls + 1], 100);
}

}  // namespace
}  // namespace cairn::report
