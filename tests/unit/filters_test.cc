// SPDX-License-Identifier: BSD-3-Clause
// filters_test.cc - what filters say of functions, ranks, times and levels.

#include "request/filters.hpp"

#include <gtest/gtest.h>

#include <signal.h>

#include "base/message.hpp"

namespace cairn {
namespace {

Filters filters_of(const std::string& text) { return parse_filters(parse_tools("tool@" + text).front()); }

std::string remedy_of(const std::string& text) {
  try {
    filters_of(text);
  } catch (const Problem& problem) {
    return problem.remedy;
  }
  return "none";
}

TEST(Filters, LetEverythingByThemselves) {
  const Filters none;
  EXPECT_TRUE(none.admits_function("MPI_Send"));
  EXPECT_TRUE(none.admits_rank(12345));
  EXPECT_TRUE(none.admits_phase(-7));
  EXPECT_TRUE(none.active);
}

TEST(Filters, ChooseFunctionsByGlobs) {
  const Filters filters = filters_of("functions:MPI_Send*+MPI_?recv:not:MPI_Send_init");
  EXPECT_TRUE(filters.admits_function("MPI_Send"));
  EXPECT_TRUE(filters.admits_function("MPI_Sendrecv"));
  EXPECT_TRUE(filters.admits_function("MPI_Irecv"));
  EXPECT_FALSE(filters.admits_function("MPI_Send_init"));
  EXPECT_FALSE(filters.admits_function("MPI_Recv"));
  EXPECT_FALSE(filters_of("not:MPI_T_*").admits_function("MPI_T_init_thread"));
  EXPECT_TRUE(filters_of("not:MPI_T_*").admits_function("MPI_Recv"));
}

TEST(Filters, KeepLifecycleFunctionsUnlessOneIsNamedInFull) {
  for (const char* name : {"MPI_Abort", "MPI_Init", "MPI_Init_thread", "MPI_Finalize", "MPI_Pcontrol",
                           "MPI_Session_init", "MPI_Session_finalize"}) {
    EXPECT_TRUE(is_lifecycle(name));
    EXPECT_TRUE(filters_of("functions:MPI_Send").admits_function(name));
    EXPECT_TRUE(filters_of("not:*").admits_function(name));
    EXPECT_FALSE(filters_of("not:" + std::string(name)).admits_function(name));
  }
  EXPECT_FALSE(is_lifecycle("MPI_Initialized"));
}

TEST(Filters, NameGlobsThatMatchNothing) {
  const std::vector<std::string_view> names = {"MPI_Send", "MPI_Recv"};
  EXPECT_EQ(filters_of("functions:MPI_Sned*+MPI_Send:not:MPI_W*").useless_globs(names),
            (std::vector<std::string>{"functions MPI_Sned*", "not MPI_W*"}));
}

TEST(Filters, ReadRanks) {
  const Filters filters = filters_of("ranks:0-2+8");
  for (const long rank : {0L, 2L, 8L}) EXPECT_TRUE(filters.admits_rank(rank));
  for (const long rank : {3L, 7L, 9L}) EXPECT_FALSE(filters.admits_rank(rank));
  for (const char* bad : {"ranks:", "ranks:a", "ranks:1-", "ranks:-1", "ranks:1-2-3", "ranks:3-1", "ranks:1++2"})
    EXPECT_EQ(remedy_of(bad), "ranks:N|N-M[+...], only on these ranks of MPI_COMM_WORLD") << bad;
}

TEST(Filters, ReadTimes) {
  using namespace std::chrono_literals;
  EXPECT_EQ(filters_of("from:0s").from, 0ns);
  EXPECT_EQ(filters_of("from:500ms").from, 500ms);
  EXPECT_EQ(filters_of("from:1.5s").from, 1500ms);
  EXPECT_EQ(filters_of("until:2m").until, 2min);
  EXPECT_EQ(filters_of("until:3h").until, 3h);
  for (const char* bad : {"from:10", "from:s", "from:-1s", "from:1e30s", "from:nans", "from:1s+2s", "from:1 s"})
    EXPECT_NE(remedy_of(bad), "none") << bad;
}

TEST(Filters, ReadLevelsAndSwitches) {
  EXPECT_TRUE(filters_of("phase:2+-1").admits_phase(-1));
  EXPECT_FALSE(filters_of("phase:2").admits_phase(1));
  EXPECT_FALSE(filters_of("active:off").active);
  EXPECT_EQ(filters_of("pcontrol:on").pcontrol, true);
  EXPECT_EQ(filters_of("pcontrol:off").pcontrol, false);
  EXPECT_EQ(filters_of("active:on").pcontrol, std::nullopt);
  EXPECT_EQ(filters_of("signal:USR2").signal, SIGUSR2);
  EXPECT_EQ(remedy_of("signal:TERM"), "signal:USR1|USR2, this signal switches it off, the next one on again");
  EXPECT_EQ(remedy_of("active:yes"), "active:on|off, off: starts switched off");
}

TEST(Filters, AreShownAsTheyAreWritten) {
  EXPECT_EQ(show_filters(parse_tools("t@functions:A+B:ranks:0-3").front().filters), "functions:A+B ranks:0-3");
}

TEST(FunctionList, IsOneNameALineOrWhatTauReads) {
  const FunctionList plain = parse_function_list("# not these\nMPI_Comm_rank\n\n  MPI_*_size\r\n");
  EXPECT_EQ(plain.without, (std::vector<std::string>{"MPI_Comm_rank", "MPI_*_size"}));
  EXPECT_TRUE(plain.only.empty());
  const FunctionList taus = parse_function_list(
      "# TAU\nBEGIN_EXCLUDE_LIST\nMPI_Comm_#\n\"MPI_Wtime()\"\nEND_EXCLUDE_LIST\n"
      "BEGIN_FILE_EXCLUDE_LIST\nmain.c\nEND_FILE_EXCLUDE_LIST\nBEGIN_INCLUDE_LIST\nMPI_#\nEND_INCLUDE_LIST\n");
  EXPECT_EQ(taus.without, (std::vector<std::string>{"MPI_Comm_*", "MPI_Wtime"}));
  EXPECT_EQ(taus.only, std::vector<std::string>{"MPI_*"});
}

TEST(FunctionList, LeavesOutWhatIsNoFunctionOfMpiButNotAllOfAList) {
  EXPECT_EQ(parse_function_list("main\nsolve#\n?PI_Send\n").without, std::vector<std::string>{"?PI_Send"});
  const FunctionList only = parse_function_list("BEGIN_INCLUDE_LIST\nmain\nsolve\nMPI_Send\nEND_INCLUDE_LIST\n");
  EXPECT_EQ(only.only, (std::vector<std::string>{"main", "MPI_Send"}));
  EXPECT_TRUE(only.without.empty());
}

TEST(Filters, RegionsAreMeantByPathOrName) {
  const std::vector<std::string> open = {"solve", "solve/halo"};
  EXPECT_TRUE(filters_of("region:halo").admits_regions(open));
  EXPECT_TRUE(filters_of("region:sol*").admits_regions(open));
  EXPECT_FALSE(filters_of("region:end").admits_regions(open));
  EXPECT_FALSE(filters_of("region:halo:not_region:solve").admits_regions(open));
  EXPECT_TRUE(filters_of("not_region:solve").admits_regions({}));
}

}  // namespace
}  // namespace cairn
