// SPDX-License-Identifier: BSD-3-Clause
// report_test.cc - profile's table and file from plain data, and the file read again.

#include <gtest/gtest.h>

#include <climits>
#include <nlohmann/json.hpp>

#include "formats/readers.hpp"
#include "report.hpp"

namespace profile {
namespace {

Summary sample() {
  Summary summary;
  summary.program = "/home/user/app";
  summary.tool = "profile";
  summary.ranks = 4;
  summary.run_time = {8, 2, 1.9, 2.1};
  summary.mpi_time = {2, 0.5, 0.4, 0.75};
  summary.start_time = {0.3, 0.075, 0.07, 0.08};
  const auto amounts = [](std::uint64_t calls, std::uint64_t sent, OverRanks time) {
    Amounts out;
    out.calls = calls;
    out.bytes_sent = sent;
    out.time = time;
    return out;
  };
  summary.functions = {{amounts(40, 0, {1.5, 0.375, 0.25, 0.5}), "MPI_Waitall"},
                       {amounts(1200, 176947200, {0.4, 0.1, 0.1, 0.1}), "MPI_Isend"},
                       {amounts(4, 0, {0.1, 0.025, 0.025, 0.025}), "MPI_Comm_rank"}};
  return summary;
}

TEST(ProfileTable, ShowsTheShareTheFunctionsAndTheRest) {
  EXPECT_EQ(
      format_table(sample(), 2, 5),
      "cairn profile: app on 4 ranks, 2.100 s, after MPI_Init 22.1 % in MPI (imbalance 50.0 %)\n"
      "  function                            calls       sent   % run       mean s        min s        max s  imbal %\n"
      "  MPI_Waitall                            40        0 B   18.75     0.375000     0.250000     0.500000     33.3\n"
      "  MPI_Isend                            1200   176.9 MB    5.00     0.100000     0.100000     0.100000      0.0\n"
      "  1 other function                        4        0 B    1.25     0.025000\n");
}

TEST(ProfileTable, LeavesOutTheRestWhenEverythingIsShown) {
  EXPECT_EQ(format_table(sample(), 3, 5).find("other"), std::string::npos);
}

TEST(ProfileTable, SaysNothingOfWaitingBelowOnePercentOfTheRun) {
  Summary summary = sample();
  const auto with = [&summary](double seconds) {
    summary.waiting.calls = 4;
    summary.waiting.time = seconds;
    summary.waiting.causes = {{3, seconds}};
    summary.waiting.late_rank = 3;
    return format_table(summary, 3, 5);
  };
  EXPECT_EQ(with(0.0799).find("waiting"), std::string::npos);
  EXPECT_NE(with(0.0801).find("\n  collective calls on MPI_COMM_WORLD: 1.00 % of the run is waiting for the last rank, "
                              "100 % of it for rank 3\n"),
            std::string::npos);
}

TEST(ProfileJson, HasWhatTheFormatPromises) {
  const auto json = nlohmann::json::parse(file_text(sample()));
  EXPECT_EQ(json["format"], "cairn-profile 1");
  EXPECT_EQ(json["ranks"], 4);
  ASSERT_EQ(json["functions"].size(), 3U);
  EXPECT_EQ(json["functions"][1]["name"], "MPI_Isend");
  EXPECT_EQ(json["functions"][1]["calls"], 1200);
  EXPECT_EQ(json["functions"][1]["bytes_sent"], 176947200);
  for (const char* key : {"total", "mean", "min", "max"})
    EXPECT_TRUE(json["functions"][0]["time_s"][key].is_number()) << key;
}

/// A value for every member that the file has.
Summary full() {
  Summary summary = sample();
  summary.run = "00aa";
  static_cast<cairn::formats::Part&>(summary.part) = {3, "SIGTERM"};
  const SourcePosition place = {"exchange", "/src/halo.c", 12, "/bin/app", 79};
  summary.part.in_calls = {{"MPI_Recv", place, 0.5}};
  summary.threads = 2;
  summary.split = {0.5, 0.25, 0.125, 1};
  summary.run_delay.by_rank = {1, 2, 3, 4};
  summary.busiest_rank = 2;
  summary.busiest_delay = 3;
  summary.waiting = {10, 5, 0.5, 0.125, 0.25, 1, {{"MPI_Barrier", 0.5}}, {{2, 0.25}, {1, 0.125}}, {{2, 3}}, 2};
  summary.of_tools = {5, 6, 0.5};
  FunctionSummary& function = summary.functions.front();
  function.by_time = {{1e-6, 3}, {0.5, 37}};
  function.by_size = {{1, 40}};
  function.in_vain = 7;
  function.transfers = {4, 2, 0.5};
  summary.sites = {{function, "MPI_Waitall", place, {{"main", "/src/main.c", 3, "/bin/app", 5}}}};
  summary.sites_left_out = 9;
  summary.regions = {{function, "solve/halo", 8, {4, 1, 0.5, 2}, {{function, "MPI_Waitall"}}}};
  summary.communicators = {{function, "rows", "0-3", 4, 2, 8, 4}};
  return summary;
}

TEST(ProfileJson, IsReadAsItWasWritten) {
  for (const Summary& summary : {sample(), full()}) {
    const std::string text = file_text(summary);
    const auto read = cairn::formats::read_profile(cairn::formats::Json::parse(text));
    EXPECT_EQ(file_text(read), text);
  }
}

TEST(ProfileJson, TellsWhatAFileDoesNotHave) {
  const auto read =
      cairn::formats::read_profile(cairn::formats::Json::parse(R"({"run_time_s": {"total": 3}, "own_time_s": 7})"));
  EXPECT_TRUE(read.run_time.is_known);
  EXPECT_EQ(read.run_time.total, 3);
  EXPECT_FALSE(read.mpi_time.is_known);
  EXPECT_FALSE(read.own_time.is_known);
  EXPECT_EQ(read.busiest_rank, -1);
}

TEST(ProfileJson, BringsNumbersIntoTheirRange) {
  const auto read = cairn::formats::read_profile(cairn::formats::Json::parse(
      R"({"ranks": 1e300, "threads": -99999999999, "functions": [7, {"name": 3, "calls": -1, "bytes_sent": 1e30}]})"));
  EXPECT_EQ(read.ranks, INT_MAX);
  EXPECT_EQ(read.threads, INT_MIN);
  ASSERT_EQ(read.functions.size(), 1U);
  EXPECT_EQ(read.functions[0].name, "");
  EXPECT_EQ(read.functions[0].calls, 0U);
  EXPECT_EQ(read.functions[0].bytes_sent, UINT64_MAX);
}

TEST(ProfileJson, SurvivesAProgramNameThatIsNoUtf8) {
  Summary summary = sample();
  summary.program = "/tmp/\xff";
  EXPECT_TRUE(nlohmann::json::accept(file_text(summary)));
}

TEST(Imbalance, IsZeroForEqualRanksAndForNothing) {
  EXPECT_EQ(imbalance({4, 1, 1, 1}), 0);
  EXPECT_EQ(imbalance({0, 0, 0, 0}), 0);
  EXPECT_DOUBLE_EQ(imbalance({4, 1, 0, 2.5}), 1.5);
}

}  // namespace
}  // namespace profile
