// SPDX-License-Identifier: BSD-3-Clause
// request_test.cc - the list of tools as the user writes it.

#include "stack/request.hpp"

#include <gtest/gtest.h>

#include "base/message.hpp"

namespace cairn {
namespace {

std::string problem_of(const std::string& text) {
  try {
    parse_tools(text);
  } catch (const Problem& problem) {
    return problem.what();
  }
  return "none";
}

TEST(ParseTools, ReadsNamesPathsAndOptionsInOrder) {
  const auto layers = parse_tools("profile,delay=ms:5:calls:MPI_Send,/opt/lib/libtool.so");
  ASSERT_EQ(layers.size(), 3U);
  EXPECT_EQ(layers[0].tool, "profile");
  EXPECT_TRUE(layers[0].options.empty());
  EXPECT_EQ(layers[1].tool, "delay");
  ASSERT_EQ(layers[1].options.size(), 2U);
  EXPECT_EQ(layers[1].options[0].name, "ms");
  EXPECT_EQ(layers[1].options[0].value, "5");
  EXPECT_EQ(layers[1].options[1].value, "MPI_Send");
  EXPECT_EQ(layers[2].tool, "/opt/lib/libtool.so");
}

TEST(ParseTools, GivesNoLayersForAnEmptyText) { EXPECT_TRUE(parse_tools("").empty()); }

TEST(ParseTools, LeavesEscapedSeparatorsInPathsAndValues) {
  const auto layers = parse_tools("/odd\\,name\\=1.so=key:a\\:b\\,c");
  ASSERT_EQ(layers.size(), 1U);
  EXPECT_EQ(layers[0].tool, "/odd,name=1.so");
  ASSERT_EQ(layers[0].options.size(), 1U);
  EXPECT_EQ(layers[0].options[0].value, "a:b,c");
}

TEST(ParseTools, KeepsAFurtherEqualsSignInAValue) {
  const auto layers = parse_tools("tool=filter:rank=3");
  ASSERT_EQ(layers.size(), 1U);
  EXPECT_EQ(layers[0].options[0].value, "rank=3");
}

TEST(ParseTools, RefusesAnOptionWithoutValue) {
  EXPECT_EQ(problem_of("profile=top"), "option 'top' of tool 'profile' has no value");
  EXPECT_EQ(problem_of("profile=top:3:table"), "option 'table' of tool 'profile' has no value");
}

TEST(ParseTools, RefusesAMissingName) {
  EXPECT_EQ(problem_of("profile,,comm"), "a tool's name is missing in ''");
  EXPECT_EQ(problem_of("=top:3"), "a tool's name is missing in '=top:3'");
}

TEST(FormatTools, IsReadBackTheSame) {
  for (const std::string text : {"a", "a,b", "a=x:1", "a=x:1:y:2,/p/q.so", "/odd\\,name\\=1.so=key:a\\:b\\,c\\\\"}) {
    const auto layers = parse_tools(text);
    const auto again = parse_tools(format_tools(layers));
    ASSERT_EQ(layers.size(), again.size()) << text;
    for (std::size_t i = 0; i < layers.size(); ++i) {
      EXPECT_EQ(layers[i].tool, again[i].tool);
      ASSERT_EQ(layers[i].options.size(), again[i].options.size());
      for (std::size_t k = 0; k < layers[i].options.size(); ++k) {
        EXPECT_EQ(layers[i].options[k].name, again[i].options[k].name);
        EXPECT_EQ(layers[i].options[k].value, again[i].options[k].value);
      }
    }
  }
}

class ToolsOfEnvironment : public testing::Test {
 protected:
  void SetUp() override {
    for (const char* name : {"CAIRN_TOOLS", "CAIRN_ASKED_BY", "TOOLS"}) unsetenv(name);
  }
  void TearDown() override { SetUp(); }
  std::string source;
};

TEST_F(ToolsOfEnvironment, AreNoneWhenNothingIsSet) { EXPECT_TRUE(tools_of_environment(source).empty()); }

TEST_F(ToolsOfEnvironment, ReadTheThesisVariableAsPathsBetweenColons) {
  setenv("TOOLS", "./a.so:/b.so", 1);
  const auto layers = tools_of_environment(source);
  ASSERT_EQ(layers.size(), 2U);
  EXPECT_EQ(layers[0].tool, "./a.so");
  EXPECT_EQ(layers[1].tool, "/b.so");
  EXPECT_EQ(source, "TOOLS=./a.so:/b.so");
}

TEST_F(ToolsOfEnvironment, PreferOurOwnVariable) {
  setenv("TOOLS", "/b.so", 1);
  setenv("CAIRN_TOOLS", "profile", 1);
  const auto layers = tools_of_environment(source);
  ASSERT_EQ(layers.size(), 1U);
  EXPECT_EQ(layers[0].tool, "profile");
  EXPECT_EQ(source, "CAIRN_TOOLS=profile");
}

TEST_F(ToolsOfEnvironment, NameTheCommandLineTheyCameFrom) {
  setenv("CAIRN_TOOLS", "profile", 1);
  setenv("CAIRN_ASKED_BY", "--tools profile", 1);
  tools_of_environment(source);
  EXPECT_EQ(source, "--tools profile");
}

}  // namespace
}  // namespace cairn
