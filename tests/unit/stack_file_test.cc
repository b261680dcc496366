// SPDX-License-Identifier: BSD-3-Clause
// stack_file_test.cc - reading stack files, and where errors are said to be.

#include "cli/stack_file/stack_file.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "base/message.hpp"

namespace cairn::cli {
namespace {

class StackFile : public testing::Test {
 protected:
  std::string write(const std::string& text) const {
    std::ofstream(path) << text;
    return path;
  }
  std::string problem_of(const std::string& text) const {
    try {
      read_stack_file(write(text));
    } catch (const Problem& problem) {
      std::string what = problem.what();
      if (const auto place = what.find(path); place != std::string::npos) what.replace(place, path.size(), "FILE");
      return what;
    }
    return "none";
  }
  void TearDown() override { std::filesystem::remove(path); }
  const std::string path =
      testing::TempDir() + "cairn_stack_" + testing::UnitTest::GetInstance()->current_test_info()->name() + ".toml";
};

TEST_F(StackFile, GivesLayersInOrderWithTheirOptions) {
  const auto layers =
      read_stack_file(write("[[layer]]\ntool = \"profile\"\noptions = { top = 5, table = false, text = \"a,b\" "
                            "}\n[[layer]]\ntool = \"/opt/t.so\"\n"));
  ASSERT_EQ(layers.size(), 2U);
  EXPECT_EQ(layers[0].tool, "profile");
  ASSERT_EQ(layers[0].options.size(), 3U);
  for (const ToolOption& option : layers[0].options)
    EXPECT_EQ(option.value, option.name == "top" ? "5" : option.name == "table" ? "off" : "a,b");
  EXPECT_EQ(layers[1].tool, "/opt/t.so");
}

TEST_F(StackFile, TakesPathsFromItsOwnFolder) {
  const auto layers = read_stack_file(write("[[layer]]\ntool = \"./mine.so\"\n"));
  ASSERT_EQ(layers.size(), 1U);
  EXPECT_EQ(layers[0].tool, std::filesystem::path(testing::TempDir()).lexically_normal().string() + "mine.so");
}

TEST_F(StackFile, GivesFiltersAsTheCommandLineWould) {
  const auto layers = read_stack_file(
      write("[[layer]]\ntool = \"a\"\nfunctions = [\"MPI_Send*\", \"MPI_Recv\"]\nranks = \"0-3,8\"\nphase = [1, 2]\n"
            "active = false\nuntil = \"60s\"\ncomms = [\"world\", \"A+B\"]\npcontrol = true\n"));
  ASSERT_EQ(layers.size(), 1U);
  EXPECT_EQ(format_tools(layers),
            "a@active:off:comms:world+A\\+B:functions:MPI_Send*+MPI_Recv:pcontrol:on:phase:1+2:ranks:0-3+8:until:60s");
}

TEST_F(StackFile, MayBeEmpty) { EXPECT_TRUE(read_stack_file(write("# nothing\n")).empty()); }

TEST_F(StackFile, NamesLineAndColumnOfWhatIsWrong) {
  EXPECT_EQ(problem_of("[[layer]]\ntool = profile\n").substr(0, 42), "stack file 'FILE', line 2, column 8: Error");
  EXPECT_EQ(problem_of("[[layer]]\ntool = 3\n"),
            "stack file 'FILE', line 2, column 8: 'tool' must be a name or path in quotes");
  EXPECT_EQ(problem_of("[[layer]]\ntol = \"a\"\n"), "stack file 'FILE', line 2, column 1: unknown key 'tol'");
  EXPECT_EQ(problem_of("tools = 1\n"), "stack file 'FILE', line 1, column 1: unknown key 'tools'");
  EXPECT_EQ(problem_of("[[layer]]\noptions = { a = 1 }\n"),
            "stack file 'FILE', line 1, column 1: a layer without 'tool'");
  EXPECT_EQ(problem_of("[[layer]]\ntool = \"a\"\noptions = { a = [] }\n"),
            "stack file 'FILE', line 3, column 17: an option's value must be a string, a number, true or false");
  EXPECT_EQ(problem_of("layer = 1\n"), "stack file 'FILE', line 1, column 9: 'layer' must be an array of tables");
}

TEST_F(StackFile, ThatIsMissingIsNamed) { EXPECT_THROW(read_stack_file("/nonexistent.toml"), Problem); }

TEST_F(StackFile, SetsControlVariables) {
  const auto settings = read_stack_settings(
      write("[[layer]]\ntool = \"a\"\n[set]\nlimit = 65536\nyield = true\ntop = { value = 3, ranks = \"0-1\" }\n"));
  ASSERT_EQ(settings.size(), 3U);
  for (const Setting& setting : settings)
    EXPECT_EQ(setting.text(), setting.name == "limit"   ? "limit=65536"
                              : setting.name == "yield" ? "yield=true"
                                                        : "top=3@0-1");
  EXPECT_EQ(settings[0].origin, "stack file '" + path + "': " + settings[0].name);
  const auto elements = read_stack_settings(write("[set]\n\"pools[1]\" = 5\nsizes = [1, 2]\n"));
  EXPECT_EQ(elements.at(0).text(), "pools[1]=5");
  EXPECT_EQ(elements.at(0).element, 1);
  EXPECT_EQ(elements.at(1).text(), "sizes=1,2");
  EXPECT_TRUE(read_stack_settings(write("[[layer]]\ntool = \"a\"\n")).empty());
}

TEST_F(StackFile, SaysWhereASettingIsWrong) {
  const auto problem = [this](const std::string& text) {
    try {
      read_stack_settings(write(text));
    } catch (const Problem& wrong) {
      return std::string(wrong.what()).substr(("stack file '" + path + "', ").size());
    }
    return std::string("none");
  };
  EXPECT_EQ(problem("set = 1\n"), "line 1, column 7: 'set' must be a table");
  EXPECT_EQ(problem("[set]\na = []\n"),
            "line 2, column 5: 'a' must be a string, a number, true, false or a list of these");
  EXPECT_EQ(problem("[set]\na = { ranks = \"1\" }\n"), "line 2, column 5: 'a' has no 'value'");
  EXPECT_EQ(problem("[set]\na = { value = 1, rank = \"1\" }\n"), "line 2, column 18: unknown key 'rank'");
  EXPECT_EQ(problem("[set]\na = { value = 1, ranks = \"x\" }\n"), "line 2, column 5: the ranks of 'a' cannot be 'x'");
}

}  // namespace
}  // namespace cairn::cli
