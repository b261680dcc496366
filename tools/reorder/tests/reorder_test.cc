// SPDX-License-Identifier: BSD-3-Clause
// reorder_test.cc - files with ranks, and functions that no tool sees

#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <fstream>

#include "base/message.hpp"
#include "base/processes.hpp"
#include "formats/rank_order.hpp"
#include "reorder/placing.hpp"
#include "reorder/unseen_calls.hpp"
#include "reorder/whereabouts.hpp"

namespace {

using cairn::formats::RankOrder;
using cairn::formats::read_rank_order;

std::string refused(std::string_view text) {
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
  EXPECT_EQ(refused("0\n# one\n0\n2\n"), "'order', line 3: rank 0 is in line 1 too");
  EXPECT_EQ(refused("0\n3\n1\n"), "'order', line 2: there is no rank 3 among 3");
  EXPECT_EQ(refused("0\ntwo\n"), "'order', line 2: 'two' is no rank");
  EXPECT_EQ(refused("0\n1 2\n"), "'order', line 2: '1 2' is no rank");
  EXPECT_EQ(refused("-2\n"), "'order', line 1: '-2' is no rank");
  EXPECT_EQ(refused("99999999999\n"), "'order', line 1: '99999999999' is no rank");
  EXPECT_EQ(refused("# nothing\n"), "'order' has no ranks");
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

using reorder::Whereabouts;

TEST(BetterRanksTest, BringNeighborsToOneNode) {
  const std::vector<Whereabouts> nodes = {{7}, {9}, {7}, {9}};
  const std::vector<int> ranks = reorder::better_ranks(nodes, {{0, 1, 5}, {2, 3, 5}, {1, 2, 1}});
  ASSERT_EQ(ranks.size(), 4U);  // of the processes on node 7 one has rank 0 and one rank 1, or 2 and 3
  EXPECT_EQ(ranks[0] / 2, ranks[2] / 2);
  EXPECT_EQ(ranks[1] / 2, ranks[3] / 2);
  EXPECT_NE(ranks[0] / 2, ranks[1] / 2);
}

TEST(BetterRanksTest, AreThereOnlyIfSomethingIsGained) {
  EXPECT_TRUE(reorder::better_ranks({{7}, {7}, {7}, {7}}, {{0, 1, 5}}).empty());
  EXPECT_TRUE(reorder::better_ranks({{7}, {7}, {9}, {9}}, {{0, 1, 5}, {2, 3, 5}}).empty());
  EXPECT_TRUE(reorder::better_ranks({{7}, {9}, {7}, {9}}, {}).empty());
  EXPECT_TRUE(reorder::better_ranks({}, {}).empty());
}

TEST(BetterRanksTest, BringNeighborsToOnePartOfANode) {
  // Two nodes with two caches of two processes each; a line of eight ranks, whose pairs are the heavy edges.
  std::vector<Whereabouts> places;
  for (int i = 0; i < 8; ++i) places.push_back({static_cast<std::uint64_t>(i % 2), {1, 1, 1 + i / 2 % 2, 0}});
  std::vector<cairn::formats::MatrixEntry> edges;
  for (int i = 0; i + 1 < 8; ++i) edges.push_back({i, i + 1, i % 2 == 0 ? 9.0 : 1.0});
  const std::vector<int> ranks = reorder::better_ranks(places, edges);
  ASSERT_EQ(ranks.size(), 8U);
  for (std::size_t i = 0; i < 8; ++i)
    for (std::size_t j = 0; j < 8; ++j) {
      EXPECT_EQ(ranks[i] / 2 == ranks[j] / 2, places[i] == places[j]);
      EXPECT_EQ(ranks[i] / 4 == ranks[j] / 4, places[i].node == places[j].node);
    }
}

TEST(BetterRanksTest, ProcessesThatAreNotBoundAreEquallyNear) {
  EXPECT_TRUE(reorder::better_ranks({{7, {1, 1, 1, 0}}, {7, {1, 1, 1, 0}}, {7, {1, 1, 1, 0}}}, {{0, 2, 5}}).empty());
}

/// A system's description of its processors: two packages, each with two NUMA nodes that have an L3 cache and two L2 caches.
class WhereaboutsTest : public testing::Test {
 protected:
  WhereaboutsTest() {
    for (int cpu = 0; cpu < 16; ++cpu) {
      const std::string own = "cpu/cpu" + std::to_string(cpu);
      write(own + "/topology/package_cpus_list", cpu / 8 * 8, 8);
      write(own + "/cache/index0/shared_cpu_list", cpu, 1);
      write(own + "/cache/index0/level", "1\n");
      write(own + "/cache/index1/shared_cpu_list", cpu / 2 * 2, 2);
      write(own + "/cache/index1/level", "2\n");
      write(own + "/cache/index2/shared_cpu_list", cpu / 4 * 4, 4);
      write(own + "/cache/index2/level", "3\n");
      std::filesystem::create_directories(root_ / own / ("node" + std::to_string(cpu / 4)));
      write("node/node" + std::to_string(cpu / 4) + "/cpulist", cpu / 4 * 4, 4);
    }
  }
  ~WhereaboutsTest() override { std::filesystem::remove_all(root_); }

  std::array<int, 4> of(const std::vector<int>& processors) const {
    return reorder::parts_with(processors, root_.string());
  }

 private:
  void write(const std::string& path, int first, int count) const {
    const std::string last = count > 1 ? "-" + std::to_string(first + count - 1) : "";
    write(path, std::to_string(first) + last + "\n");
  }
  void write(const std::string& path, const std::string& text) const {
    std::filesystem::create_directories((root_ / path).parent_path());
    std::ofstream(root_ / path) << text;
  }

  std::filesystem::path root_ = std::filesystem::path(testing::TempDir()) / ("whereabouts." + std::to_string(getpid()));
};

TEST_F(WhereaboutsTest, AreThePartsThatAProcessCannotLeave) {
  EXPECT_EQ(of({13}), (std::array{9, 13, 13, 13}));
  EXPECT_EQ(of({12, 13}), of({13}));
  EXPECT_EQ(of({13, 14}), (std::array{9, 13, 13, 0}));
  EXPECT_EQ(of({9, 13}), (std::array{9, 0, 0, 0}));
  EXPECT_EQ(of({0, 8}), (std::array{0, 0, 0, 0}));
  EXPECT_EQ(of({}), (std::array{0, 0, 0, 0}));
  EXPECT_EQ(of({99}), (std::array{0, 0, 0, 0}));  // the system does not tell
}

TEST(OwnProcessorsTest, AreThoseOfTheProcess) {
  const std::vector<int> own = cairn::own_processors();
  ASSERT_FALSE(own.empty());
  EXPECT_EQ(static_cast<long>(own.size()) <= sysconf(_SC_NPROCESSORS_CONF), true);
}

}  // namespace
