// SPDX-License-Identifier: BSD-3-Clause
// live_traffic_test.cc - boards written as tools write them, and the matrix that is made of them

#include <nlohmann/json.hpp>
#include <random>

#include "comm/traffic.hpp"
#include "formats/comm_cells.hpp"
#include "live/board_reader.hpp"
#include "live/traffic.hpp"
#include "live/watched.hpp"
#include "shared/board.hpp"
#include "where_pages.hpp"

namespace cairn::live {
namespace {

using formats::comm::CellFigures;
using formats::comm::Kind;
using formats::comm::Published;
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
      board.add(static_cast<std::uint32_t>(Published::communicator), slot, text.size(),
                [&](void* room) { std::memcpy(room, text.data(), text.size()); });
    }
    for (const CellFigures& cell : cells)
      board.add(static_cast<std::uint32_t>(Published::cell), 0, sizeof cell,
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
