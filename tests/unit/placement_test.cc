// SPDX-License-Identifier: BSD-3-Clause
// placement_test.cc - matrices, machines, costs and mappings, without Scotch and hwloc (tests/cli/test_place.py has these)

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>

#include "cli/place/hosts.hpp"
#include "cli/place/launch_files.hpp"
#include "cli/place/topology.hpp"
#include "formats/matrix_market.hpp"
#include "placement/best.hpp"
#include "placement/refine.hpp"
#include "placement/starts.hpp"
#include "problem_of.hpp"

namespace {

using namespace cairn;
using namespace cairn::placement;
using formats::Matrix;
using formats::read_matrix;

std::string matrix_problem(const std::string& text) {
  return problem_of([&] { read_matrix(text, "a.mtx"); });
}

const std::string header = "%%MatrixMarket matrix coordinate integer general\n";

TEST(MatrixMarket, ReadsCoordinatesCommentsAndRealNumbers) {
  const Matrix matrix = read_matrix(
      "%%MatrixMarket  Matrix coordinate REAL general\r\n% a comment\r\n\r\n3 3 2\r\n1 2 1.5e1\r\n\r\n3 1 +2\r\n",
      "a.mtx");
  ASSERT_EQ(matrix.size, 3);
  ASSERT_EQ(matrix.entries.size(), 2U);
  EXPECT_EQ(matrix.entries[0].row, 0);
  EXPECT_EQ(matrix.entries[0].column, 1);
  EXPECT_EQ(matrix.entries[0].value, 15);
  EXPECT_EQ(matrix.entries[1].value, 2);
}

TEST(MatrixMarket, ReadsBothHalvesOfSymmetricOnesPatternsAndArrays) {
  EXPECT_EQ(read_matrix("%%MatrixMarket matrix coordinate integer symmetric\n2 2 2\n2 1 7\n1 1 3\n", "").entries.size(),
            3U);
  EXPECT_EQ(read_matrix("%%MatrixMarket matrix coordinate pattern general\n2 2 1\n2 1\n", "").entries[0].value, 1);
  const Matrix array = read_matrix("%%MatrixMarket matrix array integer general\n2 2\n0\n5\n6\n0\n", "");
  ASSERT_EQ(array.entries.size(), 2U);
  EXPECT_EQ(array.entries[0].row, 1);  // column by column
  EXPECT_EQ(array.entries[0].value, 5);
}

TEST(MatrixMarket, SaysWhatIsWrongInWhichLine) {
  const std::string first = "a first line '%%MatrixMarket matrix coordinate integer general'";
  EXPECT_EQ(matrix_problem(""), "'a.mtx', line 1: not a Matrix Market file | " + first);
  EXPECT_EQ(matrix_problem("1 2 3\n"), "'a.mtx', line 1: not a Matrix Market file | " + first);
  EXPECT_EQ(matrix_problem("%%MatrixMarket matrix list integer general\n"),
            "'a.mtx', line 1: unknown layout 'list' | coordinate");
  EXPECT_EQ(matrix_problem("%%MatrixMarket matrix coordinate complex general\n"),
            "'a.mtx', line 1: values of type 'complex' are no amounts of data | integer, or real");
  EXPECT_EQ(matrix_problem("%%MatrixMarket matrix coordinate real skew-symmetric\n"),
            "'a.mtx', line 1: a matrix that is 'skew-symmetric' has no meaning here | general");
  EXPECT_EQ(matrix_problem("%%MatrixMarket matrix array pattern general\n"),
            "'a.mtx', line 1: an array is 'general' and has values | " + first);
  EXPECT_EQ(matrix_problem(header), "'a.mtx', line 1: no line with the matrix's size | RANKS RANKS ENTRIES");
  EXPECT_EQ(matrix_problem(header + "2 2\n"), "'a.mtx', line 2: no line with the matrix's size | RANKS RANKS ENTRIES");
  EXPECT_EQ(matrix_problem(header + "2 3 1\n"),
            "'a.mtx', line 2: the matrix has 2 rows and 3 columns | a matrix with a row and a column for each rank");
  EXPECT_EQ(matrix_problem(header + "0 0 0\n"),
            "'a.mtx', line 2: the matrix is empty | the matrix of a run with at least one rank");
}

TEST(MatrixMarket, SaysWhichEntryIsWrong) {
  const std::string form = "ROW COLUMN VALUE, with ranks from 1";
  const auto entry = [](const std::string& line) { return matrix_problem(header + "2 2 1\n" + line + "\n"); };
  EXPECT_EQ(entry("1 2"), "'a.mtx', line 3: an entry of 2 words | ROW COLUMN VALUE");
  EXPECT_EQ(entry("1 x 3"), "'a.mtx', line 3: 'x' is no rank | " + form);
  EXPECT_EQ(entry("0 1 3"), "'a.mtx', line 3: rank 0 in a matrix of 2 | ranks from 1 to 2");
  EXPECT_EQ(entry("1 3 3"), "'a.mtx', line 3: rank 3 in a matrix of 2 | ranks from 1 to 2");
  EXPECT_EQ(entry("1 2 many"), "'a.mtx', line 3: 'many' is no number | " + form);
  EXPECT_EQ(entry("1 2 nan"), "'a.mtx', line 3: 'nan' is no amount of data | a finite number");
  EXPECT_EQ(entry("1 2 inf"), "'a.mtx', line 3: 'inf' is no amount of data | a finite number");
  EXPECT_EQ(entry("1 2 -3"), "'a.mtx', line 3: '-3' is negative | amounts of data from 0");
  EXPECT_EQ(matrix_problem(header + "2 2 2\n1 2 3\n"),
            "'a.mtx', line 3: 1 entries where line 2 says 2 | the whole file");
  EXPECT_EQ(matrix_problem(header + "2 2 1\n1 2 3\n2 1 3\n"),
            "'a.mtx', line 4: more entries than the 1 that line 2 says | the number of entries in that line");
  EXPECT_EQ(matrix_problem("%%MatrixMarket matrix coordinate integer symmetric\n2 2 1\n1 2 3\n"),
            "'a.mtx', line 3: an entry above the diagonal of a matrix that is declared symmetric | the entry (2, 1) in "
            "its place, or 'general' in "
            "line 1");
}

TEST(MatrixMarket, ReadsOrRefusesWhateverItGets) {
  const std::string good = header + "% who\n4 4 5\n1 2 10\n2 3 20.5\n3 4 1e3\n4 1 7\n1 1 0\n";
  constexpr std::string_view letters = "0123456789 .-+e\n\r\t%[]MX\xff";
  std::mt19937 random(1);
  int read = 0;
  for (int i = 0; i < 20000; ++i) {
    std::string text = good;
    for (auto changes = 1 + random() % 3; changes > 0 && !text.empty(); --changes) {
      const std::size_t at = random() % text.size();
      const char letter = letters[random() % letters.size()];
      switch (random() % 4) {
        case 0:
          text[at] = letter;
          break;
        case 1:
          text.insert(at, 1, letter);
          break;
        case 2:
          text.erase(at, 1 + random() % 5);
          break;
        default:
          text.resize(at + 1);
      }
    }
    try {
      const Matrix matrix = read_matrix(text, "a.mtx");
      ++read;
      for (const formats::MatrixEntry& entry : matrix.entries)
        ASSERT_TRUE(entry.row >= 0 && entry.row < matrix.size && entry.column >= 0 && entry.column < matrix.size &&
                    entry.value > 0)
            << text;
    } catch (const Problem& problem) {
      ASSERT_TRUE(std::string(problem.what()).starts_with("'a.mtx', line ")) << text;
      ASSERT_FALSE(problem.remedy.empty()) << text;
    }
  }
  EXPECT_GT(read, 500);
}

// ------------------------------------------------------------------------------------------------- nodes, switches

TEST(Hosts, AreListsAsInSlurmWithCores) {
  EXPECT_EQ(place::expand_hosts("a,n[08-11,3]x,r[1-2]n[1-2]"),
            (std::vector<std::string>{"a", "n08x", "n09x", "n10x", "n11x", "n3x", "r1n1", "r1n2", "r2n1", "r2n2"}));
  const std::vector<place::Host> hosts = place::hosts_of("a:16,n[1-2]:8,b");
  ASSERT_EQ(hosts.size(), 4U);
  EXPECT_EQ(hosts[0].cores, 16);
  EXPECT_EQ(hosts[2].name, "n2");
  EXPECT_EQ(hosts[2].cores, 8);
  EXPECT_EQ(hosts[3].cores, 0);
  for (const char* const wrong : {"", "a,,b", "n[1-", "n[x]", "n[4-2]", "a:0", "a:x", "a b", "n[0-99999999]", "n]"})
    EXPECT_EQ(problem_of([&] { place::hosts_of(wrong); }),
              "'" + std::string(wrong) + "' is not a list of nodes | names as in n1,n[2-8] or n1:16,n2:8");
}

std::string topology_problem(const std::string& text) {
  return problem_of([&] { place::read_topology(text, "t.conf"); });
}

TEST(Topology, IsATreeOfSwitches) {
  const place::Topology topology = place::read_topology(
      "# two racks\nSwitchName=s0 Nodes=n[0-1] LinkSpeed=1\nswitchname=s1 nodes=n2,\\\nn3\n\nSwitchName=top "
      "Switches=s[0-1]\n",
      "t.conf");
  EXPECT_EQ(topology.nodes, (std::vector<std::string>{"n0", "n1", "n2", "n3"}));
  EXPECT_EQ(topology.path_of.at("n0"), (std::vector<int>{0, 1}));
  EXPECT_EQ(topology.path_of.at("n3"), (std::vector<int>{0, 2}));
}

TEST(Topology, NodesOnAnUpperSwitchAreAsDeepAsTheOthers) {
  const place::Topology topology =
      place::read_topology("SwitchName=s Nodes=a\nSwitchName=t Switches=s\nSwitchName=u Nodes=b\n", "t.conf");
  EXPECT_EQ(topology.path_of.at("a").size(), topology.path_of.at("b").size());
}

TEST(Topology, SaysWhatIsWrongInWhichLine) {
  const std::string form = "SwitchName=NAME Nodes=LIST, or SwitchName=NAME Switches=LIST";
  EXPECT_EQ(topology_problem("# nothing\n"), "'t.conf', line 2: no switch | " + form);
  EXPECT_EQ(topology_problem("SwitchName=s Node=a\n"), "'t.conf', line 1: 'Node=a' is not known | " + form);
  EXPECT_EQ(topology_problem("Nodes=a\n"), "'t.conf', line 1: a switch without a name | " + form);
  EXPECT_EQ(topology_problem("SwitchName=s\n"),
            "'t.conf', line 1: switch 's' has neither nodes nor switches, or both | " + form);
  EXPECT_EQ(topology_problem("SwitchName=s Nodes=a\nSwitchName=s Nodes=b\n"),
            "'t.conf', line 2: switch 's' is listed twice | a name for each");
  EXPECT_EQ(topology_problem("SwitchName=s Switches=t\n"), "'t.conf', line 1: switch 't' is not described | " + form);
  EXPECT_EQ(topology_problem("SwitchName=s Nodes=a[\n"),
            "'t.conf', line 1: 'a[' is not a list of nodes | names as in n1,n[2-8] or n1:16,n2:8");
  EXPECT_EQ(topology_problem("SwitchName=s Nodes=a\nSwitchName=t Nodes=a\n"),
            "'t.conf', line 2: node 'a' is behind two switches | a tree of switches");
  EXPECT_EQ(topology_problem("SwitchName=s Nodes=a\nSwitchName=t Switches=s\nSwitchName=u Switches=s\n"),
            "'t.conf', line 3: switch 's' is below two others | a tree of switches");
  EXPECT_EQ(topology_problem("SwitchName=s Switches=t\nSwitchName=t Switches=s\n"),
            "'t.conf', line 1: no node behind any switch that is a root of the tree | switches that do not contain "
            "each other");
  EXPECT_EQ(topology_problem("SwitchName=r Nodes=a\nSwitchName=s Switches=t\nSwitchName=t Switches=s\n"),
            "'t.conf', line 2: switch 's' is behind no root of the tree | switches that do not contain each other");
  EXPECT_EQ(topology_problem("SwitchName=\x1bs Nodes=a[\n").find('\x1b'), std::string::npos);
}

TEST(Topology, HasALastLineThatEndsAsIfAnotherFollowed) {
  EXPECT_EQ(place::read_topology("SwitchName=s Nodes=a\nSwitchName=t \\\n Nodes=b \\", "t.conf").nodes,
            (std::vector<std::string>{"a", "b"}));
}

// ---------------------------------------------------------------------------------------------------- the machine

Machine flat(int nodes, int cores, const Seats& seats = {}) {
  std::vector<Node> all;
  for (int i = 0; i < nodes; ++i) all.push_back({"n" + std::to_string(i), cores});
  return Machine(std::move(all), NodeShape::flat(cores), seats);
}

/// Two switches of two nodes, of two NUMA nodes of two caches of two cores.
Machine deep() {
  NodeShape shape = NodeShape::flat(8);
  shape.levels = {{Distance::numa, {0, 0, 0, 0, 1, 1, 1, 1}}, {Distance::cache, {0, 0, 1, 1, 2, 2, 3, 3}}};
  return Machine({{"a", 8, {0, 1}}, {"b", 8, {0, 1}}, {"c", 8, {0, 2}}, {"d", 8, {0, 2}}}, shape, {});
}

TEST(PlacementMachine, KnowsWhatTwoSlotsShareAndHowFarTheyAreApart) {
  const Machine machine = deep();
  ASSERT_EQ(machine.slots(), 32);
  const auto distance = [&](int a, int b) { return machine.within(machine.common_level(a, b)); };
  EXPECT_EQ(distance(0, 1), Distance::cache);
  EXPECT_EQ(distance(0, 2), Distance::numa);
  EXPECT_EQ(distance(0, 4), Distance::node);
  EXPECT_EQ(distance(7, 8), Distance::leaf_switch);
  EXPECT_EQ(distance(15, 16), Distance::farther);
  EXPECT_EQ(machine.hops(machine.common_level(0, 1)), 2);
  EXPECT_EQ(machine.hops(machine.common_level(0, 31)), 10);
}

TEST(PlacementMachine, LevelsWithOneMemberDoNotCount) {
  const Machine machine = flat(4, 8);
  EXPECT_EQ(machine.levels(), 2);
  EXPECT_EQ(machine.hops(machine.common_level(0, 1)), 2);
  EXPECT_EQ(machine.hops(machine.common_level(0, 8)), 4);
  EXPECT_EQ(flat(1, 8).levels(), 1);
}

TEST(PlacementMachine, RanksWithSeveralCoresStayInOneCache) {
  NodeShape shape = NodeShape::flat(6);
  shape.levels = {{Distance::cache, {0, 0, 0, 1, 1, 1}}};
  const Machine machine({{"a", 6}, {"b", 5}}, shape, {2, 0});
  std::vector<int> first;
  for (int slot = 0; slot < machine.slots(); ++slot) first.push_back(machine.slot(slot).first);
  EXPECT_EQ(first, (std::vector<int>{0, 3, 6, 9}));
}

TEST(PlacementMachine, FewerRanksPerNodeAreSpreadOverIt) {
  const Machine machine = flat(2, 8, {1, 4});
  ASSERT_EQ(machine.slots(), 8);
  EXPECT_EQ(machine.slot(1).core, 2);
  EXPECT_EQ(machine.slot(4).first, 8);
}

// ------------------------------------------------------------------------------------------- patterns and mappings

Matrix grid(int x, int y, int z) {
  Matrix matrix;
  matrix.size = x * y * z;
  const auto rank = [&](int i, int j, int k) { return (i * y + j) * z + k; };
  const auto add = [&](int one, int other) {
    matrix.entries.push_back({one, other, 1});
    matrix.entries.push_back({other, one, 1});
  };
  for (int i = 0; i < x; ++i)
    for (int j = 0; j < y; ++j)
      for (int k = 0; k < z; ++k) {
        if (i + 1 < x) add(rank(i, j, k), rank(i + 1, j, k));
        if (j + 1 < y) add(rank(i, j, k), rank(i, j + 1, k));
        if (k + 1 < z) add(rank(i, j, k), rank(i, j, k + 1));
      }
  return matrix;
}

Matrix permuted(Matrix matrix) {
  std::vector<int> order(static_cast<std::size_t>(matrix.size));
  std::iota(order.begin(), order.end(), 0);
  std::shuffle(order.begin(), order.end(), std::mt19937(1));
  for (formats::MatrixEntry& entry : matrix.entries) {
    entry.row = order[static_cast<std::size_t>(entry.row)];
    entry.column = order[static_cast<std::size_t>(entry.column)];
  }
  return matrix;
}

bool is_mapping(const Mapping& mapping, const Machine& machine) {
  std::vector<int> sorted = mapping;
  std::ranges::sort(sorted);
  return std::ranges::adjacent_find(sorted) == sorted.end() && sorted.front() >= 0 && sorted.back() < machine.slots();
}

TEST(Placement, AddsUpBothDirectionsAndLeavesOutWhatARankSendsToItself) {
  const Traffic traffic(Matrix{3, {{0, 1, 5}, {1, 0, 7}, {0, 1, 1}, {2, 2, 9}}});
  EXPECT_EQ(traffic.total(), 13);
  ASSERT_EQ(traffic.partners(0).size(), 1U);
  EXPECT_EQ(traffic.partners(0)[0].amount, 13);
  EXPECT_TRUE(traffic.partners(2).empty());
}

TEST(Placement, CostsAreWhatTheTreeSays) {
  const Traffic traffic(Matrix{32, {{0, 1, 1}, {0, 2, 10}, {0, 4, 100}, {0, 8, 1000}, {0, 31, 10000}}});
  const Cost cost = cost_of(traffic, deep(), by_slot(32));
  EXPECT_EQ(cost.by_distance, (std::array<double, distances>{1, 10, 100, 1000, 10000}));
  EXPECT_EQ(cost.hop_bytes, 2 + 40 + 600 + 8000 + 100000);
  EXPECT_EQ(cost.between_nodes, 11000);
  EXPECT_EQ(cost.busiest_link, 11000);  // of the first node
}

TEST(Placement, BySlotByNodeAndAtRandom) {
  const Machine machine({{"a", 3}, {"b", 1}}, NodeShape::flat(3), {});
  EXPECT_EQ(by_slot(3), (Mapping{0, 1, 2}));
  EXPECT_EQ(by_node(4, machine), (Mapping{0, 3, 1, 2}));
  EXPECT_TRUE(is_mapping(at_random(4, machine), machine));
  EXPECT_EQ(at_random(4, machine), at_random(4, machine));
}

TEST(Placement, GridsInOrderAreTiledAsWellAsCanBe) {
  EXPECT_EQ(compare_mappings(Traffic(grid(8, 8, 1)), flat(8, 8), nullptr).own().cost.between_nodes, 64);
  EXPECT_EQ(compare_mappings(Traffic(grid(8, 8, 8)), flat(8, 64), nullptr).own().cost.between_nodes, 2 * 3 * 64);
}

TEST(Placement, IsNeverWorseThanTheUsualMappings) {
  std::mt19937 random(2);
  for (int i = 0; i < 20; ++i) {
    Matrix matrix{20, {}};
    for (int entry = 0; entry < 80; ++entry)
      matrix.entries.push_back(
          {static_cast<int>(random() % 20), static_cast<int>(random() % 20), static_cast<double>(random() % 1000)});
    const Machine machine = i % 2 == 0 ? deep() : Machine({{"a", 16}, {"b", 4}, {"c", 7}}, NodeShape::flat(16), {});
    const Traffic traffic(matrix);
    const Comparison all = compare_mappings(traffic, machine, nullptr);
    EXPECT_TRUE(is_mapping(all.own().mapping, machine));
    EXPECT_LE(all.own().cost.hop_bytes, all.usual().cost.hop_bytes);
    EXPECT_EQ(all.own().cost.hop_bytes, hop_bytes_of(traffic, machine, all.own().mapping));
  }
}

TEST(Placement, RefiningUndoesAPermutationOfASmallGrid) {
  const Machine machine = flat(4, 4);
  const Traffic traffic(permuted(grid(4, 4, 1)));
  Mapping mapping = by_slot(16);
  refine(traffic, machine, mapping);
  EXPECT_EQ(cost_of(traffic, machine, mapping).between_nodes, 16);
}

TEST(Placement, WhenAllTalkToAllNothingIsWorthIt) {
  Matrix matrix{16, {}};
  for (int i = 0; i < 16; ++i)
    for (int j = 0; j < 16; ++j) matrix.entries.push_back({i, j, 3});
  const Comparison all = compare_mappings(Traffic(matrix), flat(4, 4), nullptr);
  EXPECT_EQ(all.gain(), 0);
  EXPECT_FALSE(all.is_worth_it());
  EXPECT_EQ(all.own().mapping, by_slot(16));
}

TEST(Placement, WhatScotchLeavesUnbalancedIsBalanced) {
  const Libraries all_in_one = {nullptr,
                                [](const Graph& graph, const std::vector<int>&, const std::vector<int>&, int) {
                                  return std::vector<int>(static_cast<std::size_t>(graph.vertices()));
                                },
                                [](const Graph& graph, const std::vector<int>&) {
                                  return std::vector<int>(static_cast<std::size_t>(graph.vertices()));
                                }};
  const Libraries failing = {
      nullptr, [](const Graph&, const std::vector<int>&, const std::vector<int>&, int) { return std::vector<int>{}; },
      [](const Graph&, const std::vector<int>&) { return std::vector<int>{}; }};
  const Machine machine({{"a", 6}, {"b", 2}, {"c", 4}}, NodeShape::flat(6), {});
  const Traffic traffic(permuted(grid(3, 4, 1)));
  const std::vector<Mapping> mappings = by_scotch(traffic, machine, all_in_one);
  ASSERT_EQ(mappings.size(), 1U);  // the tree is not regular
  EXPECT_TRUE(is_mapping(mappings[0], machine));
  for (const Mapping& mapping : by_scotch(traffic, flat(3, 4), all_in_one))
    EXPECT_TRUE(is_mapping(mapping, flat(3, 4)));
  EXPECT_TRUE(by_scotch(traffic, machine, failing).empty());
}

TEST(Placement, FilesForLaunchersHaveNodesAndCores) {
  NodeShape shape = NodeShape::flat(4);
  shape.units = {0, 2, 4, 6};
  const Machine machine({{"a", 4}, {"b", 4}}, shape, {2, 0});
  const Mapping mapping = {2, 0, 1, 3};
  EXPECT_EQ(place::rankfile(machine, mapping, true),
            "rank 0=b slot=0-1\nrank 1=a slot=0-1\nrank 2=a slot=2-3\nrank 3=b slot=2-3\n");
  EXPECT_EQ(place::rankfile(machine, {1}, false), "rank 0=+n0 slot=2-3\n");
  EXPECT_EQ(place::hydra_file(machine, mapping),
            "b:1 binding=user:0+2\na:2 binding=user:0+2,4+6\nb:1 binding=user:4+6\n");
  EXPECT_EQ(place::slurm_file(machine, mapping), "b\na\na\nb\n");
}

}  // namespace
