// SPDX-License-Identifier: BSD-3-Clause
// pnmpi_file_test.cc - PnMPI's configuration files: the layers, and what is said of the rest.

#include "cli/stack_file/pnmpi_file.hpp"

#include <gtest/gtest.h>

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
  EXPECT_EQ(result.tools, "sample1.so,sample2.so@not:MPI_Pcontrol");
  EXPECT_EQ(result.remarks, Remarks{});
}

TEST(PnmpiFile, SaysWhereNoModuleIsFound) {
  Remarks remarks;
  read_pnmpi_file("\nmodule sample1\n", "/nowhere", [&](const std::string& remark) { remarks.push_back(remark); });
  EXPECT_EQ(remarks, Remarks{"line 2: there is no sample1.so in PNMPI_LIB_PATH"});
}

TEST(PnmpiFile, TurnsPcontrolOnAndOffPerModule) {
  EXPECT_EQ(read("module a\npcontrol off\nmodule b\npcontrol on\nmodule c\npcontrol\n").tools,
            "a.so@not:MPI_Pcontrol,b.so,c.so");
  EXPECT_EQ(read("globalpcontrol off\nmodule a\nmodule b\npcontrol on\n").tools,
            "a.so@not:MPI_Pcontrol,b.so@not:MPI_Pcontrol");
  const Read odd = read("module a\npcontrol pmpi\n");
  EXPECT_EQ(odd.tools, "a.so@not:MPI_Pcontrol");
  EXPECT_EQ(odd.remarks, Remarks{"line 2: 'pcontrol pmpi' is taken as 'pcontrol off', as PnMPI does"});
}

TEST(PnmpiFile, KnowsTheModesOfPcontrol) {
  EXPECT_EQ(read("globalpcontrol pmpi\nglobalpcontrol int\nglobalpcontrol typed 3 double\nmodule a\n").remarks,
            Remarks{});
  for (const std::string mode : {"pnmpi", "mixed"})
    EXPECT_EQ(read("globalpcontrol " + mode + "\nmodule a\n").remarks,
              Remarks{"line 1: 'globalpcontrol " + mode +
                      "' is left out: MPI_Pcontrol cannot select modules, it reaches all that are on"});
  EXPECT_EQ(read("globalpcontrol some\nmodule a\n").remarks,
            Remarks{"line 1: 'globalpcontrol some' is left out: it is not a PnMPI command"});
}

TEST(PnmpiFile, LeavesOutArgumentsThatNobodyTakes) {
  EXPECT_EQ(read("module status\nargument size 4\nargument text a  b\n").remarks,
            (Remarks{"line 2: argument 'size' is left out: module 'status' takes no options",
                     "line 3: argument 'text' is left out: module 'status' takes no options"}));
}

TEST(PnmpiFile, UsesTheFirstStackAndSaysWhatItLeavesOut) {
  const Read result = read("module a\nstack foo\nmodule b\nargument x y\nmodule c\nstack bar\nmodule d\n");
  EXPECT_EQ(result.tools, "a.so");
  EXPECT_EQ(result.remarks,
            (Remarks{"line 2: stack 'foo' with 2 modules is left out: calls go through the first stack only",
                     "line 6: stack 'bar' with 1 module is left out: calls go through the first stack only"}));
  EXPECT_EQ(read("stack main\nmodule a\n").tools, "a.so");
}

TEST(PnmpiFile, GoesOnAfterLinesThatItCannotUse) {
  const Read result = read("module a\nargument x\nfoo bar\npcontrol on off\nmodule\n");
  EXPECT_EQ(result.tools, "a.so");
  EXPECT_EQ(result.remarks, (Remarks{"line 2: 'argument x' is left out: it is not a PnMPI command",
                                     "line 3: 'foo bar' is left out: it is not a PnMPI command",
                                     "line 4: 'pcontrol on off' is left out: it is not a PnMPI command",
                                     "line 5: 'module' is left out: it is not a PnMPI command"}));
  EXPECT_EQ(read("pcontrol on\nmodule a\n").remarks,
            Remarks{"line 1: 'pcontrol on' is left out: no module stands before it"});
}

}  // namespace
}  // namespace cairn::cli
