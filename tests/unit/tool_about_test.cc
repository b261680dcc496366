// SPDX-License-Identifier: BSD-3-Clause
// tool_about_test.cc - a tool's own description and its options.

#include "request/tool_about.hpp"

#include <gtest/gtest.h>

#include "base/message.hpp"

namespace cairn {
namespace {

constexpr const char* about_text =
    "abi 1\nsummary counts things\noption top 10 how many are shown\noption table on\nfuture word\n";

TEST(ToolAbout, ReadsSummaryAndOptions) {
  const ToolAbout about = parse_tool_about(about_text);
  EXPECT_EQ(about.abi, 1U);
  EXPECT_EQ(about.summary, "counts things");
  ASSERT_EQ(about.options.size(), 2U);
  EXPECT_EQ(about.options[0].name, "top");
  EXPECT_EQ(about.options[0].default_value, "10");
  EXPECT_EQ(about.options[0].help, "how many are shown");
  EXPECT_EQ(about.options[1].help, "");
}

TEST(ToolAbout, IsEmptyForAToolThatSaysNothing) {
  const ToolAbout about = parse_tool_about("");
  EXPECT_EQ(about.abi, 0U);
  EXPECT_TRUE(about.options.empty());
}

std::string refusal(const ToolAbout& about, const std::string& option, std::string& remedy) {
  try {
    check_options({"tool", {{option, "1"}}}, about);
  } catch (const Problem& problem) {
    remedy = problem.remedy;
    return problem.what();
  }
  return "none";
}

TEST(CheckOptions, AcceptsWhatTheToolLists) {
  std::string remedy;
  EXPECT_EQ(refusal(parse_tool_about(about_text), "top", remedy), "none");
}

TEST(CheckOptions, NamesTheOptionsThereAre) {
  std::string remedy;
  EXPECT_EQ(refusal(parse_tool_about(about_text), "tpo", remedy), "it has no option 'tpo'");
  EXPECT_EQ(remedy, "one of its options: top, table");
}

TEST(CheckOptions, SaysSoWhenThereAreNone) {
  std::string remedy;
  EXPECT_EQ(refusal(ToolAbout{}, "top", remedy), "it takes no options, but 'top' was given");
  EXPECT_EQ(remedy, "the tool's name alone");
}

}  // namespace
}  // namespace cairn
