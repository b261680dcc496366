// SPDX-License-Identifier: BSD-3-Clause
// live_policies_test.cc - what a policy does on several ranks, as boards tell it

#include <nlohmann/json.hpp>
#include <random>

#include "formats/policy_board.hpp"
#include "live/policies.hpp"
#include "shared/board.hpp"
#include "where_pages.hpp"

namespace cairn::live {
namespace {

using Json = nlohmann::json;
using PolicyKind = formats::policy::Published;

class LivePolicies : public where::Where {
 protected:
  std::string board_of(int rank) { return folder_ + "/" + std::to_string(rank) + ".policy"; }
  shared::Board& make_rank(int rank, int size) {
    make(rank, size, [](Page&) {});
    shared::Board& board = *boards_.emplace_back(std::make_unique<shared::Board>());
    board.create_file(board_of(rank));
    add<char[1]>(board, PolicyKind::policy, "", std::string("my.policy") + '\0');
    return board;
  }
  /// `figures`, then texts.
  template <class Figures>
  void add(shared::Board& board, PolicyKind what, const auto& figures, const std::string& texts) {
    const std::size_t size = what == PolicyKind::policy ? 0 : sizeof(Figures);
    board.add(static_cast<std::uint32_t>(what), 0, size + texts.size(), [&](void* room) {
      std::memcpy(room, static_cast<const void*>(&figures), size);
      std::memcpy(static_cast<char*>(room) + size, texts.data(), texts.size());
    });
  }
  void add_rule(shared::Board& board, const std::string& title, std::uint64_t looks) {
    const std::uint64_t figures[4] = {looks, 2, 1, 0};
    add<formats::policy::LookFigures>(board, PolicyKind::rule, figures, title + '\0');
  }
  void add_event(shared::Board& board, double first, double last, std::uint64_t times, const std::string& to) {
    struct {
      double first, last;
      std::uint64_t times;
    } const figures{first, last, times};
    add<formats::policy::EventFigures>(
        board, PolicyKind::event, figures,
        std::string("rule") + '\0' + "set" + '\0' + "limit" + '\0' + "1" + '\0' + to + '\0' + "" + '\0');
  }
  void look() {
    std::vector<std::string> damaged;
    const auto jobs = where::read_jobs(where::pages_in(folder_), damaged);
    policies_.look(jobs.front(), problems_);
  }
  Json seen() const {
    formats::JsonWriter json(0);
    policies_.put(json);
    return Json::parse(json.take());
  }

  std::vector<std::unique_ptr<shared::Board>> boards_;
  std::vector<std::string> problems_;
  Policies policies_;
};

TEST_F(LivePolicies, WhatRanksDoAlikeIsOneLineAndTheLatestComesFirst) {
  where::Where::make(2, 3, [](Page&) {});
  look();
  EXPECT_FALSE(policies_.is_known());
  shared::Board& first = make_rank(0, 3);
  shared::Board& second = make_rank(1, 3);
  add_rule(first, "Limit", 5);
  add_rule(second, "Limit", 7);
  add_event(first, 10, 20, 2, "2");
  add_event(second, 9, 11, 3, "2");
  add_event(second, 30, 30, 1, "4");
  look();
  ASSERT_TRUE(policies_.is_known());
  EXPECT_EQ(seen(), Json::parse(R"({"file": "my.policy", "dry_run": false,
    "rules": [{"title": "Limit", "looks": 12, "held": 4, "acted": 2, "taken_back": 0}],
    "events": [{"first": 30, "last": 30, "times": 1, "ranks": "1", "rule": "rule", "what": "set limit: 1 -> 4"},
               {"first": 9, "last": 20, "times": 5, "ranks": "0-1", "rule": "rule", "what": "set limit: 1 -> 2"}]})"));
  std::filesystem::remove(board_of(1));
  look();
  EXPECT_EQ(seen()["rules"][0]["looks"], 12) << "what a rank did that has ended stays";
}

TEST_F(LivePolicies, OnlyTheLatestEventsAreTold) {
  shared::Board& board = make_rank(0, 1);
  for (int i = 0; i < 300; ++i) add_event(board, i, i, 1, std::to_string(i));
  look();
  EXPECT_EQ(seen()["events"].size(), 50U);
  EXPECT_EQ(seen()["events"][49]["first"], 250);
}

TEST_F(LivePolicies, DamagedBoardsDoNoHarm) {
  shared::Board& board = make_rank(0, 1);
  add_rule(board, "Limit", 5);
  add_event(board, 10, 20, 2, "2");
  const std::string whole = read(board_of(0)).substr(0, 400);
  std::mt19937 random(4);
  for (int i = 0; i < 500; ++i) {
    std::string damaged = whole.substr(0, i % 3 == 0 ? random() % whole.size() : whole.size());
    for (int j = 0; j < 6 && !damaged.empty(); ++j) damaged[random() % damaged.size()] = static_cast<char>(random());
    write(board_of(0), damaged);
    look();
    if (!policies_.is_known()) continue;
    EXPECT_TRUE(seen().is_object());
  }
}

}  // namespace
}  // namespace cairn::live
