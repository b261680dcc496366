// SPDX-License-Identifier: BSD-3-Clause
// reorder_test.cc - files with ranks, and functions that no tool sees

#include <gtest/gtest.h>

#include <array>

#include "base/message.hpp"
#include "formats/rank_order.hpp"
#include "reorder/placing.hpp"
#include "reorder/unseen_calls.hpp"

namespace {

using cairn::formats::RankOrder;
using cairn::formats::read_rank_order;

std::string refusal(std::string_view text) {
  try {
    read_rank_order(text, "order");
    return "";
  } catch (const cairn::Problem& problem) {
    return problem.what();
  }
}

TEST(RankOrderTest, IsReadAsItIsWritten) {
  const RankOrder order = {2, 0, 3, 1};
  EXPECT_EQ(read_rank_order(cairn::formats::rank_order_text(order), "order"), order);
  EXPECT_EQ(read_rank_order("# mine\n\n 1 # the first\r\n0", "order"), (RankOrder{1, 0}));
}

TEST(RankOrderTest, IsAPermutation) {
  EXPECT_EQ(refusal("0\n# one\n0\n2\n"), "'order', line 3: rank 0 is in line 1 too");
  EXPECT_EQ(refusal("0\n3\n1\n"), "'order', line 2: there is no rank 3 among 3");
  EXPECT_EQ(refusal("0\ntwo\n"), "'order', line 2: 'two' is no rank");
  EXPECT_EQ(refusal("0\n1 2\n"), "'order', line 2: '1 2' is no rank");
  EXPECT_EQ(refusal("-2\n"), "'order', line 1: '-2' is no rank");
  EXPECT_EQ(refusal("99999999999\n"), "'order', line 1: '99999999999' is no rank");
  EXPECT_EQ(refusal("# nothing\n"), "'order' has no ranks");
}

TEST(UnseenCallsTest, AreThoseWithACommunicatorAndFortransAttributes) {
  constexpr std::array<const char*, 2> functions = {"MPI_Send", "MPI_Comm_rank"};
  for (const char* const unseen : {"PMPI_Send", "PMPI_Comm_rank", "mpi_comm_set_attr_", "mpi_attr_put_",
                                   "mpi_comm_create_keyval_f08_", "mpi_keyval_create_"})
    EXPECT_TRUE(reorder::is_unseen(unseen, functions)) << unseen;
  for (const char* const seen : {"MPI_Send", "PMPI_Wtime", "MPI_Comm_set_attr", "mpi_comm_get_attr_", "mpi_send_",
                                 "mpi_type_set_attr_", "PMPI_Sen"})
    EXPECT_FALSE(reorder::is_unseen(seen, functions)) << seen;
}

TEST(BetterRanksTest, BringNeighborsToOneNode) {
  const std::vector<std::uint64_t> nodes = {7, 9, 7, 9};
  const std::vector<int> ranks = reorder::better_ranks(nodes, {{0, 1, 5}, {2, 3, 5}, {1, 2, 1}});
  ASSERT_EQ(ranks.size(), 4U);  // of the processes on node 7 one has rank 0 and one rank 1, or 2 and 3
  EXPECT_EQ(ranks[0] / 2, ranks[2] / 2);
  EXPECT_EQ(ranks[1] / 2, ranks[3] / 2);
  EXPECT_NE(ranks[0] / 2, ranks[1] / 2);
}

TEST(BetterRanksTest, AreThereOnlyIfSomethingIsGained) {
  EXPECT_TRUE(reorder::better_ranks({7, 7, 7, 7}, {{0, 1, 5}}).empty());
  EXPECT_TRUE(reorder::better_ranks({7, 7, 9, 9}, {{0, 1, 5}, {2, 3, 5}}).empty());
  EXPECT_TRUE(reorder::better_ranks({7, 9, 7, 9}, {}).empty());
  EXPECT_TRUE(reorder::better_ranks({}, {}).empty());
}

}  // namespace
