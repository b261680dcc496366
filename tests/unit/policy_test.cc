// SPDX-License-Identifier: BSD-3-Clause
// policy_test.cc - the language of policies: what lines mean, and what is said of wrong ones, word for word

#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "base/message.hpp"
#include "policy/expression_parser.hpp"
#include "policy/policy.hpp"

namespace {

using cairn::policy::Action;
using cairn::policy::Evaluator;
using cairn::policy::Expression;
using cairn::policy::Input;
using cairn::policy::Policy;
using cairn::policy::Rule;
using cairn::policy::Trigger;
using cairn::policy::Value;

Expression expression(const std::string& text) {
  cairn::policy::Tokens tokens(cairn::policy::tokens_of(text, "t"), "t");
  return cairn::policy::parse_expression(tokens, {});
}

using Given = std::map<std::string, Value>;

Value value_at(Evaluator& evaluator, const Given& given, double now = 0) {
  static const Value unknown;
  std::vector<const Value*> inputs;
  for (const Input& input : evaluator.expression().inputs) {
    const auto found = given.find(input.name);
    inputs.push_back(found == given.end() ? &unknown : &found->second);
  }
  return evaluator.evaluate(inputs, now);
}

std::string value_of(const std::string& text, const Given& given = {}) {
  Evaluator evaluator(expression(text));
  return format_value(value_at(evaluator, given));
}

Value list(std::vector<double> numbers) { return {false, std::move(numbers), {}}; }

TEST(Policy, ArithmeticBindsAsEverywhere) {
  EXPECT_EQ(value_of("1 + 2 * 3 - 8 / 4"), "5");
  EXPECT_EQ(value_of("-(1 + 2) * 3"), "-9");
  EXPECT_EQ(value_of("1 < 2 and not 3 < 2 or 0"), "1");
  EXPECT_EQ(value_of("2 - 1 - 1"), "0");
}

TEST(Policy, UnitsAreSecondsBytesAndPartsOfOne) {
  EXPECT_EQ(value_of("1 min + 500 ms"), "60.5");
  EXPECT_EQ(value_of("64 KiB"), "65536");
  EXPECT_EQ(value_of("64KB"), "64000");
  EXPECT_EQ(value_of("200 * 5 %"), "10");
}

TEST(Policy, ListsMeetElementByElement) {
  const Given given = {{"a", list({5, 1, 9})}, {"b", list({1, 1, 2})}};
  EXPECT_EQ(value_of("a - b", given), "[4, 0, 7]");
  EXPECT_EQ(value_of("a - 1 > 3", given), "[1, 0, 1]");
  EXPECT_EQ(value_of("any(a - b > 6)", given), "1");
  EXPECT_EQ(value_of("all(a > b)", given), "0");
  EXPECT_EQ(value_of("a[2] + sum(b) + max(a) + min(a) + count(b) + mean(a)", given), "31");
  EXPECT_EQ(value_of("percentile(a, 50)", given), "5");
  EXPECT_EQ(value_of("percentile(a, 100)", given), "9");
}

TEST(Policy, ListsAreWrittenInBrackets) {
  const Given given = {{"a", list({5, 1, 9})}};
  EXPECT_EQ(value_of("[1, 2, 1 + 2]"), "[1, 2, 3]");
  EXPECT_EQ(value_of("[4]"), "4");
  EXPECT_EQ(value_of("[0, a, 2 KiB] - 1", given), "[-1, 4, 0, 8, 2047]");
  EXPECT_EQ(value_of("[1, [2, 3]][1]"), "2");
  EXPECT_EQ(value_of("a[[2][0]]", given), "9");
  EXPECT_EQ(value_of("[1, x, 3]"), "[1, ?, 3]");
}

TEST(Policy, AnElementOfAnArrayIsSet) {
  const cairn::policy::Policy policy = cairn::policy::parse_policy(
      "rule \"a\"\n at start\n set x[2] = 1\n set \"y z\"[0] = 2\n set z = [1, 2]\n"
      "rule \"b\"\n every 1 s\n try x[1] in 1, [2]\n minimize y\n",
      "my.policy");
  EXPECT_EQ(policy.rules[0].actions[0].element, 2);
  EXPECT_EQ(target_of(policy.rules[0].actions[1]), "y z[0]");
  EXPECT_EQ(policy.rules[0].actions[2].element, std::nullopt);
  EXPECT_EQ(target_of(policy.rules[1].actions[0]), "x[1]");
}

TEST(Policy, NothingHoldsOfWhatIsNotKnown) {
  for (const char* condition :
       {"x > 1", "x <= 1", "x == x", "x != 1", "sum(x) < 5", "not x > 1", "a[7] < 1", "0 / 0 != 1", "not 0 / 0 > 1",
        "0 / 0 and 1", "0 / 0 or 1", "any(0 / 0)", "not 0 / 0"}) {
    Evaluator evaluator(expression(condition));
    EXPECT_FALSE(holds(value_at(evaluator, {{"a", list({1})}}))) << condition;
  }
}

TEST(Policy, TextsAreCompared) {
  EXPECT_EQ(value_of("contains(\"tcp,self\", \"self\")"), "1");
  EXPECT_EQ(value_of("contains(\"tcp,self\", \"vader\") or 3 < 2"), "0");
  EXPECT_EQ(value_of("contains(x, \"a\")"), "?");
  EXPECT_EQ(value_of("p == \"solve\"", {{"p", Value::words("solve")}}), "1");
  EXPECT_EQ(value_of("p != \"solve\"", {{"p", Value::words("init")}}), "1");
  EXPECT_EQ(value_of("p == 1", {{"p", Value::words("init")}}), "?");
}

TEST(Policy, ChangesAndRatesBeginWithTheSecondLook) {
  Evaluator change(expression("change(x)"));
  Evaluator rate(expression("rate(x)"));
  EXPECT_EQ(format_value(value_at(change, {{"x", list({1, 2})}}, 10)), "?");
  EXPECT_EQ(format_value(value_at(change, {{"x", list({4, 2})}}, 12)), "[3, 0]");
  EXPECT_EQ(format_value(value_at(rate, {{"x", list({1})}}, 10)), "?");
  EXPECT_EQ(format_value(value_at(rate, {{"x", list({7})}}, 12)), "3");
  EXPECT_EQ(format_value(value_at(rate, {{"x", list({7})}}, 12)), "?");
}

TEST(Policy, ValuesInWords) {
  using cairn::policy::Text;
  EXPECT_EQ(format_value(Value::number(65536), Text::Unit::bytes), "64 KiB");
  EXPECT_EQ(format_value(Value::number(0.0125), Text::Unit::time), "12.5 ms");
  EXPECT_EQ(format_value(Value::number(90), Text::Unit::time), "90 s");
  EXPECT_EQ(format_value(Value::number(0.125), Text::Unit::percent), "12.5 %");
  EXPECT_EQ(format_value(Value::number(NAN)), "?");
}

constexpr const char* pools = R"(# Give back the buffers that no message ever needed.
let unused = allocated - most_used

rule "release"
  every 10 s
  if any(unused > 100)
  set reduced = most_used
  set "pool-control" = 1
  else set "pool-control" = 0
  note "{sum(unused)} of {sum(allocated)} unused, {max(allocated) * 4096:bytes}"

rule "algorithm"
  every 100 calls of MPI_Allreduce
  try coll_tuned_allreduce_algorithm in 1, 2, 3
  minimize call_time(MPI_Allreduce) over 5 within 2 %
  agree all
)";

TEST(Policy, APolicyIsRulesOfClauses) {
  const Policy policy = cairn::policy::parse_policy(pools, "p");
  ASSERT_EQ(policy.rules.size(), 2U);
  const Rule& release = policy.rules[0];
  EXPECT_EQ(release.title, "release");
  EXPECT_EQ(release.trigger->kind, Trigger::Kind::seconds);
  EXPECT_EQ(release.trigger->count, 10);
  ASSERT_EQ(release.actions.size(), 4U);
  EXPECT_EQ(release.actions[1].name, "pool-control");
  EXPECT_TRUE(release.actions[2].otherwise);
  EXPECT_EQ(release.condition->inputs.size(), 2U);
  const Rule& algorithm = policy.rules[1];
  EXPECT_EQ(algorithm.trigger->kind, Trigger::Kind::calls);
  EXPECT_EQ(algorithm.actions[0].candidates.size(), 3U);
  EXPECT_EQ(algorithm.over, 5);
  EXPECT_DOUBLE_EQ(algorithm.tolerance, 0.02);
  const Given given = {{"allocated", list({300, 16})}, {"most_used", list({100, 16})}};
  const std::string note = cairn::policy::fill_in(release.actions[3].text, [&](const Expression& each) {
    Evaluator evaluator(each);
    return value_at(evaluator, given);
  });
  EXPECT_EQ(note, "200 of 316 unused, 1.17 MiB");
}

TEST(Policy, Findings) {
  const Policy policy = cairn::policy::parse_policy(
      "finding \"small\"\n for each call\n if call.bytes < 64\n gain call.time / 2\n sure low\n because "
      "\"{call.name}\"\n"
      " do \"offload\"\n set X = 1\n",
      "p");
  ASSERT_EQ(policy.findings.size(), 1U);
  EXPECT_EQ(policy.findings[0].record, "call");
  EXPECT_EQ(policy.findings[0].settings[0].name, "X");
}

std::string error_of(const std::string& text) {
  try {
    cairn::policy::parse_policy(text, "my.policy");
  } catch (const cairn::Problem& problem) {
    return problem.what() + (problem.remedy.empty() ? "" : " | " + problem.remedy);
  }
  return "accepted";
}

TEST(Policy, WrongPoliciesAreRefusedWithTheirPlace) {
  const std::string at = "policy 'my.policy', line ";
  EXPECT_EQ(error_of("rul \"a\""),
            at + "1, column 1: 'rul' cannot start a line here | let NAME = ..., rule \"TITLE\", finding \"TITLE\"");
  EXPECT_EQ(error_of("rule a"), at + "1, column 6: a title in quotes expected, but found 'a'");
  EXPECT_EQ(error_of("rule \"a"), at + "1, column 6: a string without its closing quote");
  EXPECT_EQ(error_of("let x = 1\nlet x = 2"), at + "2, column 5: 'x' is defined twice");
  EXPECT_EQ(error_of("let x = (1 + 2"), at + "1, column 15: ')' expected, but the line ends");
  EXPECT_EQ(error_of("let x = 1 ? 2"), at + "1, column 11: '?' has no meaning here");
  EXPECT_EQ(error_of("let x = 1 +\n"), at + "1, column 12: a value expected, but the line ends");
  EXPECT_EQ(error_of("let x = calls(Allreduce)"),
            at + "1, column 15: 'Allreduce' is not an MPI function | a name like MPI_Allreduce");
  EXPECT_EQ(
      error_of("let x = median(y)"),
      at + "1, column 9: there is no function 'median' | any, all, sum, mean, min, max, count, percentile, contains, "
           "change, rate, calls, time, call_time, variable");
  EXPECT_EQ(error_of("let x = \"a\" < 3"), at + "1, column 13: '<' cannot compare strings | '==' or '!='");
  EXPECT_EQ(error_of("let x = [1, 2"), at + "1, column 14: ',' or ']' expected, but the line ends");
  EXPECT_EQ(error_of("let x = [1, \"a\"]"), at + "1, column 11: a list has numbers only, no strings");
  EXPECT_EQ(error_of("let x = []"), at + "1, column 10: a value expected, but found ']'");
  const std::string head = "rule \"a\"\n";
  EXPECT_EQ(error_of(head + " at start\n set x[y] = 1"),
            at + "3, column 8: an element's number, from 0 expected, but found 'y'");
  EXPECT_EQ(error_of(head + " at start\n set x[1.5] = 1"),
            at + "3, column 8: an element's number must be a whole number, from 0");
  EXPECT_EQ(error_of(head + " every 1 s"), at + "1, column 1: rule 'a' does nothing | set, try, switch, note or stop");
  EXPECT_EQ(error_of(head + " stop"), at + "1, column 1: rule 'a' does not say when to look | every 10 s");
  EXPECT_EQ(error_of(head + " every 1 us\n stop"), at + "2, column 8: the shortest interval is 1 ms");
  EXPECT_EQ(error_of(head + " every 1 s\n at end\n stop"),
            at + "3, column 2: a second 'every' or 'at' in one rule | a separate rule for the second one");
  EXPECT_EQ(error_of(head + " every 1.5 calls of MPI_Send\n stop"),
            at + "2, column 8: the number of calls must be a whole number, 1 or more");
  EXPECT_EQ(
      error_of(head + " every 1 s\n frobnicate"),
      at + "3, column 2: 'frobnicate' is not a clause of a rule | every, at, if, until, times, cooldown, agree, ranks, "
           "minimize, set, try, switch, note, stop, else");
  EXPECT_EQ(error_of(head + " every 1 s\n else stop"), at + "3, column 7: 'else' without 'if'");
  EXPECT_EQ(error_of(head + " every 1 s\n try x in 1, 2"),
            at + "3, column 6: 'try' needs an objective | minimize call_time(MPI_Allreduce)");
  EXPECT_EQ(error_of(head + " every 1 s\n set x = 1 2"),
            at + "3, column 12: the end of the line expected, but found '2'");
  EXPECT_EQ(error_of(head + " every 1 s\n note \"{x:miles}\""),
            at + "3, column 9: a value cannot be shown as 'miles' | bytes, time, percent");
  EXPECT_EQ(error_of(head + " every 1 s\n note \"a {x\""), at + "3, column 11: '{' without its '}'");
  EXPECT_EQ(error_of(head + " every 10 MB\n stop"),
            at + "2, column 11: 'MB' is the wrong unit here: a time, like 10 s, a number of calls or 'phase' expected");
  EXPECT_EQ(error_of(head + " every 1 s\n cooldown 3 %\n stop"),
            at + "3, column 13: '%' is the wrong unit here: a time, like 30 s expected");
  EXPECT_EQ(error_of("let x = percentile(y)"), at + "1, column 21: ',' and the percentile expected, but found ')'");
  EXPECT_EQ(error_of(head + " every 1 s\n times often"),
            at + "3, column 8: the number of looks in a row expected, but found 'often'");
  EXPECT_EQ(error_of(head + " every 1 s\n set x = 1\n minimize y over 0"),
            at + "4, column 18: the number of looks must be a whole number, 1 or more");
  EXPECT_EQ(error_of(head + " every 1 s\n set x = 1\n minimize y within z"),
            at + "4, column 20: a percentage, like 5 % expected, but found 'z'");
  EXPECT_EQ(error_of(head + " every 1 s\n note 5"), at + "3, column 7: a string in quotes expected, but found '5'");
  EXPECT_EQ(error_of(head + " every 1 s\n if y\n try x in 1, 2\n minimize y"),
            at + "4, column 6: 'try' cannot be combined with 'if' or 'until'");
  EXPECT_EQ(error_of(head + " every 1 s\n try x in 1, y\n minimize y"),
            at + "3, column 14: a value to try must be a number or a string");
  EXPECT_EQ(error_of("finding \"a\"\n if x\n do \"y\""),
            at + "1, column 1: finding 'a' does not say what can be gained | gain SECONDS");
}

TEST(Policy, NumbersThatNobodyCanCountToAreRefused) {
  const std::string at = "policy 'my.policy', line ";
  const std::string head = "rule \"a\"\n stop\n ";
  EXPECT_EQ(error_of("let x = 1e999"), at + "1, column 9: '1e999' is out of range");
  EXPECT_EQ(error_of(head + "every 1e12 s"), at + "3, column 8: no program runs that long | every 1 h");
  EXPECT_EQ(error_of(head + "every 1e30 calls of MPI_Send"),
            at + "3, column 8: the number of calls is too large | at most 1e9");
  EXPECT_EQ(error_of(head + "every 1 s\n ranks 1.5"),
            at + "4, column 8: '1.5' is not a rank | whole numbers, like 0-3,8");
  EXPECT_EQ(error_of(head + "every 1 s\n ranks 0-9999999999"),
            at + "4, column 10: '9999999999' is not a rank | whole numbers, like 0-3,8");
  EXPECT_EQ(error_of(head + "every 1 s\n ranks 0,5-2"), at + "4, column 10: the last rank is lower than the first");
  EXPECT_EQ(error_of(head + "every 1 s\n ranks 0-3,8"), "accepted");
}

TEST(Policy, ExpressionsHaveAnEnd) {
  const std::string at = "policy 'my.policy', line ";
  const std::string deep(100000, '(');
  EXPECT_EQ(error_of("let x = " + deep), at + "1, column 259: the expression is nested too deeply");
  std::string doubled = "let x0 = 1\n";
  for (int i = 1; i < 64; ++i)
    doubled += "let x" + std::to_string(i) + " = x" + std::to_string(i - 1) + " + x" + std::to_string(i - 1) + "\n";
  EXPECT_EQ(error_of(doubled), at + "13, column 17: the expression is too long");
}

TEST(Policy, ConditionsDifferInTheSmallestNumbersToo) {
  const auto rule = [](const std::string& title, const std::string& condition, int value) {
    return "rule \"" + title + "\"\n every 1 s\n if " + condition + "\n set x = " + std::to_string(value) + "\n";
  };
  EXPECT_EQ(error_of(rule("a", "y == 0.1 us", 1) + rule("b", "y == 0.2 us", 2)), "accepted");
}

TEST(Policy, ContradictionsAreRefused) {
  const std::string at = "policy 'my.policy', line ";
  const auto rule = [](const std::string& title, const std::string& when, const std::string& condition, int value) {
    return "rule \"" + title + "\"\n " + when + "\n" + (condition.empty() ? "" : " if " + condition + "\n") +
           " set x = " + std::to_string(value) + "\n";
  };
  const std::string both =
      "rules 'a' and 'b' contradict each other: 'x' would be set to 1 and to 2 at the same time | "
      "conditions that exclude each other";
  EXPECT_EQ(error_of(rule("a", "every 1 s", "", 1) + rule("b", "every 1 s", "", 2)), at + "6, column 6: " + both);
  EXPECT_EQ(error_of(rule("a", "every 1 s", "y > 1", 1) + rule("b", "every 1 s", "y > 1", 2)),
            at + "8, column 6: " + both);
  EXPECT_EQ(error_of(rule("a", "every 1 s", "y > 1", 1) + rule("b", "every 1 s", "", 2)), at + "7, column 6: " + both);
  EXPECT_EQ(error_of(rule("a", "every 1 s", "y > 1", 1) + rule("b", "every 1 s", "y < 1", 2)), "accepted");
  EXPECT_EQ(error_of(rule("a", "every 1 s", "", 1) + rule("b", "every 2 s", "", 2)), "accepted");
  EXPECT_EQ(error_of(rule("a", "every 1 s", "", 1) + rule("b", "every 1 s", "", 1)), "accepted");
  EXPECT_EQ(error_of(rule("a", "every 1 s", "y > 5 and y < 3", 1)),
            at + "1, column 1: the condition of rule 'a' can never hold");
  EXPECT_EQ(error_of(rule("a", "every 1 s", "y > 5 and 5 >= y", 1)),
            at + "1, column 1: the condition of rule 'a' can never hold");
  EXPECT_EQ(error_of(rule("a", "every 1 s", "1 > 2", 1)), at + "1, column 1: the condition of rule 'a' can never hold");
  EXPECT_EQ(
      error_of("rule \"a\"\n every 1 s\n set x = 1\n set x = 2"),
      at +
          "4, column 6: rule 'a' contradicts itself: 'x' would be set to 1 and to 2 at the same time | conditions that "
          "exclude each other");
  EXPECT_EQ(error_of("rule \"a\"\n every 1 s\n set x[0] = 1\n set x[1] = 2\n set x = [1, 2]"), "accepted");
  EXPECT_EQ(error_of("rule \"a\"\n every 1 s\n set x = [1, 2]\n set x[1] = 3"),
            at + "4, column 6: rule 'a' contradicts itself: 'x[1]' would be set to [1, 2] and to 3 at the same time | "
                 "conditions that exclude each other");
}

TEST(Policy, ASwitchSetsTheVariableOfItsLayer) {
  const std::string at = "policy 'my.policy', line ";
  const auto rule = [](const std::string& title, const std::string& condition, const std::string& action) {
    return "rule \"" + title + "\"\n every 1 s\n" + (condition.empty() ? "" : " if " + condition + "\n") + " " +
           action + "\n";
  };
  const auto both = [](int first, int second) {
    return "rules 'a' and 'b' contradict each other: 'profile_active' would be set to " + std::to_string(first) +
           " and to " + std::to_string(second) + " at the same time | conditions that exclude each other";
  };
  EXPECT_EQ(error_of(rule("a", "", "switch profile off") + rule("b", "", "switch profile on")),
            at + "6, column 9: " + both(0, 1));
  EXPECT_EQ(error_of(rule("a", "", "switch profile on") + rule("b", "", "set profile_active = 0")),
            at + "6, column 6: " + both(1, 0));
  EXPECT_EQ(error_of(rule("a", "", "switch profile on") + rule("b", "", "set profile_active = 1")), "accepted");
  EXPECT_EQ(error_of(rule("a", "", "switch profile on") + rule("b", "", "switch comm off")), "accepted");
}

TEST(Policy, ARuleThatWaitsForWhatAnotherSetsActsAtTheSameTime) {
  const std::string at = "policy 'my.policy', line ";
  const std::string off = "rule \"a\"\n every 1 s\n if profile_active == 1\n switch profile off\n";
  const auto on = [](const std::string& more) {
    return "rule \"b\"\n every 1 s\n if profile_active == 0" + more + "\n switch profile on\n";
  };
  EXPECT_EQ(error_of(off + on("")),
            at + "8, column 9: rules 'a' and 'b' contradict each other: 'profile_active' would be set to 0 and to 1 at "
                 "the same time | conditions that exclude each other");
  EXPECT_EQ(error_of(off + on(" and queue > 5")), "accepted");
  EXPECT_EQ(error_of(off + on("\n times 3")), "accepted");
  EXPECT_EQ(error_of(off + on("\n cooldown 3 s")), "accepted");
}

TEST(Policy, AVariableWhoseValuesAreTriedIsChangedByNoOtherRule) {
  const std::string at = "policy 'my.policy', line ";
  const auto tries = [](const std::string& title, const std::string& target, const std::string& more = "") {
    return "rule \"" + title + "\"\n every 5 calls of MPI_Send\n try " + target + " in 1, 2\n minimize elapsed\n" +
           more;
  };
  const auto sets = [](const std::string& when, const std::string& action) {
    return "rule \"b\"\n " + when + "\n " + action + "\n";
  };
  const std::string twice =
      "rules 'a' (line 3) and 'b' (line 7) both try values of 'x', so neither would measure its own alone | one rule "
      "that tries all of them";
  EXPECT_EQ(error_of(tries("a", "x") + tries("b", "x")), at + "7, column 6: " + twice);
  EXPECT_EQ(error_of(tries("a", "x[1]") + tries("b", "x")), at + "7, column 6: " + twice);
  EXPECT_EQ(error_of(tries("a", "x[1]") + tries("b", "x[2]")), "accepted");
  EXPECT_EQ(error_of(tries("a", "x", " ranks 0,4-5\n") + tries("b", "x", " ranks 5-6\n")),
            at +
                "8, column 6: rules 'a' (line 3) and 'b' (line 8) both try values of 'x', so neither would measure its "
                "own alone | one rule that tries all of them");
  EXPECT_EQ(error_of(tries("a", "x", " ranks 0,4\n") + tries("b", "x", " ranks 1-3\n")), "accepted");
  const auto disturbed = [](const std::string& rules, const std::string& variable) {
    return "rules " + rules + " disturb each other: one tries values of '" + variable +
           "', which the other sets meanwhile | 'at start' for a value to begin with, or one of the two rules";
  };
  EXPECT_EQ(error_of(tries("a", "x") + sets("every 1 s", "set x = y")),
            at + "7, column 6: " + disturbed("'a' (line 3) and 'b' (line 7)", "x"));
  EXPECT_EQ(error_of(sets("at end", "set x = 1") + tries("a", "x")),
            at + "6, column 6: " + disturbed("'b' (line 3) and 'a' (line 6)", "x"));
  EXPECT_EQ(error_of(tries("a", "profile_active") + sets("every phase", "switch profile on")),
            at + "7, column 9: " + disturbed("'a' (line 3) and 'b' (line 7)", "profile_active"));
  EXPECT_EQ(error_of(sets("at start", "set x = 1") + tries("a", "x")), "accepted");
  EXPECT_EQ(error_of(tries("a", "x") + sets("every 1 s", "set y = 1")), "accepted");
}

}  // namespace
