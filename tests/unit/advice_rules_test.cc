// SPDX-License-Identifier: BSD-3-Clause
// advice_rules_test.cc - rules of a user's own for `cairn advise`, and what is refused in them

#include <string>

#include "advice_run.hpp"
#include "base/message.hpp"

namespace {

using cairn::advise::Result;
using nlohmann::json;
using AdviceRules = cairn::AdvisedRun;

TEST_F(AdviceRules, OwnRulesTheBestRecordAndNoMoreThanWanted) {
  json all = profile("MPI_Send", 4, 3, 0);
  all["functions"].push_back(all["functions"][0]);
  all["functions"][1]["time_s"] = over(20, 4);
  write("profile.json", all);
  const std::string rule =
      "finding \"a\"\n for each call\n if call.time > 1\n gain call.time\n do \"{call.time:time}\"\n";
  const Result result = find(rule + "finding \"b\"\n if 1\n gain 1\n do \"x\"\n", 1);
  ASSERT_EQ(titles(result), Titles{"a"});
  EXPECT_EQ(result.advice[0].remedy, "5 s");
  EXPECT_EQ(result.advice[0].others, 1U);
}

std::string refusal(const std::string& rules) {
  try {
    cairn::advise::check_fields(cairn::policy::parse_policy(rules, "r"));
  } catch (const cairn::Problem& problem) {
    return problem.what() + (" | " + problem.remedy);
  }
  return "accepted";
}

TEST_F(AdviceRules, FieldsThatThereAreNot) {
  EXPECT_EQ(refusal("finding \"a\"\n for each site\n if site.tim > 1\n gain 1\n do \"x\""),
            "policy 'r', line 3, column 5: 'site.tim' is not a field that finding 'a' can see | site.time");
  EXPECT_EQ(refusal("finding \"a\"\n if run.timme > 1\n gain 1\n do \"x\""),
            "policy 'r', line 2, column 5: 'run.timme' is not a field that finding 'a' can see | run.time");
  EXPECT_EQ(refusal("finding \"a\"\n for each sight\n if 1\n gain 1\n do \"x\""),
            "policy 'r', line 1, column 1: there are no records 'sight' | cairn advise --fields");
  EXPECT_EQ(refusal("finding \"a\"\n for each pair\n if call.time > 1\n gain 1\n do \"x\""),
            "policy 'r', line 3, column 5: 'call.time' is not a field that finding 'a' can see | pair.time");
}

TEST_F(AdviceRules, SettingsAreInFullOrLeftOut) {
  write("profile.json", profile("MPI_Send", 4, 0, 0));
  const Result result = find(
      "finding \"a\"\n if 1\n gain 1\n do \"x\"\n set A = 0.123456\n set B = run.cores\n set C = \"yes\"\n set D = 1 / "
      "0\n");
  EXPECT_EQ(result.advice.at(0).settings,
            (std::vector<std::pair<std::string, std::string>>{{"A", "0.123456"}, {"C", "yes"}}));
}

TEST_F(AdviceRules, WhatOnlyARunningProgramTells) {
  EXPECT_EQ(refusal("finding \"a\"\n if elapsed > 1\n gain 1\n do \"x\""),
            "policy 'r', line 2, column 5: only a rule for a running program can ask for this | cairn advise --fields");
  EXPECT_EQ(refusal("finding \"a\"\n if change(run.time) > 1\n gain 1\n do \"x\""),
            "policy 'r', line 2, column 5: a finding is evaluated once: there is no change | cairn advise --fields");
}

TEST_F(AdviceRules, OwnRulesNameKindPlaceRanksCostAndPrediction) {
  write("profile.json", profile("MPI_Send", 4, 3, 0));
  const std::string begin = "finding \"a\"\n if 1\n gain 30 s\n do \"x\"\n";
  json own =
      cairn::advise::advice_json(
          find(begin +
               "kind polling\n place \"b.c\", 8, \"g\"\n ranks 3\n cost 50 s\n predict run.time - 30\n measured\n"),
          records_)["findings"]
          .at(0);
  EXPECT_EQ(own["kind"], "polling");
  EXPECT_EQ(own["place"], (json{{"file", "b.c"}, {"line", 8}, {"function", "g"}}));
  EXPECT_EQ(own["ranks"], json{3});
  EXPECT_EQ(own["cost_s"], 50);
  EXPECT_EQ(own["predicted_run_s"], 70);
  EXPECT_EQ(own["measured"], true);
  EXPECT_NE(cairn::advise::advice_text(find(begin + "cost 50 s\n predict 70 s\n"), records_)
                .find("   cost: 50 s (50 % of the run)\n   gain: 30 s (30 % of the run, which is predicted to take 70 "
                      "s); sure: "
                      "medium, a guess\n"),
            std::string::npos);
  EXPECT_TRUE(own["predicted_error_s"].is_null());
  const auto inexact = find(begin + "predict 70 s\n error 5 s\n");
  EXPECT_EQ(cairn::advise::advice_json(inexact, records_)["findings"].at(0)["predicted_error_s"], 5);
  EXPECT_NE(cairn::advise::advice_text(inexact, records_).find(", which is predicted to take 70 s ± 5 s); sure: "),
            std::string::npos);
  EXPECT_EQ(cairn::advise::advice_text(find(begin + "predict 70 s\n error 600 ms\n"), records_).find("±"),
            std::string::npos)
      << "of little account";
  own = cairn::advise::advice_json(find(begin), records_)["findings"].at(0);
  EXPECT_EQ(own["kind"], "other");
  EXPECT_TRUE(own["place"].is_null());
  EXPECT_EQ(own["measured"], false);
  EXPECT_EQ(refusal(begin + "kind late_sendr\n"),
            "policy 'r', line 5, column 6: there are no findings of kind 'late_sendr' | late_sender");
  EXPECT_EQ(refusal(begin + "kind xyz\n"),
            "policy 'r', line 5, column 6: there are no findings of kind 'xyz' | cairn advise --kinds");
  EXPECT_EQ(refusal(begin + "place \"a\"\n"),
            "policy 'r', line 5, column 10: ',' and the line expected, but the line ends | ");
}

}  // namespace
