// SPDX-License-Identifier: BSD-3-Clause
// comm_test.cc - the tool `comm` without MPI: tables of cells, merging, packing, and the files of large runs

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <thread>

#include "cairn/kit/packing.hpp"
#include "cli/report/comm_data.hpp"
#include "comm/history.hpp"
#include "comm/output.hpp"
#include "comm/running_sums.hpp"
#include "comm/summary.hpp"
#include "comm/traffic.hpp"
#include "formats/readers.hpp"

namespace comm {
namespace {

Summary one_rank(int rank, int ranks, std::vector<Flow> flows) {
  Summary summary;
  summary.program = "/bin/app";
  summary.tool = "comm";
  summary.ranks = ranks;
  summary.nodes = {{"node" + std::to_string(rank / 2), {rank}}};
  summary.communicators = {{"MPI_COMM_WORLD", "0-" + std::to_string(ranks - 1), "", 1}};
  summary.phases = {{"", {flows, {}, {}, {}}, {{{2, 20}, 0, Reach::to_all, rank, {{4, 2}}}}, {}, {}}};
  return summary;
}

std::map<std::string, std::string> matrices(const Summary& summary) {
  std::map<std::string, std::string> files;
  write_matrices(summary, [&](const std::string& file, std::string_view text) { files[file] += text; });
  return files;
}

TEST(Cells, CountBeyondFourThousandMillion) {
  Traffic traffic(0);
  Cell& cell = *traffic.at({Kind::p2p, 7});
  cell.messages += 1ULL << 40U;
  cell.add(1ULL << 50U);
  EXPECT_EQ(cell.messages, (1ULL << 40U) + 1);
  EXPECT_EQ(cell.bytes, 1ULL << 50U);
}

TEST(Cells, BytesStayAtTheGreatestNumber) {
  Traffic traffic(0);
  Cell& cell = *traffic.at({Kind::p2p, 7});
  cell.add(UINT64_MAX - 1);
  cell.add(100);
  EXPECT_EQ(cell.bytes, UINT64_MAX);
  EXPECT_EQ(cell.messages, 2U);
  Summary summary = one_rank(0, 2, {{{1, UINT64_MAX - 5}, 0, 1, {}}});
  EXPECT_FALSE(sums_fit(summary));  // with the 20 bytes of the collective calls
  summary.phases[0].shares.clear();
  EXPECT_TRUE(sums_fit(summary));
}

class Sums : public testing::Test {
 protected:
  void add(Key key, std::uint64_t bytes) {
    Cell& cell = *traffic.at(key);
    cell.add(bytes);
    changed.note(cell);
  }
  unsigned long bytes(FlowKind kind, int world) {
    unsigned long found = 0;
    sums.read_row(kind, {world}, [&](std::size_t, const Volume& volume) { found = volume.bytes; });
    return found;
  }

  int looked_at = 0;  // communicators
  Traffic traffic{0};
  ChangedCells changed;
  RunningSums sums{changed, [this](int slot, Reach) {
                     ++looked_at;
                     return std::vector<int>{slot % 4, 9};
                   }};
};

TEST_F(Sums, FollowTheCellsTheyAreMadeOf) {
  for (int round = 1; round <= 3; ++round) {
    add({Kind::p2p, 1}, 100);
    add({Kind::put, 1}, 10);
    add({Kind::fetched, outside}, 1);
    add({Kind::coll, 9}, 5);
    add({Kind::to_all, 3}, 7);
    add({Kind::all_to_all, 3}, 14);
    add({Kind::direct, 9}, 5);
    const auto times = static_cast<unsigned long>(round);
    EXPECT_EQ(bytes(p2p, 1), 100 * times);
    EXPECT_EQ(bytes(put, 1), 10 * times);
    EXPECT_EQ(bytes(fetched, -1'000'000), times);
    EXPECT_EQ(bytes(coll, 9), (5 + 7) * times);
    EXPECT_EQ(bytes(coll, 3), 7 * times);
    EXPECT_EQ(sums.of({Kind::all_to_all, 3}).bytes, 14 * times);
    EXPECT_EQ(sums.sizes_to(1)[bin_of(100)], times);
    EXPECT_EQ(sums.sizes()[bin_of(100)], times);
  }
  EXPECT_EQ(sums.of({Kind::one_to_all, 3}).messages, 0U);
  EXPECT_EQ(bytes(p2p, 2), 0U);
}

TEST_F(Sums, CostWhatHasChangedHoweverManyCommunicatorsThereAre) {
  for (int slot = 0; slot < 4000; ++slot) add({Kind::to_all, slot}, 1);
  EXPECT_EQ(bytes(coll, 9), 4000U);
  looked_at = 0;
  add({Kind::to_all, 17}, 1);
  for (int i = 0; i < 40; ++i) EXPECT_EQ(bytes(coll, 9), 4001U);
  EXPECT_EQ(looked_at, 1);
}

TEST_F(Sums, LoseNothingThatIsAddedDuringAReading) {
  constexpr std::uint64_t count = 200'000;
  std::thread writer([&] {
    for (std::uint64_t i = 0; i < count; ++i) add({Kind::p2p, static_cast<int>(i % 3)}, 1);
  });
  for (int i = 0; i < 1000; ++i) bytes(p2p, 0);
  writer.join();
  EXPECT_EQ(bytes(p2p, 0) + bytes(p2p, 1) + bytes(p2p, 2), count);
}

TEST(Cells, AreFoundAgainAmongMany) {
  Traffic traffic(3);
  for (int round = 0; round < 2; ++round)
    for (int rank = 0; rank < 5000; ++rank) traffic.at({rank % 2 == 0 ? Kind::p2p : Kind::put, rank})->add(8);
  int cells = 0;
  traffic.for_each([&](const Cell& cell) {
    ++cells;
    EXPECT_EQ(cell.messages, 2U);
    EXPECT_EQ(cell.sizes[4], 2U);
  });
  EXPECT_EQ(cells, 5000);
}

TEST(Summaries, AreTheSameAfterPacking) {
  Summary before = one_rank(1, 4, {{{3, 1ULL << 60U}, 1, -1, {{0, 1}, {39, 2}}}});
  before.phases[0].calls = {{0, 1, {1, 2}, {3, 4}, {5, 6}}};
  before.phases[0].files = {{1, {7, 8}, {9, 10}}};
  const Summary after = cairn::unpack<Summary>(cairn::pack(before));
  Summary merged = one_rank(0, 4, {});
  merge(merged, Summary(after));
  before.program.clear();
  before.tool.clear();
  before.ranks = 0;
  EXPECT_EQ(file_text(after), file_text(before));
  EXPECT_EQ(merged.communicators.size(), 1U);
  EXPECT_EQ(merged.nodes.size(), 1U);
  EXPECT_EQ(merged.nodes[0].ranks, (std::vector<int>{0, 1}));
  EXPECT_EQ(merged.phases[0].shares.size(), 2U);
}

TEST(Summaries, AreReadAsTheyWereWritten) {
  Summary whole = one_rank(1, 4, {{{3, 1ULL << 60U}, 1, -1, {{0, 1}, {39, 2}}}});
  whole.run = "00aa";
  whole.rank = 1;
  whole.ended_by = "SIGTERM";
  whole.lost = true;
  whole.of_tools = {3, 4};
  whole.communicators.push_back({"rows", "0-1", "2-3", 2});
  whole.phases[0].calls = {{0, 1, {1, 2}, {3, 4}, {5, 6}}};
  whole.phases[0].files = {{1, {7, 8}, {9, 10}}};
  whole.phases[0].operations = {{{11, 12}, 1, Operation::reduce_scatter, 3}};
  whole.moments = {{1, 1'500'001, 2, {Volume{1, 10}}}, {Moment::end, 3'000'000, 1, {Volume{2, 20}}}};
  const std::string text = file_text(whole);
  EXPECT_NE(text.find("\n    [1,-1,3,1152921504606846976,[[1,1],[549755813888,2]]]\n"), std::string::npos);
  EXPECT_NE(text.find("\n    [0,\"to_all\",1,2,20,[[16,2]]]\n"), std::string::npos);
  EXPECT_NE(text.find("\n    [1,\"reduce_scatter\",3,11,12]\n"), std::string::npos);
  EXPECT_EQ(file_text(cairn::formats::read_comm(cairn::formats::Json::parse(text))), text);
}

TEST(Summaries, AreShownWithoutControlCharacters) {
  Summary whole = one_rank(0, 2, {});
  whole.program = "/bin/a\x1b[2Jb\n";
  const std::string text = format_text(whole, 5);
  EXPECT_EQ(text.substr(0, text.find('\n')), "cairn comm: a?[2Jb? on 2 ranks");
}

TEST(Summaries, MatchCommunicatorsAndPhases) {
  Summary first = one_rank(0, 4, {});
  Summary second = one_rank(1, 4, {});
  second.communicators.insert(second.communicators.begin(), {"half", "0-1", "", 3});
  second.phases[0].shares[0].communicator = 1;
  second.phases.push_back({"solve", {}, {{{1, 1}, 0, Reach::to_later, 1, {}}}, {}, {}});
  merge(first, std::move(second));
  ASSERT_EQ(first.phases.size(), 2U);
  EXPECT_EQ(first.phases[0].shares[1].communicator, 0U);
  EXPECT_EQ(first.communicators[first.phases[1].shares[0].communicator].name, "half");
}

TEST(Moments, HaveWhatCameSinceTheOneBefore) {
  History history;
  history.start();
  history.take({Volume{3, 30}, Volume{}, Volume{1, 1}});
  history.take({Volume{5, 70}, Volume{2, 8}, Volume{1, 1}}, Moment::end);
  ASSERT_EQ(history.moments().size(), 2U);
  const Moment& last = history.moments()[1];
  EXPECT_EQ(last.number, Moment::end);
  EXPECT_EQ(last.sums[sum_p2p].bytes, 40U);
  EXPECT_EQ(last.sums[sum_osc].messages, 2U);
  EXPECT_EQ(last.sums[sum_coll].messages, 0U);
}

TEST(Moments, OfAllRanksOfANodeHaveOneOrigin) {
  History history;
  history.start();
  history.take({Volume{1, 1}, Volume{}, Volume{}});
  const std::uint64_t before = history.moments()[0].microseconds;
  history.count_from(history.started() - 5'000'000);  // another rank was there 5 ms before
  EXPECT_EQ(history.moments()[0].microseconds, before + 5000);
}

TEST(Moments, AreFewHoweverManySnapshotsThereAre) {
  History history;
  for (std::uint64_t i = 1; i <= 10'000; ++i) history.take({Volume{i, 2 * i}, Volume{}, Volume{}});
  EXPECT_LE(history.moments().size(), History::most);
  Volume sum;
  std::uint32_t before = 0;
  for (const Moment& one : history.moments()) {
    EXPECT_GT(one.number, before);
    before = one.number;
    sum.add(one.sums[sum_p2p]);
  }
  EXPECT_EQ(before, 10'000U);
  EXPECT_EQ(sum.messages, 10'000U);
  EXPECT_EQ(sum.bytes, 20'000U);
}

TEST(Moments, OfRanksAreAddedByNumber) {
  Summary first = one_rank(0, 2, {});
  Summary second = one_rank(1, 2, {});
  first.moments = {{1, 1'500'000, 1, {Volume{1, 10}}}, {Moment::end, 3'000'000, 1, {Volume{2, 20}}}};
  second.moments = {{1, 1'000'000, 1, {Volume{4, 40}}}, {2, 1'200'000, 1, {Volume{8, 80}}}};
  merge(first, cairn::unpack<Summary>(cairn::pack(second)));
  const auto rows = nlohmann::json::parse(file_text(first)).at("moments");
  EXPECT_EQ(rows.dump(), R"([[1,1.5,2,5,50,0,0,0,0],[2,1.5,1,8,80,0,0,0,0],["end",3.0,1,2,20,0,0,0,0]])");
}

TEST(Matrices, HaveWhatGoesToAllInEveryPair) {
  Summary whole = one_rank(0, 3, {{{5, 500}, 0, 2, {}}});
  const std::map<std::string, std::string> files = matrices(whole);
  EXPECT_EQ(files.size(), 8U);
  const auto numbers = [&](const char* file) { return files.at(file).substr(files.at(file).find("\n3 3 ") + 1); };
  EXPECT_EQ(numbers("p2p.bytes.mtx"), "3 3 1\n1 3 500\n");
  EXPECT_EQ(numbers("osc.bytes.mtx"), "3 3 0\n");
  EXPECT_EQ(numbers("coll.messages.mtx"), "3 3 2\n1 2 2\n1 3 2\n");
  EXPECT_EQ(numbers("total.bytes.mtx"), "3 3 2\n1 2 20\n1 3 520\n");
}

TEST(Matrices, OfGroupsThatFaceEachOther) {
  Summary whole = one_rank(0, 4, {});
  whole.communicators = {{"", "0-1", "2-3", 1}};
  whole.phases[0].shares = {{{1, 7}, 0, Reach::to_all, 2, {}}, {{1, 9}, 0, Reach::from_all, 0, {}}};
  const std::string text = matrices(whole).at("coll.bytes.mtx");
  EXPECT_EQ(text.substr(text.find("\n4 4 ") + 1), "4 4 3\n3 1 16\n3 2 7\n4 1 9\n");
}

/// One rank of a grid of 64 by 32 by 4 that exchange with six neighbors, and a barrier of all.
Summary one_of_grid(int rank) {
  constexpr int ranks = 8192;
  std::vector<Flow> flows;
  for (const int step : {1, 64, 2048})
    for (const int to : {(rank + step) % ranks, (rank + ranks - step) % ranks})
      flows.push_back({{100, 100'000}, rank, to, {{10, 100}}});
  Summary one = one_rank(rank, ranks, flows);
  one.nodes[0].name = "node" + std::to_string(rank / 64);
  return one;
}

/// Merged by halves, as the tool does.
Summary grid(int first, int count) {
  if (count == 1) return one_of_grid(first);
  Summary whole = grid(first, count / 2);
  merge(whole, cairn::unpack<Summary>(cairn::pack(grid(first + count / 2, count - count / 2))));
  return whole;
}

TEST(Matrices, OfManyRanksStaySparse) {
  const Summary whole = grid(0, 8192);
  const std::map<std::string, std::string> files = matrices(whole);
  EXPECT_NE(files.at("p2p.bytes.mtx").find("\n8192 8192 49152\n"), std::string::npos);
  EXPECT_NE(files.at("total.bytes.mtx").find("without the collective calls"), std::string::npos);
  const nlohmann::json json = nlohmann::json::parse(file_text(whole));
  EXPECT_EQ(json["phases"][0]["p2p"].size(), 49'152U);
  EXPECT_EQ(json["nodes"].size(), 128U);
  EXPECT_EQ(json["nodes"][1]["ranks"], "64-127");
}

/// The report's sums by rank and by group against going over all pairs.
TEST(Shares, AddUpTheSameByRankAndByPair) {
  const auto json = cairn::formats::Json::parse(R"({"ranks": 6, "communicators": [
    {"members": "5,3,1,0"}, {"members": "0,2", "remote": "1,3-5"}], "phases": [{"name": "", "coll_shared": [
    [0, "to_all", 3, 1, 10, []], [0, "to_later", 5, 2, 7, []], [0, "to_later", 1, 1, 3, []], [0, "to_later", 0, 4, 1, []],
    [1, "to_all", 0, 1, 100, []], [1, "from_all", 4, 1, 1000, []]]}]})");
  using cairn::report::comm::Volume;
  const cairn::report::comm::Data data(cairn::formats::read_comm(json));
  std::vector<Volume> sent(6), received(6);
  add_by_rank(data, data.phases[0], cairn::report::comm::coll, sent, received);
  std::vector<double> rows(6), columns(6);
  double halves = 0;
  for_each_flow(data, data.phases[0], cairn::report::comm::coll, {0, 1, 2, 3, 4, 5}, 6,
                [&](int from, int to, const Volume& volume) {
                  rows[static_cast<std::size_t>(from)] += volume.bytes;
                  columns[static_cast<std::size_t>(to)] += volume.bytes;
                });
  for_each_flow(data, data.phases[0], cairn::report::comm::coll, {0, 0, 0, 1, 1, 1}, 2,
                [&](int, int, const Volume& volume) { halves += volume.bytes; });
  EXPECT_EQ(rows, (std::vector<double>{400 + 1000, 3, 1000, 30, 0, 21}));
  EXPECT_EQ(columns, (std::vector<double>{10 + 7 + 3, 10 + 7 + 100, 0, 7 + 100, 100 + 2000, 10 + 100}));
  EXPECT_EQ(halves, 400 + 1000 + 3 + 1000 + 30 + 21);
  for (std::size_t i = 0; i < 6; ++i) {
    EXPECT_EQ(sent[i].bytes, rows[i]);
    EXPECT_EQ(received[i].bytes, columns[i]);
  }
}

}  // namespace
}  // namespace comm
