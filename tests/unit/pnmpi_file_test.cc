// SPDX-License-Identifier: BSD-3-Clause
// pnmpi_file_test.cc - PnMPI's configuration files: the layers, and what is said of the rest.

#include "cli/stack_file/pnmpi_file.hpp"

#include <gtest/gtest.h>

#include "request/filters.hpp"

namespace cairn::cli {
namespace {

struct Read {
  std::string tools;
  std::vector<std::string> remarks;
};

/// The modules are looked for in no folder.
Read read(const std::string& text) {
  Read result;
  result.tools =
      format_tools(read_pnmpi_file(text, "", [&](const std::string& remark) { result.remarks.push_back(remark); }));
  std::erase_if(result.remarks, [](const std::string& remark) { return remark.ends_with(" in PNMPI_LIB_PATH"); });
  return result;
}

using Remarks = std::vector<std::string>;

TEST(PnmpiFile, IsKnownByItsFirstCommand) {
  EXPECT_TRUE(is_pnmpi_file("# a comment\n\n  module sample1\n"));
  EXPECT_TRUE(is_pnmpi_file("globalpcontrol int\nmodule a\n"));
  EXPECT_TRUE(is_pnmpi_file("stack default\n"));
  EXPECT_FALSE(is_pnmpi_file("[[layer]]\ntool = \"module\"\n"));
  EXPECT_FALSE(is_pnmpi_file("module = 3\n"));
  EXPECT_FALSE(is_pnmpi_file("# module a\n"));
  EXPECT_FALSE(is_pnmpi_file(""));
}

TEST(PnmpiFile, MakesLayersOfModulesAndGivesTheFirstPcontrol) {
  const Read result = read("module sample1\nmodule\tsample2 # with words behind\n#module sample3\n");
  EXPECT_EQ(result.tools, "sample1.so@hears:each,sample2.so@hears:nothing");
  EXPECT_EQ(result.remarks, Remarks{});
}

TEST(PnmpiFile, SaysWhereNoModuleIsFound) {
  Remarks remarks;
  read_pnmpi_file("\nmodule sample1\n", "/nowhere", [&](const std::string& remark) { remarks.push_back(remark); });
  EXPECT_EQ(remarks, Remarks{"line 2: there is no sample1.so in PNMPI_LIB_PATH"});
}

TEST(PnmpiFile, TurnsPcontrolOnAndOffPerModule) {
  EXPECT_EQ(read("module a\npcontrol off\nmodule b\npcontrol on\nmodule c\npcontrol\n").tools,
            "a.so@hears:nothing,b.so@hears:each,c.so@hears:each");
  const Read odd = read("module a\npcontrol pmpi\n");
  EXPECT_EQ(odd.tools, "a.so@hears:nothing");
  EXPECT_EQ(odd.remarks, Remarks{"line 2: 'pcontrol pmpi' is taken as 'pcontrol off', as PnMPI does"});
}

TEST(PnmpiFile, KnowsTheModesOfPcontrol) {
  const auto tools = [](const std::string& mode) {
    return read("globalpcontrol " + mode + "\nmodule a\nmodule b\n").tools;
  };
  for (const std::string mode : {"int", "pmpi", "typed 3 double"})
    EXPECT_EQ(tools(mode), "a.so@hears:each,b.so@hears:nothing") << mode;
  EXPECT_EQ(tools("off"), "a.so@hears:nothing,b.so@hears:nothing");
  EXPECT_EQ(tools("on"), "a.so@hears:each,b.so@hears:each");
  EXPECT_EQ(tools("pnmpi"), "a.so@hears:addressed,b.so@hears:addressed");
  EXPECT_EQ(tools("mixed"), "a.so@hears:each+addressed,b.so@hears:addressed");
  for (const std::string mode : {"some", "typed 3", "on 3"})
    EXPECT_EQ(read("globalpcontrol " + mode + "\nmodule a\n").remarks,
              Remarks{"line 1: 'globalpcontrol " + mode + "' is left out: it is not a PnMPI command"});
}

TEST(PnmpiFile, LeavesOutArgumentsThatNobodyTakes) {
  const std::string why = "module 'status' takes no options, and none of the modules calls PnMPI";
  EXPECT_EQ(read("module status\nargument size 4\nargument text a  b\n").remarks,
            (Remarks{"line 2: argument 'size' is left out: " + why, "line 3: argument 'text' is left out: " + why}));
}

TEST(PnmpiFile, GivesTheModulesOfOtherStacksTheirName) {
  const Read result = read("module a\nstack foo\nmodule b\nmodule c\nstack bar\nmodule d\nstack last\n");
  EXPECT_EQ(
      result.tools,
      "a.so@hears:each,b.so@hears:nothing:stack:foo,c.so@hears:nothing:stack:foo,d.so@hears:nothing:stack:bar+last");
  EXPECT_EQ(result.remarks, Remarks{});
  EXPECT_EQ(read("module a\nstack empty\nstack b\nmodule b\n").tools,
            "a.so@hears:each:stack:+empty,b.so@hears:nothing:stack:b");
  const Read none = read("stack main\nmodule a\n");
  EXPECT_EQ(none.tools, "a.so@hears:nothing:stack:main");
  EXPECT_EQ(none.remarks, Remarks{"no module stands before the first stack, so the program's calls reach none"});
}

TEST(PnmpiFile, ReadsBackWhatItWrites) {
  const std::string text = "a@hears:each+addressed:stack:+empty,b@stack:one+two";
  EXPECT_EQ(format_tools(parse_tools(text)), text);
  const Filters first = parse_filters(parse_tools(text)[0]);
  EXPECT_EQ(first.stack.name, "");
  EXPECT_EQ(first.stack.empty_behind, std::vector<std::string>{"empty"});
  EXPECT_TRUE(first.hears.each && first.hears.addressed && !first.restricts);
  EXPECT_EQ(parse_filters(parse_tools(text)[1]).stack.name, "one");
}

TEST(PnmpiFile, GoesOnAfterLinesThatItCannotUse) {
  const Read result = read("module a\nargument x\nfoo bar\npcontrol on off\nmodule\n");
  EXPECT_EQ(result.tools, "a.so@hears:each");
  EXPECT_EQ(result.remarks, (Remarks{"line 2: 'argument x' is left out: it is not a PnMPI command",
                                     "line 3: 'foo bar' is left out: it is not a PnMPI command",
                                     "line 4: 'pcontrol on off' is left out: it is not a PnMPI command",
                                     "line 5: 'module' is left out: it is not a PnMPI command"}));
  EXPECT_EQ(read("pcontrol on\nmodule a\n").remarks,
            Remarks{"line 1: 'pcontrol on' is left out: no module stands before it"});
}

}  // namespace
}  // namespace cairn::cli
