// SPDX-License-Identifier: BSD-3-Clause
// setting_test.cc - settings as the user writes them, and what is said of those that a library would not take

#include "cli/settings/setting_check.hpp"

#include <gtest/gtest.h>

#include "problem_of.hpp"

namespace cairn::cli {
namespace {

std::string problem_of_text(const std::string& text) {
  return problem_of([&] { parse_setting(text, "here"); });
}

TEST(ParseSetting, ReadsNameValueAndRanks) {
  const Setting setting = parse_setting("btl_vader_eager_limit=65536@0-3,8", "here");
  EXPECT_EQ(setting.name, "btl_vader_eager_limit");
  EXPECT_EQ(setting.value, "65536");
  EXPECT_EQ(setting.ranks, "0-3,8");
  EXPECT_EQ(setting.origin, "here");
  EXPECT_TRUE(setting.on.admits_rank(2));
  EXPECT_TRUE(setting.on.admits_rank(8));
  EXPECT_FALSE(setting.on.admits_rank(4));
}

TEST(ParseSetting, LeavesValuesAsTheyAre) {
  EXPECT_EQ(parse_setting("a=b=c,d:e", "").value, "b=c,d:e");
  EXPECT_EQ(parse_setting("a=me\\@there", "").value, "me@there");
  EXPECT_EQ(parse_setting("a=", "").value, "");
  EXPECT_TRUE(parse_setting("a=", "").on.admits_rank(-1));
}

TEST(ParseSetting, RefusesWhatIsNone) {
  const std::string form = "NAME=VALUE[@RANKS], as in btl_vader_eager_limit=65536@0-3";
  EXPECT_EQ(problem_of_text("a"), "'a' has no value | " + form);
  EXPECT_EQ(problem_of_text("=1"), "a setting without a name: '=1' | " + form);
  EXPECT_EQ(problem_of_text("env:=1"), "a setting without a name: 'env:=1' | " + form);
  EXPECT_EQ(problem_of_text("a=1@"), "'a=1@' has no ranks after its @ | " + form + "; write \\@ for an @ in the value");
  EXPECT_EQ(problem_of_text("a=1@x"), "the ranks of 'a' cannot be 'x' | N or N-M, with commas between them");
  EXPECT_EQ(problem_of_text("a=1@3-1"), "the ranks of 'a' cannot be '3-1' | N or N-M, with commas between them");
}

TEST(ParseSetting, ReadsAnElementOfAnArray) {
  const Setting setting = parse_setting("pools[12]=5@1", "here");
  EXPECT_EQ(setting.name, "pools");
  EXPECT_EQ(setting.element, 12);
  EXPECT_EQ(setting.text(), "pools[12]=5@1");
  EXPECT_EQ(parse_setting("pools=1,2", "").element, std::nullopt);
  EXPECT_EQ(parse_setting("env:a[1]=5", "").name, "env:a[1]");
  for (const std::string wrong :
       {"pools[]", "pools[x]", "pools[-1]", "pools[1x]", "pools]", "pools[99999999999999999999]"})
    EXPECT_EQ(problem_of_text(wrong + "=1"),
              "'" + wrong + "' names no element of an array | NAME[N]=VALUE, with N from 0");
}

TEST(Settings, OfOneNameMayBeForDifferentRanks) {
  const auto both = [](const char* one, const char* other) {
    return problem_of([&] { refuse_contradictions({parse_setting(one, ""), parse_setting(other, "")}); });
  };
  EXPECT_EQ(both("a=1@0-3", "a=2@4"), "no problem");
  EXPECT_EQ(both("a=1", "b=2"), "no problem");
  EXPECT_EQ(both("a=1@0-3", "a=2@3,9"), "'a=1@0-3' and 'a=2@3,9' are for the same ranks | one value for each rank");
  EXPECT_EQ(both("a[0]=1", "a[1]=2"), "no problem");
  EXPECT_EQ(both("a=1", "a[1]=2"), "no problem");
  EXPECT_EQ(both("a[1]=1", "a[1]=2"), "'a[1]=1' and 'a[1]=2' are for the same ranks | one value for each rank");
  EXPECT_EQ(both("a=1", "a=1"), "'a=1' and 'a=1' are for the same ranks | one value for each rank");
}

TEST(Settings, ReachLibrariesByTheEnvironment) {
  EXPECT_EQ(environment_name("coll_tuned_priority"), "OMPI_MCA_coll_tuned_priority");
  EXPECT_EQ(environment_name("MPIR_CVAR_BCAST_MIN_PROCS"), "MPIR_CVAR_BCAST_MIN_PROCS");
  EXPECT_EQ(environment_name("env:UCX_RNDV_THRESH"), "UCX_RNDV_THRESH");
}

/// What a library lists that was asked with these settings in force.
const Json list = Json::parse(R"({
  "control_variables": [
    {"name": "limit", "type": "unsigned long", "scope": "readonly", "value": 65536},
    {"name": "algorithm", "type": "int", "scope": "all", "enumeration": "algorithms", "value": 3},
    {"name": "yield", "type": "bool", "scope": "readonly", "value": true},
    {"name": "version", "type": "int", "scope": "constant", "value": 4},
    {"name": "path", "type": "char", "scope": "local", "value": "/a"},
    {"name": "equal", "type": "int", "scope": "all_eq", "value": 1},
    {"name": "MPIR_CVAR_X_ALGORITHM", "type": "int", "scope": "all_eq", "value": 2},
    {"name": "MPIR_CVAR_Y_ALGORITHM", "type": "int", "scope": "all_eq", "value": 1,
     "description": "Variable to select algorithmauto - Internal selection (if any)ring   - Force ringbinary - Force binary"},
    {"name": "adapt_algorithm", "type": "int", "scope": "all", "value": 2, "description": "One of 1: binomial, 2: chain"},
    {"name": "tool_top", "type": "unsigned", "scope": "local", "value": 10},
    {"name": "pools", "type": "int", "scope": "local", "count": 4, "value": [16, 16, 16, 16]},
    {"name": "fixed", "type": "int", "scope": "readonly", "count": 2, "value": [1, 2]},
    {"name": "tool_state", "type": "int", "scope": "readonly", "value": 0}],
  "enumerations": [{"name": "algorithms", "items": [{"name": "ring", "value": 3}, {"name": "tree", "value": 4}]}],
  "categories": [{"name": "cairn", "categories": ["tool"], "control_variables": []},
                 {"name": "tool", "categories": [], "control_variables": ["tool_top", "tool_state"]}]})");

CheckedSetting check(const std::string& text) { return check_setting(parse_setting(text, ""), list); }
std::string refusal(const std::string& text) {
  return problem_of([&] { check(text); });
}

TEST(CheckSetting, TakesWhatTheLibraryTook) {
  EXPECT_EQ(check("limit=65536").seen, "65536");
  EXPECT_EQ(check("limit=64k").seen, "65536");
  EXPECT_EQ(check("algorithm=3").seen, "3");
  EXPECT_EQ(check("algorithm=ring").seen, "3");
  EXPECT_EQ(check("yield=yes").seen, "true");
  EXPECT_EQ(check("path=/a").seen, "/a");
  EXPECT_EQ(check("version=4").seen, "4");
  EXPECT_EQ(check("limit=65536@1").seen, "65536");
}

TEST(CheckSetting, TakesNamesThatTheDescriptionHas) {
  EXPECT_EQ(check("MPIR_CVAR_Y_ALGORITHM=ring").seen, "1");
  EXPECT_EQ(check("adapt_algorithm=chain").seen, "2");
  EXPECT_EQ(check("adapt_algorithm=2").seen, "2");
  EXPECT_EQ(refusal("adapt_algorithm=star"),
            "'adapt_algorithm' cannot be set: 'star' is not a valid value | one of binomial, chain");
}

TEST(CheckSetting, LeavesNamesThatMpichKnowsToMpich) {
  EXPECT_EQ(check("MPIR_CVAR_X_ALGORITHM=recursive_doubling").seen, "2");
}

TEST(CheckSetting, ToldOfToolsIsTheValueToWrite) {
  EXPECT_TRUE(check("tool_top=3").after_init);
  EXPECT_EQ(check("tool_top=3").seen, "3");
  EXPECT_FALSE(check("limit=65536").after_init);
}

TEST(CheckSetting, WritesElementsOfArraysAfterMpiInit) {
  EXPECT_TRUE(check("pools[3]=5").after_init);
  EXPECT_EQ(check("pools[3]=5").seen, "5");
  EXPECT_TRUE(check("pools=1,2,3,4").after_init);
  EXPECT_EQ(check("pools=1,2,3,4").seen, "1,2,3,4");
  EXPECT_EQ(check("pools=7").seen, "7");
  EXPECT_EQ(refusal("pools[4]=5"), "'pools[4]' cannot be set: it has 4 elements, 0 to 3 | ");
  EXPECT_EQ(refusal("pools=1,2"),
            "'pools' cannot be set: it has 4 elements, not 2 | a value for each of them, or one for all");
  EXPECT_EQ(refusal("pools[0]=much"), "'pools[0]' cannot be set: 'much' is not a valid value | a value of type int");
  EXPECT_EQ(refusal("fixed[0]=5"), "'fixed[0]' cannot be set: it can only be read (its scope is readonly) | ");
  EXPECT_EQ(refusal("limit[0]=5"), "'limit[0]' cannot be set: it is a single value | ");
  EXPECT_EQ(refusal("path[0]=/a"), "'path[0]' cannot be set: it is a single value | ");
}

TEST(CheckSetting, SaysWhyNot) {
  EXPECT_EQ(refusal("limt=1"), "'limt' cannot be set: there is no control variable of this name | limit");
  EXPECT_EQ(refusal("nothing_like_it=1"),
            "'nothing_like_it' cannot be set: there is no control variable of this name | 'cairn vars --before-init', "
            "which lists all names");
  EXPECT_EQ(refusal("limit=much"),
            "'limit' cannot be set: 'much' is not a valid value | a value of type unsigned long");
  EXPECT_EQ(refusal("limit=-1"), "'limit' cannot be set: '-1' is not a valid value | a value of type unsigned long");
  EXPECT_EQ(refusal("yield=maybe"), "'yield' cannot be set: 'maybe' is not a valid value | a value of type bool");
  EXPECT_EQ(refusal("algorithm=star"), "'algorithm' cannot be set: 'star' is not a valid value | one of ring, tree");
  EXPECT_EQ(refusal("algorithm=9"), "'algorithm' cannot be set: the MPI library keeps 3 | one of ring, tree");
  EXPECT_EQ(refusal("version=9"),
            "'version' cannot be set: the MPI library keeps 4 (it is a constant) | a value of type int");
  EXPECT_EQ(refusal("equal=1@0"),
            "'equal' cannot be set: it must have one value on all ranks (its scope is all_eq) | equal=1");
  EXPECT_EQ(refusal("tool_state=1"), "'tool_state' cannot be set: it can only be read (its scope is readonly) | ");
  EXPECT_EQ(refusal("tool_top=many"),
            "'tool_top' cannot be set: 'many' is not a valid value | a value of type unsigned");
}

}  // namespace
}  // namespace cairn::cli
