// SPDX-License-Identifier: BSD-3-Clause
// live_traffic_test.cc - boards written as tools write them, and the matrix that is made of them

#include <algorithm>
#include <nlohmann/json.hpp>
#include <random>

#include "comm/traffic.hpp"
#include "formats/comm_cells.hpp"
#include "formats/ranks.hpp"
#include "live/board_reader.hpp"
#include "live/traffic.hpp"
#include "live/watched.hpp"
#include "shared/board.hpp"
#include "where_pages.hpp"

namespace cairn::live {
namespace {

using formats::comm::CellFigures;
using formats::comm::Kind;
using TrafficKind = formats::comm::Published;
using Json = nlohmann::json;

class LiveTraffic : public where::Where {
 protected:
  std::string board_of(int rank) { return folder_ + "/" + std::to_string(rank) + ".traffic"; }
  void make_board(int rank, const std::vector<CellFigures>& cells, const std::vector<std::string>& communicators = {}) {
    std::filesystem::remove(board_of(rank));
    shared::Board board;
    board.create_file(board_of(rank));
    for (std::size_t slot = 0; slot < communicators.size(); ++slot) {
      const std::string text = communicators[slot] + '\0';
      board.add(static_cast<std::uint32_t>(TrafficKind::communicator), slot, text.size(),
                [&](void* room) { std::memcpy(room, text.data(), text.size()); });
    }
    for (const CellFigures& cell : cells)
      board.add(static_cast<std::uint32_t>(TrafficKind::cell), 0, sizeof cell,
                [&](void* room) { std::memcpy(room, &cell, sizeof cell); });
  }
  void make_ranks(int count, int size) {
    for (int rank = 0; rank < count; ++rank) make(rank, size, [](Page&) {});
  }
  Json look(std::uint64_t after = 0) {
    std::vector<std::string> damaged;
    const auto jobs = where::read_jobs(where::pages_in(folder_), damaged);
    problems_.clear();
    traffic_.look(jobs.front(), jobs.front().processes.front().size, problems_);
    return Json::parse(traffic_.json(after));
  }

  Traffic traffic_;
  std::vector<std::string> problems_;
};

TEST_F(LiveTraffic, CellsOfAllKindsBecomeAMatrixFromSenderToReceiver) {
  make_ranks(2, 3);
  make_board(0, {{Kind::p2p, 1, 2, 20},
                 {Kind::p2p, 1, 1, 5},
                 {Kind::put, 2, 1, 7},
                 {Kind::fetched, 1, 1, 9},
                 {Kind::p2p, -1, 9, 9},
                 {Kind::read, 0, 9, 9}});
  make_board(1, {{Kind::from, 2, 1, 3}, {Kind::to_all, 0, 4, 40}, {Kind::to_later, 0, 1, 1}, {Kind::to_all, 5, 1, 1}},
             {"0-2"});
  const Json matrix = look();
  EXPECT_EQ(matrix["cells"],
            Json::parse("[[0,0,1,3,25],[1,0,2,1,7],[1,1,0,1,9],[2,1,0,4,40],[2,1,2,5,41],[2,2,1,1,3]]"));
  EXPECT_EQ(matrix["published"], 2);
  EXPECT_EQ(matrix["ranks"], 3);
  EXPECT_EQ(problems_.size(), 0U);
}

TEST_F(LiveTraffic, ThePairsOfFewRanksAndTheSumsOfManyAreMetrics) {
  for (const int ranks : {2, 20}) {
    make_ranks(2, ranks);
    make_board(0, {{Kind::p2p, 1, 2, 20}, {Kind::put, 1, 1, 7}});
    make_board(1, {{Kind::p2p, 0, 1, 5}});
    Watched watched(nullptr, 1, 1);
    std::vector<std::string> damaged;
    watched.look(where::read_jobs(where::pages_in(folder_), damaged), damaged, 1);
    const std::string text = watched.open_metrics();
    for (const char* const line :
         {ranks == 2 ? "cairn_sent_messages_total{kind=\"point-to-point\",from=\"0\",to=\"1\"} 2\n"
                     : "cairn_sent_messages_total{kind=\"point-to-point\"} 3\n",
          ranks == 2 ? "cairn_sent_bytes_total{kind=\"one-sided\",from=\"0\",to=\"1\"} 7\n"
                     : "cairn_sent_bytes_total{kind=\"one-sided\"} 7\n"})
      EXPECT_NE(text.find(line), std::string::npos) << text;
  }
}

TEST_F(LiveTraffic, OnlyWhatHasChangedIsToldAgainAndRanksThatEndKeepTheirs) {
  make_ranks(2, 2);
  make_board(0, {{Kind::p2p, 1, 2, 20}});
  make_board(1, {{Kind::p2p, 0, 1, 1}});
  EXPECT_EQ(look()["cells"].size(), 2U);
  make_board(0, {{Kind::p2p, 1, 3, 30}});
  std::filesystem::remove(board_of(1));
  EXPECT_EQ(look(1)["cells"], Json::parse("[[0,0,1,3,30]]"));
  EXPECT_EQ(Json::parse(traffic_.json(0))["cells"].size(), 2U);
  EXPECT_EQ(Json::parse(traffic_.json(2))["cells"].size(), 0U);
}

TEST_F(LiveTraffic, ManyRanksAreTakenTogether) {
  make_ranks(1, 1000);
  std::vector<CellFigures> cells;
  for (int to = 1; to < 1000; ++to) cells.push_back({Kind::p2p, to, 1, 10});
  make_board(0, cells);
  const Json matrix = look();
  EXPECT_EQ(matrix["block"], 16);
  EXPECT_EQ(matrix["cells"].size(), 63U);
  EXPECT_EQ(matrix["cells"][1], Json::parse("[0,0,1,16,160]"));
}

/// Pair by pair, as the matrix must not do it.
class Pairs {
 public:
  Pairs(int size, int block) : size_(size), block_(block) {}
  void add(const CellFigures& cell, int own, const std::vector<formats::comm::Communicator>& communicators) {
    const bool is_of_all = formats::comm::is_of_communicator(cell.kind);
    if (cell.kind == Kind::p2p) add(0, own, cell.number, cell);
    if (!is_of_all || static_cast<std::size_t>(cell.number) >= communicators.size()) return;
    formats::comm::Share share;
    share.rank = own;
    share.reach = static_cast<formats::comm::Reach>(static_cast<int>(cell.kind) - static_cast<int>(Kind::to_all));
    const bool is_from = cell.kind == Kind::from_all;
    for (const int other : partners(communicators[static_cast<std::size_t>(cell.number)], share))
      if (other >= 0) add(2, is_from ? other : own, is_from ? own : other, cell);
  }
  Json cells() const {
    Json all = Json::array();
    for (const auto& [place, volume] : sums_)
      all.push_back({place[0], place[1], place[2], volume.messages, volume.bytes});
    return all;
  }

 private:
  void add(int kind, int from, int to, const CellFigures& cell) {
    if (from < size_ && to < size_) sums_[{kind, from / block_, to / block_}].add({cell.messages, cell.bytes});
  }
  int size_, block_;
  std::map<std::array<int, 3>, formats::comm::Volume> sums_;
};

/// Every third of a number of ranks, from some rank on; in any order, also with processes outside.
std::string some_ranks(std::mt19937& random, int size) {
  std::vector<int> ranks;
  for (int rank = static_cast<int>(random() % 5); rank < size + 3; rank += static_cast<int>(random() % 4) + 1)
    ranks.push_back(random() % 20 == 0 ? -1 : rank);
  if (random() % 2 == 0) std::ranges::shuffle(ranks, random);
  return formats::ranks_text(ranks);
}

TEST_F(LiveTraffic, WhatGoesToAllOfACommunicatorIsWhatGoesToEach) {
  constexpr int size = 150;
  std::mt19937 random(5);
  for (int round = 0; round < 20; ++round) {
    std::vector<formats::comm::Communicator> communicators(3);
    for (auto& one : communicators) one.processes = some_ranks(random, size);
    if (round % 2 == 0) communicators[2].remote = some_ranks(random, size);
    std::vector<std::string> texts;
    for (const auto& one : communicators) texts.push_back(one.processes + '\0' + one.remote);
    make_ranks(20, size);
    Pairs pairs(size, 3);
    for (int rank = 0; rank < 20; ++rank) {
      std::vector<CellFigures> cells{{Kind::p2p, rank + 1, 1, random() % 100}};
      for (int slot = 0; slot < 4; ++slot)
        for (const Kind kind : {Kind::to_all, Kind::to_later, Kind::from_all})
          cells.push_back({kind, slot, random() % 9 + 1, random() % 1000});
      make_board(rank, cells, texts);
      for (const CellFigures& cell : cells) pairs.add(cell, rank, communicators);
    }
    traffic_ = {};
    EXPECT_EQ(look()["cells"], pairs.cells());
  }
}

TEST_F(LiveTraffic, ManyRanksThatSendToAllCostNoMoreThanTheirNumberAndADamagedListEnds) {
  constexpr int size = 400'000;
  make_ranks(200, size);
  for (int rank = 0; rank < 200; ++rank)
    make_board(rank, {{Kind::to_all, 0, 1, 8}, {Kind::to_all, 1, 1, 8}}, {"0-399999", "0-2147483646"});
  const Json cells = look()["cells"];
  ASSERT_EQ(cells.size(), 64U);
  EXPECT_EQ(cells[0], Json::parse("[2,0,0,2499600,19996800]"));  // 6,249 others for 200 ranks, twice
  EXPECT_EQ(cells[1], Json::parse("[2,0,1,2500000,20000000]"));
}

TEST_F(LiveTraffic, WhatAnotherProcessWritesToABoardDoesNotLeadItsOwnerAstray) {
  shared::Board board;
  board.create_file(board_of(0));
  for (int i = 0; i < 3; ++i) {
    void* const room = board.add(1, 1, 100, [](void* made) {
      auto* const entry = static_cast<board::Entry*>(made) - 1;
      entry->size = 0xfffffff0U;  // at the worst moment
    });
    ASSERT_NE(room, nullptr);
    std::memset(room, 7, 100);
  }
  EXPECT_EQ(read(board_of(0)).substr(sizeof(board::Header) + 2 * 128 + sizeof(board::Entry), 100),
            std::string(100, '\7'));
}

TEST_F(LiveTraffic, ABoardGrowsAndTellsWhatItHadNoRoomFor) {
  make_ranks(1, 4);
  shared::Board board;
  board.create_file(board_of(0));
  const auto add = [&](std::size_t size) { return board.add(7, 1, size, [](void*) {}); };
  for (int i = 0; i < 3000; ++i) EXPECT_NE(add(600), nullptr);
  EXPECT_EQ(add(1U << 22U), nullptr);
  const BoardReader reader(board_of(0));
  int seen = 0;
  reader.for_each([&](std::uint32_t what, std::uint64_t number, std::span<const char> content) {
    EXPECT_EQ(what, 7U);
    EXPECT_EQ(number, 1U);
    EXPECT_EQ(content.size(), 608U);
    ++seen;
  });
  EXPECT_EQ(seen, 3000);
  EXPECT_EQ(reader.lost(), 1U);
  EXPECT_EQ(look()["lost"], 1);
}

TEST_F(LiveTraffic, CellsOfCommAreOnTheBoardWhereTheyAreCounted) {
  make_ranks(1, 4);
  shared::Board board;
  board.create_file(board_of(0));
  comm::publish_cells(&board);
  {
    comm::Traffic counted(0);
    comm::Cell& cell = *counted.at({Kind::p2p, 3});
    cell.add(100);
    EXPECT_EQ(look()["cells"], Json::parse("[[0,0,3,1,100]]"));
    cell.add(11);
    EXPECT_EQ(look()["cells"], Json::parse("[[0,0,3,2,111]]"));
    comm::publish_cells(nullptr);
    counted.at({Kind::p2p, 2})->add(1);  // in memory of its own
    EXPECT_EQ(look()["cells"].size(), 1U);
  }
  board.remove();
  EXPECT_FALSE(std::filesystem::exists(board_of(0)));
}

TEST_F(LiveTraffic, WithoutAFileThereIsNoRoom) {
  shared::Board board;
  board.create_file(folder_ + "/no/board");
  EXPECT_EQ(board.add(1, 1, 1, [](void*) {}), nullptr);
  board.create(board::traffic, 1);  // this process has no page
  EXPECT_EQ(board.add(1, 1, 1, [](void*) {}), nullptr);
}

TEST_F(LiveTraffic, DamagedBoardsDoNoHarm) {
  make_ranks(1, 4);
  make_board(0, {{Kind::p2p, 1, 2, 20}, {Kind::to_all, 0, 1, 1}, {Kind::coll, 1, 2, 20}}, {"0-3"});
  const std::string whole = read(board_of(0)).substr(0, 512);
  std::mt19937 random(1);
  for (int i = 0; i < 300; ++i) {
    std::string damaged = whole.substr(0, i % 3 == 0 ? random() % whole.size() : whole.size());
    for (int j = 0; j < 6 && !damaged.empty(); ++j)
      damaged[random() % std::min<std::size_t>(damaged.size(), 300)] = static_cast<char>(random());
    write(board_of(0), damaged);
    EXPECT_TRUE(look().is_object());
  }
  std::string other = whole;
  other[8] = 9;
  write(board_of(0), other);
  look();
  EXPECT_EQ(problems_,
            std::vector<std::string>{"'" + board_of(0) +
                                     "' was written by another version of Cairn (layout 9, this one reads 1)"});
}

}  // namespace
}  // namespace cairn::live
