// SPDX-License-Identifier: BSD-3-Clause
// live_controls_test.cc - orders to ranks by their boards, and what is made of their answers

#include <nlohmann/json.hpp>
#include <random>

#include "formats/steer_board.hpp"
#include "live/controls.hpp"
#include "shared/board.hpp"
#include "where_pages.hpp"

namespace cairn::live {
namespace {

using formats::steer::ControlFigures;
using formats::steer::Mailbox;
using formats::steer::Outcome;
using formats::steer::Published;
using Json = nlohmann::json;

class LiveControls : public where::Where {
 protected:
  struct Rank {
    shared::Board board;
    Mailbox* mailbox = nullptr;
  };

  std::string board_of(int rank) { return folder_ + "/" + std::to_string(rank) + ".controls"; }
  Rank& make_rank(int rank, int size) {
    make(rank, size, [](Page&) {});
    Rank& made = *ranks_.emplace_back(std::make_unique<Rank>());
    made.board.create_file(board_of(rank));
    made.mailbox = static_cast<Mailbox*>(made.board.add(static_cast<std::uint32_t>(Published::mailbox), 0,
                                                        sizeof(Mailbox), [](void* room) { new (room) Mailbox{}; }));
    add_control(made.board, "limit", 0);
    add_control(made.board, "same", 1);
    return made;
  }
  static void add_control(shared::Board& board, const std::string& name, std::uint32_t only_together) {
    const std::string texts = name + '\0' + "int" + '\0' + "local" + '\0' + "what it is" + '\0' + "off, on" + '\0';
    board.add(static_cast<std::uint32_t>(Published::control), 0, sizeof(ControlFigures) + texts.size(),
              [&](void* room) {
                auto* const made = new (room) ControlFigures{only_together, 0, "7"};
                std::memcpy(static_cast<void*>(made + 1), texts.data(), texts.size());
              });
  }
  static void answer(Rank& rank, Outcome outcome, const char* text) {
    std::strcpy(rank.mailbox->answer, text);
    rank.mailbox->outcome = outcome;
    rank.mailbox->answered = rank.mailbox->asked.load();
  }
  void look() {
    std::vector<std::string> damaged;
    const auto jobs = where::read_jobs(where::pages_in(folder_), damaged);
    problems_.clear();
    controls_.look(jobs.front(), jobs.front().processes.front().size, ++time_, problems_);
  }
  Json changes() const {
    formats::JsonWriter json(0);
    controls_.put_changes(json);
    return Json::parse(json.take());
  }

  std::vector<std::unique_ptr<Rank>> ranks_;
  Controls controls_;
  double time_ = 0;
  std::vector<std::string> problems_;
};

TEST_F(LiveControls, AnOrderReachesTheRanksItIsForAndTheirAnswersAreTold) {
  Rank& first = make_rank(0, 3);
  Rank& second = make_rank(1, 3);
  make_rank(2, 3);
  look();
  EXPECT_EQ(Json::parse(controls_.json())[0],
            Json::parse(R"({"name": "limit", "type": "int", "scope": "local", "text": "what it is", "values": "off, on",
                            "only_together": false, "now": [["7", "0-2"]]})"));
  EXPECT_EQ(controls_.order("limit", "on", "0-1"), "");
  EXPECT_EQ(first.mailbox->asked, 1U);
  EXPECT_STREQ(second.mailbox->value, "on");
  EXPECT_EQ(ranks_[2]->mailbox->asked, 0U);
  answer(first, Outcome::set, "1");
  look();
  EXPECT_EQ(changes(),
            Json::parse(R"([{"time": 1, "name": "limit", "value": "on", "waiting": "1", "set": "0", "refused": []}])"));
  answer(second, Outcome::refused, "not now");
  look();
  EXPECT_EQ(changes()[0]["refused"], Json::parse(R"([["1", "not now"]])"));
  EXPECT_EQ(controls_.order("same", "2", ""), "");
  EXPECT_EQ(ranks_[2]->mailbox->control, 1U);
  EXPECT_EQ(problems_.size(), 0U);
}

TEST_F(LiveControls, WhatCannotBeOrderedIsToldAndChangesNothing) {
  EXPECT_EQ(controls_.order("limit", "1", ""), "there is no control variable 'limit' that can be set");
  Rank& first = make_rank(0, 2);
  look();
  EXPECT_EQ(controls_.order("same", "1", "0"), "it must be the same on all 2 ranks");
  EXPECT_EQ(controls_.order("limit", "1", ""), "rank 1 is not here, or without the tool 'steer'");
  EXPECT_EQ(controls_.order("limit", "1", "5"), "there are no such ranks");
  EXPECT_EQ(controls_.order("limit", "1", "x,-3,99999999999"), "there are no such ranks");
  EXPECT_EQ(controls_.order("limit", "a\nb", "0"), "a value is a line of at most 255 characters");
  EXPECT_EQ(controls_.order("limit", std::string(256, 'x'), "0"), "a value is a line of at most 255 characters");
  EXPECT_EQ(first.mailbox->asked, 0U);
  EXPECT_EQ(controls_.order("limit", "1", "0"), "");
  EXPECT_EQ(controls_.order("limit", "2", "0"),
            "rank 0 has not answered the order before: it has come to no safe point since");
  EXPECT_STREQ(first.mailbox->value, "1");
}

TEST_F(LiveControls, DamagedBoardsDoNoHarm) {
  make_rank(0, 1);
  const std::string whole = read(board_of(0)).substr(0, 1400);
  std::mt19937 random(1);
  for (int i = 0; i < 200; ++i) {
    std::string damaged = whole.substr(0, i % 3 == 0 ? random() % whole.size() : whole.size());
    for (int j = 0; j < 6 && !damaged.empty(); ++j) damaged[random() % damaged.size()] = static_cast<char>(random());
    write(board_of(0), damaged);
    look();
    controls_.order("limit", "1", "");
    EXPECT_TRUE(Json::parse(controls_.json()).is_array());
    EXPECT_TRUE(changes().is_array());
  }
}

}  // namespace
}  // namespace cairn::live
