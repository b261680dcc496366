// SPDX-License-Identifier: BSD-3-Clause
// overview_test.cc - what a report begins with: efficiency, the findings of `cairn advise`, all ranks over time

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "cli/report/compare.hpp"
#include "cli/report/efficiency.hpp"
#include "cli/report/reading.hpp"
#include "cli/report/writing.hpp"
#include "formats/waits.hpp"

namespace cairn::report {
namespace {

using WaitsFile = formats::waits::Summary;

/// Rank 1 of four works longer for 10 s of 100 s; a quarter of the time is waiting.
WaitsFile late_rank() {
  WaitsFile file;
  file.program = "/bin/app";
  file.ranks = 4;
  file.run_time = file.replayed = 100;
  file.split = {200, 100, 80, 20};
  for (int rank = 0; rank < 4; ++rank) file.by_rank.push_back({rank, {50, 25, 20, 5}, rank == 1 ? 100.0 : 0.0});
  const formats::waits::Place barrier{"MPI_Barrier", {"step", "/src/b.c", 9, "app", 1}};
  const formats::waits::Place send{"MPI_Send", {"step", "/src/b.c", 3, "app", 2}};
  formats::waits::Wait& wait = file.waits.emplace_back();
  wait.kind = "wait_at_barrier";
  wait.place = barrier;
  wait.time = 100;
  wait.count = 30;
  wait.most = 40;
  formats::waits::Cause& cause = file.causes.emplace_back();
  cause.kind = "work";
  cause.ranks = {1};
  cause.from = send;
  cause.to = barrier;
  cause.cost = 100;
  cause.share = 1;
  cause.own = 50;
  cause.symptoms = {{"wait_at_barrier", barrier, 100}};
  cause.predicted_run = 80;
  file.pairs = {{0, 1, 50, 10}};
  file.efficiency = {0.5, 0.8, 0.625, 0.7, 0.9, 1, 1};
  file.timeline = {50, {{{0, 1}, 5, {50, 50}, {0, 40}, {}, {0, 100}}, {{2, 3}, 5, {10, 90}, {80, 0}, {}, {100, 0}}}};
  return file;
}

class OverviewTest : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::temp_directory_path() / ("cairn-overview-" + std::to_string(getpid()));
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  Report report_of(const WaitsFile& file) {
    std::ofstream(folder_ / "waits.json") << file_text(file);
    Report report = read_run(folder_.string());
    add_overview(folder_.string(), report);
    return report;
  }

  std::filesystem::path folder_;
};

Section telling(const char* tool, std::initializer_list<std::pair<const char*, double>> facts) {
  Section section;
  section.tool = tool;
  for (const auto& [key, value] : facts) section.facts.push_back({key, key, Kind::fraction, value});
  return section;
}

std::string first_lines(Report& report) {
  report.overview.efficiency = efficiency_of(report);
  return overview_text(report);
}

TEST(Efficiency, IsThatOfTheToolWhichTellsMostAndTheRestIsUnknown) {
  Report report;
  EXPECT_TRUE(first_lines(report).empty());
  report.sections = {telling("profile", {{"parallel_efficiency", 0.4}, {"load_balance", 0.5}}), telling("comm", {})};
  EXPECT_EQ(first_lines(report),
            "\nefficiency\n"
            "    40.0 %  parallel efficiency           an average rank's work outside MPI, of the run time\n"
            "    50.0 %    load balance                an average rank's work, of the busiest one's\n"
            "   unknown    communication efficiency    'waits' tells\n"
            "   unknown      serialisation             'waits' tells\n"
            "   unknown      transfer                  'waits' tells\n");
  report.sections.push_back(
      telling("waits", {{"parallel_efficiency", 0.3}, {"load_balance", 0.6}, {"communication_efficiency", 0.5}}));
  EXPECT_NE(first_lines(report).find("    30.0 %  parallel efficiency"), std::string::npos);
  report.overview.efficiency = efficiency_of(report);
  const auto files = csv_files(report);
  ASSERT_FALSE(files.empty());
  EXPECT_EQ(files.back().first, "efficiency.csv");
  EXPECT_EQ(files.back().second,
            "figure,talp,value\r\n"
            "parallel_efficiency,Parallel efficiency,0.3\r\n"
            "load_balance,Load Balance,0.6\r\n"
            "communication_efficiency,Communication efficiency,0.5\r\n"
            "serialisation_efficiency,,\r\n"
            "transfer_efficiency,,\r\n");
}

TEST_F(OverviewTest, HasTheFindingsOfAdviseWithTheTableThatProvesThem) {
  const Report report = report_of(late_rank());
  ASSERT_EQ(report.overview.findings.size(), 1U);
  const Finding& finding = report.overview.findings[0];
  EXPECT_EQ(finding.advice.kind, "late_rank");
  EXPECT_EQ(finding.evidence, "wait_causes");
  EXPECT_EQ(report.overview.not_checked.substr(report.overview.not_checked.size() - 17), "1 that needs vars");
  const std::string text = overview_text(report);
  EXPECT_NE(text.find("\nfindings\n  1. Late rank, b.c:9 step\n     cost: 25 s (26.3 % of the run)\n     gain: 20 s "
                      "(21.1 % of the run, which is predicted to take 75 s); sure: high, measured\n"),
            std::string::npos)
      << text;
  const Json json = to_json(report);
  EXPECT_EQ(json["findings"][0]["cost_s"], 25);
  EXPECT_EQ(json["findings"][0]["table"], "wait_causes");
  EXPECT_EQ(json["efficiency"]["transfer_efficiency"], 0.9);
}

TEST_F(OverviewTest, SaysOfWaitsWhatIsNoFindingOnceAndWithoutAChangeThatIsNone) {
  const std::string text = summary_text(report_of(late_rank()));
  EXPECT_NE(text.find("Who waits for whom? (waits)\n    25.0 %  of all ranks' time is waiting for another rank\n"
                      "              50.0 % is work, 20.0 % transfer, 5.0 % the start of MPI.\n"
                      "   100.0 %  of it: wait at barrier in MPI_Barrier at b.c:9 step\n"
                      "              30 calls, 100 s in all; longest on rank 0, 40.0 s.\n"),
            std::string::npos)
      << text;
  const std::size_t once = text.find("of all waiting");
  EXPECT_EQ(text.find("of all waiting", once + 1), std::string::npos);
  EXPECT_EQ(text.find("instead of"), std::string::npos);
  WaitsFile no_gain = late_rank();
  no_gain.causes[0].predicted_run = no_gain.replayed;
  EXPECT_NE(overview_text(report_of(no_gain)).find("gain: none of this alone, as others are late, too; sure: high"),
            std::string::npos);
}

TEST_F(OverviewTest, WaitsOfSeveralThreadsAreNoMoreThanAllWaiting) {
  WaitsFile threads = late_rank();
  threads.waits[0].time *= 20;
  EXPECT_NE(summary_text(report_of(threads)).find("\n   100.0 %  of it: wait at barrier in MPI_Barrier"),
            std::string::npos);
}

TEST_F(OverviewTest, OfAHealthyRunSaysThatThereIsNoFinding) {
  WaitsFile healthy = late_rank();
  healthy.causes.clear();
  EXPECT_NE(overview_text(report_of(healthy)).find("\nfindings\n  none that costs 2 % of the run\n"),
            std::string::npos);
}

TEST_F(OverviewTest, OfTwoRunsComparesEfficiencyAndFindings) {
  WaitsFile mended = late_rank();
  mended.causes[0].cost = 20;
  mended.efficiency.parallel = 0.75;
  mended.split.work = 250;
  WaitsFile healthy = mended;
  healthy.causes.clear();
  const Report a = report_of(late_rank());
  const Report b = report_of(mended);
  const Report c = report_of(healthy);
  const std::string text = overview_text(compare(a, b));
  EXPECT_NE(
      text.find("\nefficiency in A, in B, and the change\n    50.0 %    75.0 %  +25.0 points  parallel efficiency\n"),
      std::string::npos)
      << text;
  EXPECT_NE(text.find("   100.0 %    80.0 %  -20.0 points  computation scalability\n"), std::string::npos) << text;
  EXPECT_EQ(csv_files(compare(a, b)).back().second.substr(0, 69),
            "figure,talp,value_a,value_b\r\nparallel_efficiency,Parallel efficiency,");
  WaitsFile cut = mended;
  cut.coverage.analysed = 50;
  cut.coverage.whole_run = 100;
  EXPECT_NE(
      overview_text(compare(a, report_of(cut))).find("   unknown   unknown                computation scalability\n"),
      std::string::npos);
  EXPECT_NE(text.find("  1. Late rank, b.c:9 step\n     cost: 25.0 s in A, 5.00 s in B\n"), std::string::npos) << text;
  const Json gone = to_json(compare(a, c))["findings"][0];
  EXPECT_EQ(gone["in"], "A");
  EXPECT_EQ(gone["cost_a_s"], 25);
  EXPECT_TRUE(gone["cost_b_s"].is_null());
  EXPECT_EQ(to_json(compare(c, a))["findings"][0]["in"], "B");
  EXPECT_EQ(compare(a, b).overview.strips[1]["title"], "All ranks over time, B");
}

TEST_F(OverviewTest, HasAPageWhoseSizeIsBoundedForManyRanks) {
  constexpr int ranks = 10'000;
  WaitsFile file = late_rank();
  file.ranks = ranks;
  file.by_rank.clear();
  for (int rank = 0; rank < ranks; ++rank)
    file.by_rank.push_back({rank, {50.123456 + rank, 25.123456, 20.123456, 5.123456}, 1.0 / (rank + 1)});
  for (int pair = 0; pair < 10'000; ++pair) file.pairs.push_back({pair, (pair + 1) % ranks, 1.0 / (pair + 1), 1});
  EXPECT_LT(page(report_of(file)).size(), 1'500'000U);
}

}  // namespace
}  // namespace cairn::report
