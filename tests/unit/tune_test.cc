// SPDX-License-Identifier: BSD-3-Clause
// tune_test.cc - `cairn tune` without a launcher: statistics, values to try, the course of a search, the report.

#include <gtest/gtest.h>

#include <cmath>

#include "cli/tune/candidates.hpp"
#include "cli/tune/report.hpp"
#include "cli/tune/search.hpp"
#include "policy/statistics.hpp"
#include "problem_of.hpp"

namespace cairn::tune {

using policy::Interval;
using policy::mean_interval;
using policy::median;
using policy::spread;
using policy::student_quantile;
namespace {

TEST(Statistics, MedianAndSpread) {
  EXPECT_DOUBLE_EQ(median({3}), 3);
  EXPECT_DOUBLE_EQ(median({4, 1, 3, 2}), 2.5);
  EXPECT_DOUBLE_EQ(spread({3}), 0);
  EXPECT_DOUBLE_EQ(spread({1, 2, 3, 4, 5}), 2.0 / 3);
}

// Two-sided values of published tables of Student's distribution.
TEST(Statistics, StudentQuantilesAreThoseOfTheTables) {
  EXPECT_NEAR(student_quantile(0.05, 1), 12.706, 0.001);
  EXPECT_NEAR(student_quantile(0.05, 2), 4.303, 0.001);
  EXPECT_NEAR(student_quantile(0.05, 3), 3.182, 0.001);
  EXPECT_NEAR(student_quantile(0.01, 4), 4.604, 0.001);
  EXPECT_NEAR(student_quantile(0.001, 5), 6.869, 0.001);
  EXPECT_NEAR(student_quantile(0.05, 10), 2.228, 0.001);
  EXPECT_NEAR(student_quantile(0.05, 29), 2.045, 0.001);
}

TEST(Statistics, TheIntervalOfAMean) {
  const Interval interval = mean_interval({1, 2, 3}, 0.05);
  EXPECT_DOUBLE_EQ(interval.mean, 2);
  EXPECT_NEAR(interval.high - interval.mean, 4.303 / std::sqrt(3.0), 0.001);
  EXPECT_NEAR(interval.mean - interval.low, 4.303 / std::sqrt(3.0), 0.001);
  EXPECT_TRUE(std::isinf(mean_interval({1}, 0.05).high));
  EXPECT_DOUBLE_EQ(mean_interval({2, 2, 2}, 0.05).low, 2);
}

TEST(Choice, ReadsListsAndRanges) {
  using Values = std::vector<std::string>;
  EXPECT_EQ(parse_choice("btl=self\\,vader,self\\,tcp").values, (Values{"self,vader", "self,tcp"}));
  EXPECT_EQ(parse_choice("a=1024..65536*4").values, (Values{"1024", "4096", "16384", "65536"}));
  EXPECT_EQ(parse_choice("a=1..7+3").values, (Values{"1", "4", "7"}));
  EXPECT_EQ(parse_choice("a=-1..1").values, (Values{"-1", "0", "1"}));
  EXPECT_EQ(parse_choice("a=../b,c").values, (Values{"../b", "c"}));
}

TEST(Choice, RefusesWhatHasNoValues) {
  const std::string form = " | NAME=A,B,C or NAME=LOW..HIGH, optionally followed by *FACTOR or +STEP";
  for (const char* text : {"a", "a=", "=1", "a=3..1", "a=1..8*1", "a=0..8*2", "a=1..8+0"})
    EXPECT_EQ(problem_of([&] { parse_choice(text); }), "'" + std::string(text) + "' has no values to try" + form);
  EXPECT_EQ(problem_of([] { parse_choice("a=1,1"); }), "'a=1,1' has a value twice" + form);
  EXPECT_EQ(problem_of([] { parse_choice("a=1..9999"); }),
            "'a=1..9999' has more than 1000 values | a larger step, or *2 after it");
}

TEST(Combinations, AreOfEveryValueWithEveryOther) {
  const auto made = combinations({{"x", "0"}}, {{"a", {"1", "2"}}, {"b", {"3", "4"}}}, 4);
  std::vector<std::string> texts;
  for (const Candidate& candidate : made) texts.push_back(text_of(candidate));
  EXPECT_EQ(texts, (std::vector<std::string>{"x=0", "x=0 a=1 b=3", "x=0 a=1 b=4", "x=0 a=2 b=3", "x=0 a=2 b=4"}));
  EXPECT_EQ(text_of(Candidate{}), "(default)");
  EXPECT_EQ(problem_of([] {
              combinations({}, {{"a", {"1", "2"}}, {"b", {"3", "4"}}}, 3);
            }),
            "there are more than 3 combinations of values | --one-by-one, which tries one variable after the other, or "
            "fewer values");
}

/// Figures that hardly vary, by candidate; and what was measured.
struct Machine {
  std::vector<double> figures;
  std::vector<std::size_t> measured = {};

  Found run(SearchOptions options = {}) {
    return search(figures.size(), options, [this](std::size_t i) {
      measured.push_back(i);
      const double noise = measured.size() % 2 == 0 ? 1.001 : 0.999;
      if (figures[i] <= 0) return Measured{std::nullopt, "exit code 1"};
      return Measured{figures[i] * noise};
    });
  }
};

TEST(Search, FindsTheBetterOneAndStopsWhenThatIsClear) {
  Machine machine{{10, 8, 12, 10}};
  const Found found = machine.run();
  EXPECT_EQ(found.best, 1U);
  EXPECT_LT(found.rounds, 10U);
  EXPECT_EQ(found.entries[2].fate, Fate::slower);
  EXPECT_NEAR(part_gained(found.entries[1].gain.mean, false), 0.2, 0.01);
  EXPECT_GT(part_gained(found.entries[1].gain.low, false), 0.15);
}

TEST(Search, MeasuresInTurnForwardsAndBackwards) {
  Machine machine{{10, 10, 10}};
  machine.run({.most_rounds = 3});
  EXPECT_EQ((std::vector<std::size_t>(machine.measured.begin(), machine.measured.begin() + 9)),
            (std::vector<std::size_t>{0, 1, 2, 2, 1, 0, 0, 1, 2}));
}

TEST(Search, PrefersMoreWhereMoreIsBetter) {
  Machine machine{{10, 8, 12}};
  const Found found = machine.run({.larger_is_better = true});
  EXPECT_EQ(found.best, 2U);
  EXPECT_NEAR(part_gained(found.entries[2].gain.mean, true), 0.2, 0.01);
}

TEST(Search, KeepsTheDefaultWhereNothingIsGained) {
  Machine machine{{10, 10, 10}};
  const Found found = machine.run();
  EXPECT_EQ(found.best, 0U);
  EXPECT_EQ(found.entries[1].fate, Fate::no_gain);
}

TEST(Search, OfTwoAlikeKeepsOne) {
  Machine machine{{10, 8, 8}};
  const Found found = machine.run();
  EXPECT_NE(found.best, 0U);
  EXPECT_EQ(found.entries[found.best == 1 ? 2 : 1].fate, Fate::beaten);
}

TEST(Search, FindsNothingInNoise) {
  const std::vector<double> noise = {1, 1.3, 0.8, 1.1, 0.7, 1.4, 0.9, 1.2, 0.6, 1.5, 1.05};
  std::size_t next = 0;
  const Found found = search(3, {}, [&](std::size_t) { return Measured{10 * noise[next++ % noise.size()]}; });
  EXPECT_EQ(found.best, 0U);
  EXPECT_EQ(found.rounds, 10U);
}

TEST(Search, LeavesOutWhatFails) {
  Machine machine{{10, 0, 8}};
  const Found found = machine.run();
  EXPECT_EQ(found.entries[1].fate, Fate::failed);
  EXPECT_EQ(found.entries[1].why, "exit code 1");
  EXPECT_EQ(std::count(machine.measured.begin(), machine.measured.end(), 1U), 1);
  EXPECT_EQ(found.best, 2U);
}

TEST(Search, EndsWithTheDefaultOrAnInterrupt) {
  Machine machine{{0, 8}};
  EXPECT_EQ(machine.run().rounds, 0U);
  EXPECT_EQ(machine.measured.size(), 1U);
  int left = 5;
  const Found found = search(2, {}, [&](std::size_t i) {
    return left-- > 0 ? Measured{i == 0 ? 10.0 : 8.0} : Measured{std::nullopt, "", true};
  });
  EXPECT_TRUE(found.interrupted);
  EXPECT_EQ(found.rounds, 2U);
  EXPECT_EQ(found.best, 0U);
}

Report report_of(const Found& found) {
  return {{"mpirun", "-n", "2", "./my app"},
          "wall time of the command in s",
          {},
          {{{{}, {{"limit", "8"}}, {{"limit", "9"}}}, found}}};
}

TEST(TuneReport, ShowsFiguresAndTheCommandToUse) {
  Found found{{{{10, 10, 10}}, {{5, 5, 5}}, {{}, Fate::failed, "exit code 1"}}, 3, 1, false};
  found.entries[1].gain = {std::log(2.0), std::log(1.6), std::log(2.5)};
  EXPECT_EQ(text_of(report_of(found)),
            "cairn tune: mpirun -n 2 './my app'\n"
            "objective: wall time of the command in s, less is better\n"
            "\n"
            "after 3 rounds:\n"
            "  setting    runs       median   spread  gain over the first\n"
            "  (default)     3           10    0.0 %\n"
            "  limit=8       3            5    0.0 %  +50.0 % (+37.5 to +60.0 %)\n"
            "  limit=9       0            -        -                                    failed: exit code 1\n"
            "\n"
            "with 95 % confidence all intervals of the table hold\n"
            "best: limit=8\n"
            "use:  OMPI_MCA_limit=8 mpirun -n 2 './my app'\n"
            "or:   cairn run --set limit=8 in front of the program\n");
}

TEST(TuneReport, SaysWhatIsMissing) {
  const auto last_line = [](const Found& found) {
    const std::string text = text_of(report_of(found));
    return text.substr(text.rfind('\n', text.size() - 2) + 1);
  };
  EXPECT_EQ(last_line({{{{1, 1, 1}}, {{1, 1, 1}}, {{1, 1, 1}}}, 3, 0, false}),
            "no setting is better than the default beyond noise: keep the default\n");
  EXPECT_EQ(last_line({{{{1}}, {{1}}, {{1}}}, 1, 0, true}), "no answer: fewer than 3 rounds were made\n");
  EXPECT_EQ(last_line({{{{1}, Fate::failed, "exit code 2"}, {{1}}, {{1}}}, 1, 0, false}),
            "no answer: the command failed without any setting: exit code 2\n");
}

TEST(TuneReport, KeepsNoSettingWithWhichTheCommandHasFailedSince) {
  Report report = report_of({{{{10, 10, 10}}, {{5, 5, 5}}, {{7, 7, 7}}}, 3, 1, false});
  EXPECT_EQ(report.why_ended_early(), "");
  report.results.push_back({{{{"limit", "8"}}, {{"limit", "8"}, {"other", "1"}}},
                            {{{{5}, Fate::failed, "exit code 2"}, {{4, 4}}}, 1, 0, false}});
  EXPECT_EQ(report.why_ended_early(), "the command failed with limit=8: exit code 2");
  EXPECT_EQ(text_of(report.best()), "(default)");
  EXPECT_TRUE(text_of(report).ends_with("no answer: the command failed with limit=8: exit code 2\n"));
}

TEST(TuneReport, IsThereForPrograms) {
  Found found{{{{10, 10}}, {{5, 5}}, {{}, Fate::failed, "exit code 1"}}, 2, 1, false};
  found.entries[1].gain = {std::log(2.0), std::log(1.6), std::log(2.5)};
  const auto json = json_of(report_of(found));
  EXPECT_EQ(json["format"], "cairn-tune 1");
  EXPECT_EQ(json["best"].dump(), R"({"limit":"8"})");
  const auto& settings = json["searches"][0]["settings"];
  EXPECT_EQ(settings[0].dump(), R"({"set":{},"figures":[10.0,10.0],"fate":"running"})");
  EXPECT_NEAR(settings[1]["gain"]["low"].get<double>(), 0.375, 1e-9);
  EXPECT_EQ(settings[2]["why"], "exit code 1");
}

}  // namespace
}  // namespace cairn::tune
