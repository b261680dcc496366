// SPDX-License-Identifier: BSD-3-Clause
// report_test.cc - profile's table and JSON from plain data.

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

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
      "cairn profile: app on 4 ranks, 2.100 s, 25.0 % of it in MPI (imbalance 50.0 %)\n"
      "  function                            calls       sent   % run       mean s        min s        max s  imbal %\n"
      "  MPI_Waitall                            40        0 B   18.75     0.375000     0.250000     0.500000     33.3\n"
      "  MPI_Isend                            1200   176.9 MB    5.00     0.100000     0.100000     0.100000      0.0\n"
      "  1 other function                        4        0 B    1.25     0.025000\n");
}

TEST(ProfileTable, LeavesOutTheRestWhenEverythingIsShown) {
  EXPECT_EQ(format_table(sample(), 3, 5).find("other"), std::string::npos);
}

TEST(ProfileJson, HasWhatTheFormatPromises) {
  const auto json = nlohmann::json::parse(format_json(sample()));
  EXPECT_EQ(json["format"], "cairn-profile 1");
  EXPECT_EQ(json["ranks"], 4);
  ASSERT_EQ(json["functions"].size(), 3U);
  EXPECT_EQ(json["functions"][1]["name"], "MPI_Isend");
  EXPECT_EQ(json["functions"][1]["calls"], 1200);
  EXPECT_EQ(json["functions"][1]["bytes_sent"], 176947200);
  for (const char* key : {"total", "mean", "min", "max"})
    EXPECT_TRUE(json["functions"][0]["time_s"][key].is_number()) << key;
}

TEST(ProfileJson, SurvivesAProgramNameThatIsNoUtf8) {
  Summary summary = sample();
  summary.program = "/tmp/\xff";
  EXPECT_TRUE(nlohmann::json::accept(format_json(summary)));
}

TEST(Imbalance, IsZeroForEqualRanksAndForNothing) {
  EXPECT_EQ(imbalance({4, 1, 1, 1}), 0);
  EXPECT_EQ(imbalance({0, 0, 0, 0}), 0);
  EXPECT_DOUBLE_EQ(imbalance({4, 1, 0, 2.5}), 1.5);
}

}  // namespace
}  // namespace profile
