// SPDX-License-Identifier: BSD-3-Clause
// report_test.cc - what is interpreted of vars.json is read as it was written

#include "vars/report.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "formats/readers.hpp"

namespace vars {
namespace {

Summary sample() {
  Summary summary;
  summary.run = "00aa";
  summary.program = "/bin/app";
  summary.ranks = 2;
  summary.part = {1, "SIGTERM"};
  summary.budget = 2.5;
  summary.run_s = 8;
  summary.cost_s = 1;
  summary.cost_at_most = true;
  summary.nested = 4;
  summary.functions["MPI_Send"] = {100, 50};
  VariableSummary& variable = summary.variables["bytes\ncounter"];
  variable.name = "bytes";
  variable.of_class = "counter";
  variable.of_tool = true;
  variable.way = Way::sum;
  variable.ranks = 2;
  variable.least_value = 3;
  variable.most_value = 5;
  variable.sum_of_values = 8;
  variable.samples.add(1);
  variable.samples.add(2.5);
  variable.sum_of_last_samples = 5;
  Change& change = summary.changes["x"];
  change.variable = "bytes";
  change.of_class = "counter";
  change.region = "solve";
  change.function = "MPI_Send";
  change.samples = 50;
  change.changed = 7;
  change.total = 1.5;
  change.place = {"exchange", "/src/a.c", 7, "/bin/app", 9};
  summary.left_out["too many"] = {"a", "b"};
  return summary;
}

TEST(VarsJson, IsReadAsItWasWritten) {
  const auto read = cairn::formats::read_vars(cairn::formats::Json::parse(format_json(sample())));
  EXPECT_EQ(read.heading.run, "00aa");
  EXPECT_EQ(read.heading.part.ended_by, "SIGTERM");
  EXPECT_EQ(read.heading.calls, 100U);
  EXPECT_EQ(read.heading.calls_read, 50U);
  EXPECT_EQ(read.heading.calls_nested, 4U);
  EXPECT_EQ(read.heading.budget_percent, 2.5);
  EXPECT_EQ(read.heading.reading_time.mean, 0.5);
  EXPECT_TRUE(read.heading.reading_at_most);
  ASSERT_EQ(read.variables.size(), 1U);
  EXPECT_TRUE(read.variables[0].is_of_tool());
  EXPECT_EQ(read.variables[0].of_class, "counter");
  EXPECT_TRUE(read.variables[0].value.is_known);
  EXPECT_EQ(read.variables[0].value.max, 5);
  EXPECT_EQ(read.variables[0].sampled.samples, 2U);
  EXPECT_EQ(read.variables[0].sampled.last, 2.5);
  ASSERT_EQ(read.changes.size(), 1U);
  EXPECT_EQ(read.changes[0].function, "MPI_Send");
  EXPECT_EQ(read.changes[0].region, "solve");
  EXPECT_EQ(read.changes[0].total, 1.5);
  EXPECT_EQ(cairn::formats::place_text(read.changes[0].place), "a.c:7 exchange");
  ASSERT_EQ(read.left_out.size(), 1U);
  EXPECT_EQ(read.left_out[0].variables, (std::vector<std::string>{"a", "b"}));
}

TEST(VarsTable, GivesWhatReadingsWaitedForAsABound) {
  Summary summary = sample();
  EXPECT_TRUE(format_table(summary, 10)
                  .starts_with("cairn : app on 2 ranks, 1 of 1 variables changed; 50 of 100 calls read (50.0 %), which "
                               "took at most 12.50 % of the "
                               "run\n  more than the budget of 2.5 %, to which the start, the end and the first "
                               "objects of the program do not "
                               "keep\n  readings that waited for other threads, which were in MPI, are in that with "
                               "all of their time\n"));
  summary.cost_at_most = false;
  EXPECT_EQ(format_table(summary, 10).find("took at most"), std::string::npos);
}

TEST(VarsJson, TellsValuesFromChanges) {
  Summary summary = sample();
  summary.variables.begin()->second.way = Way::level;
  summary.changes.begin()->second.most_value = 9;
  const auto read = cairn::formats::read_vars(cairn::formats::Json::parse(format_json(summary)));
  EXPECT_TRUE(std::isnan(read.changes[0].total));
  EXPECT_EQ(read.changes[0].max, 9);
}

}  // namespace
}  // namespace vars
