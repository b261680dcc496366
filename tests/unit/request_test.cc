// SPDX-License-Identifier: BSD-3-Clause
// request_test.cc - the list of tools as the user writes it.

#include "request/request.hpp"

#include <gtest/gtest.h>

#include <cstdlib>

#include "base/tool_settings.hpp"
#include "problem_of.hpp"

namespace cairn {
namespace {

const std::string layers_form = " | TOOL[=OPTION:VALUE...][@FILTER:VALUE...], layers separated by commas";
const std::string filter_form =
    " | TOOL@FILTER:VALUE[:FILTER:VALUE...]; write \\@ for an @ that belongs to a path or value";

std::string problem_of_tools(const std::string& text) {
  return problem_of([&] { parse_tools(text); });
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

TEST(ParseTools, TakesALastOptionWithoutValueForOneThatIsOn) {
  EXPECT_EQ(format_tools(parse_tools("waits=sample,where=hang:60s:end")), "waits=sample:on,where=hang:60s:end:on");
}

TEST(ParseTools, RefusesAnOptionWithoutNameAndValue) {
  EXPECT_EQ(problem_of_tools("profile="), "option '' of tool 'profile' has no value" + layers_form);
  EXPECT_EQ(problem_of_tools("profile=top:3:"), "option '' of tool 'profile' has no value" + layers_form);
}

TEST(ToolSettings, OfASiteCountWhereTheUserHasAskedForNothingAndNotOptedOut) {
  for (const char* const name : tool_settings) unsetenv(name);
  setenv(site_setting, "usage", 1);
  EXPECT_STREQ(requested_tools(), "usage");
  setenv(opt_out_setting, "0", 1);
  EXPECT_STREQ(sites_tools(), "usage");
  setenv(opt_out_setting, "yes", 1);
  EXPECT_STREQ(requested_tools(), "");
  unsetenv(opt_out_setting);
  for (const char* const name : tool_settings) {
    const bool counts = std::string_view(name) != "TOOLS";  // a common name, perhaps of something else
    setenv(name, "mine", 1);
    EXPECT_STREQ(sites_tools(), counts ? "" : "usage");
    EXPECT_STREQ(requested_tools(), counts ? "mine" : "usage");
    unsetenv(name);
  }
  unsetenv(site_setting);
}

TEST(ParseTools, RefusesAMissingName) {
  EXPECT_EQ(problem_of_tools("profile,,comm"), "a tool's name is missing in ''" + layers_form);
  EXPECT_EQ(problem_of_tools("=top:3"), "a tool's name is missing in '=top:3'" + layers_form);
}

TEST(ParseTools, ReadsFiltersBehindAnAtSign) {
  const auto layers =
      parse_tools("profile=top:5@functions:MPI_Send*+MPI_Recv*:ranks:0-3,a\\@1.so@comms:x\\+y@active:off");
  ASSERT_EQ(layers.size(), 2U);
  EXPECT_EQ(layers[0].options.size(), 1U);
  ASSERT_EQ(layers[0].filters.size(), 2U);
  EXPECT_EQ(layers[0].filters[0].name, "functions");
  EXPECT_EQ(layers[0].filters[0].values, (std::vector<std::string>{"MPI_Send*", "MPI_Recv*"}));
  EXPECT_EQ(layers[0].filters[1].values, std::vector<std::string>{"0-3"});
  EXPECT_EQ(layers[1].tool, "a@1.so");
  ASSERT_EQ(layers[1].filters.size(), 2U);
  EXPECT_EQ(layers[1].filters[0].values, std::vector<std::string>{"x+y"});
}

TEST(ParseTools, RefusesFiltersThatMakeNoSense) {
  EXPECT_EQ(problem_of_tools("profile@ranks"), "filter 'ranks' of tool 'profile' has no value" + filter_form);
  EXPECT_EQ(problem_of_tools("profile@"), "filter '' of tool 'profile' has no value" + filter_form);
  EXPECT_EQ(problem_of_tools("profile@rank:1"),
            "there is no filter 'rank', given for tool 'profile' | one of the filters: functions, not, ranks, from, "
            "until, file, region, not_region, phase, comms, active, pcontrol, signal, stack, hears");
  EXPECT_EQ(
      problem_of_tools("profile@ranks:3-1"),
      "filter 'ranks' of tool 'profile' cannot be '3-1' | ranks:N|N-M[+...], only on these ranks of MPI_COMM_WORLD");
  EXPECT_EQ(problem_of_tools("profile@ranks:1:ranks:2"),
            "filter 'ranks' of tool 'profile' is given twice | one filter with all values, separated by +");
  EXPECT_EQ(problem_of_tools("/opt/tool@1.2/lib.so"),
            "filter '1.2/lib.so' of tool '/opt/tool' has no value" + filter_form);
}

/// Texts of all the signs that mean something, in every place of a layer.
TEST(FormatTools, KeepsAnySignInAnyPlace) {
  const std::string signs = ",=:@+\\a";
  unsigned state = 1;
  const auto text = [&] {
    std::string out = "x";
    for (unsigned i = 0; i < 5; ++i) out += signs[(state = state * 1103515245U + 12345U) / 65536U % signs.size()];
    return out;
  };
  for (int round = 0; round < 500; ++round) {
    const LayerRequest layer{text(), {{text(), text()}}, {{"functions", {text(), text()}}, {"comms", {text()}}}};
    const auto again = parse_tools(format_tools({layer, layer}));
    ASSERT_EQ(again.size(), 2U);
    for (const LayerRequest& read : again) {
      EXPECT_EQ(read.tool, layer.tool);
      ASSERT_EQ(read.options.size(), 1U);
      EXPECT_EQ(read.options[0].name, layer.options[0].name);
      EXPECT_EQ(read.options[0].value, layer.options[0].value);
      ASSERT_EQ(read.filters.size(), 2U);
      EXPECT_EQ(read.filters[0].values, layer.filters[0].values);
      EXPECT_EQ(read.filters[1].values, layer.filters[1].values);
    }
  }
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
