// SPDX-License-Identifier: BSD-3-Clause
// live_controls_test.cc - orders to ranks by their boards, and what is made of their answers

#include <nlohmann/json.hpp>
#include <random>

#include "formats/policy_board.hpp"
#include "formats/steer_board.hpp"
#include "live/controls.hpp"
#include "live/orders.hpp"
#include "live/watched.hpp"
#include "shared/board.hpp"
#include "where/sent_pages.hpp"
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
    ControlFigures* limit = nullptr;
  };

  std::string board_of(int rank) { return folder_ + "/" + std::to_string(rank) + ".controls"; }
  Rank& make_rank(int rank, int size) {
    make(rank, size, [](Page&) {});
    Rank& made = *ranks_.emplace_back(std::make_unique<Rank>());
    made.board.create_file(board_of(rank));
    made.mailbox = static_cast<Mailbox*>(made.board.add(static_cast<std::uint32_t>(Published::mailbox), 0,
                                                        sizeof(Mailbox), [](void* room) { new (room) Mailbox{}; }));
    made.limit = add_control(made.board, "limit", 0);
    add_control(made.board, "same", 1);
    return made;
  }
  static ControlFigures* add_control(shared::Board& board, const std::string& name, std::uint32_t only_together) {
    const std::string texts = name + '\0' + "int" + '\0' + "local" + '\0' + "what it is" + '\0' + "off, on" + '\0';
    return static_cast<ControlFigures*>(board.add(
        static_cast<std::uint32_t>(Published::control), 0, sizeof(ControlFigures) + texts.size(), [&](void* room) {
          auto* const made = new (room) ControlFigures{only_together, 0, "7", 0};
          std::memcpy(static_cast<void*>(made + 1), texts.data(), texts.size());
        }));
  }
  formats::policy::Mailbox* add_policy_box(int rank) {
    shared::Board& board = *policies_.emplace_back(std::make_unique<shared::Board>());
    board.create_file(folder_ + "/" + std::to_string(rank) + ".policy");
    using formats::policy::Mailbox;
    return static_cast<Mailbox*>(board.add(static_cast<std::uint32_t>(formats::policy::Published::mailbox), 0,
                                           sizeof(Mailbox), [](void* room) { new (room) Mailbox{}; }));
  }
  static void answer(Rank& rank, Outcome outcome, const char* text) {
    std::strcpy(rank.mailbox->answer, text);
    rank.mailbox->outcome = outcome;
    rank.mailbox->answered = rank.mailbox->asked.load();
  }
  void look(bool all_heard = true) {
    std::vector<std::string> damaged;
    const auto jobs = where::read_jobs(where::pages_in(folder_), damaged);
    problems_.clear();
    controls_.look(jobs.front(), jobs.front().processes.front().size, ++time_, problems_, all_heard);
  }
  /// As if all ranks were on another node.
  void look_from_afar() {
    sent_.add(sender_.lines(where::pages_in(folder_)));
    std::vector<where::Process> processes;
    for (const where::SentPage& page : sent_.senders().at("far").pages)
      processes.push_back(where::PageReader().read(page));
    std::vector<std::string> damaged;
    const auto jobs = where::read_jobs({}, damaged, 4096, std::move(processes));
    controls_.look(jobs.front(), jobs.front().processes.front().size, ++time_, problems_);
  }
  std::string page_of(int rank) const { return folder_ + "/" + std::to_string(rank) + ".page"; }
  Json changes() const {
    formats::JsonWriter json(0);
    controls_.put_changes(json);
    return Json::parse(json.take());
  }

  std::vector<std::unique_ptr<Rank>> ranks_;
  std::vector<std::unique_ptr<shared::Board>> policies_;
  Controls controls_;
  double time_ = 0;
  std::vector<std::string> problems_;
  where::PageSender sender_{"far", 64, {board::controls, board::policy}};
  where::SentPages sent_{true};
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

TEST_F(LiveControls, AValueThatIsHalfWrittenIsShownAsItWasBefore) {
  ControlFigures& limit = *make_rank(0, 1).limit;
  const auto shown = [&] {
    look();
    return Json::parse(controls_.json())[0]["now"];
  };
  limit.put("abc");
  EXPECT_EQ(shown(), Json::parse(R"([["abc", "0"]])"));
  limit.begun = limit.begun + 1;
  formats::put_text(limit.value, "xy");
  EXPECT_EQ(shown(), Json::parse(R"([["abc", "0"]])"));
  limit.put("xyz");
  EXPECT_EQ(shown(), Json::parse(R"([["xyz", "0"]])"));
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
            "rank 0 has not answered the previous order: it has reached no safe point since");
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

TEST_F(LiveControls, ARankThatHasEndedAnswersNoMore) {
  make_rank(0, 3);
  make_rank(1, 3);
  make_rank(2, 3);
  look();
  EXPECT_EQ(controls_.order("limit", "on", ""), "");
  std::filesystem::remove(board_of(0));  // it has finalized MPI
  std::filesystem::remove(page_of(1));
  look(false);
  EXPECT_EQ(changes()[0]["waiting"], "1-2") << "another node may only be out of reach";
  look();
  EXPECT_EQ(changes()[0]["waiting"], "2");
  controls_.end();
  EXPECT_EQ(changes()[0]["refused"],
            Json::parse(R"([["0-2", "it ended, or finalized MPI, before it reached a safe point"]])"));
  EXPECT_EQ(controls_.order("limit", "on", ""), "rank 0 is not here, or without the tool 'steer'");
}

TEST(LiveMailbox, AnOrderIsCopiedAndAValueWithoutAnEndEndsWithItsRoom) {
  Mailbox mailbox{};
  mailbox.asked = 3;
  mailbox.control = 7;
  formats::put_text(mailbox.value, "on");
  formats::OrderCopy order = formats::copy_of_order(mailbox);
  mailbox.control = 8;
  EXPECT_EQ(std::tuple(order.number, order.control, order.value), std::tuple(3U, 7U, "on"));
  std::memset(mailbox.value, 'x', sizeof mailbox.value);
  std::memset(mailbox.answer, 'y', sizeof mailbox.answer);
  order = formats::copy_of_order(mailbox);
  EXPECT_EQ(order.value, std::string(sizeof mailbox.value, 'x'));
}

// ------------------------------------------------------------ policies

TEST_F(LiveControls, APolicyGoesToAllRanks) {
  EXPECT_EQ(controls_.give_policy("a", "rules"),
            "no policy can be given: the job has no tool 'policy' that waits for one");
  make_rank(0, 2);
  make_rank(1, 2);
  auto* const first = add_policy_box(0);
  look();
  EXPECT_EQ(controls_.give_policy("a", "rules"), "rank 1 is not here, or without the tool 'policy'");
  auto* const second = add_policy_box(1);
  look();
  EXPECT_EQ(controls_.give_policy("a\nb", "rules"), "the name of a policy is a line of at most 255 characters");
  for (const std::string& text : {std::string(16384, 'x'), std::string("\x01"), std::string(1, '\0')})
    EXPECT_EQ(controls_.give_policy("a", text), "a policy has at most 16127 characters");
  EXPECT_EQ(first->asked, 0U);
  const std::string text = "rule\n\t\"r\"\r\n\\n" + std::string(16000, 'x');
  EXPECT_EQ(controls_.give_policy("my policy", text), "");
  for (const auto* box : {first, second}) {
    EXPECT_EQ(box->asked, 1U);
    EXPECT_EQ(box->value, "my policy\n" + text);
  }
  EXPECT_EQ(controls_.give_policy("b", "rules"),
            "rank 0 has not answered the previous order: it has reached no safe point since");
  for (auto* const box : {first, second}) {
    std::strcpy(box->answer, "not now");
    box->outcome = box == first ? Outcome::set : Outcome::refused;
    box->answered = 1;
  }
  look();
  EXPECT_EQ(changes(), Json::parse(R"([{"time": 2, "name": "policy", "value": "my policy", "waiting": "", "set": "0",
                                        "refused": [["1", "not now"]]}])"));
}

TEST_F(LiveControls, APolicyIsTakenOnceTheRunsFolderIsKnownByWhichItIsChecked) {
  Watched watched(nullptr, 1, 1);
  const auto look_at_it = [&] {
    std::vector<std::string> damaged;
    watched.look(where::read_jobs(where::pages_in(folder_), damaged), {}, ++time_);
  };
  make(0, 1, [](Page&) {});
  const auto* const box = add_policy_box(0);
  look_at_it();
  EXPECT_FALSE(Json::parse(watched.state_json(0))["takes_policies"]);
  EXPECT_EQ(watched.give_policy("a", "rules"), "the job's stack is not known yet\n  try: again in a second");
  make(0, 1, [](Page& page) { std::strcpy(page.header().folder, "/of/the/run"); });
  look_at_it();
  EXPECT_TRUE(Json::parse(watched.state_json(0))["takes_policies"]);
  EXPECT_EQ(watched.give_policy("a", "rules"), "");
  EXPECT_EQ(box->value, std::string("a\nrules"));
}

TEST_F(LiveControls, APolicyToAnotherNodeIsALine) {
  make_rank(0, 1);
  auto* const box = add_policy_box(0);
  look_from_afar();
  EXPECT_EQ(controls_.give_policy("a b", "rule\n\t\"r\"\r\n\\n"), "");
  const std::string line = controls_.orders_under_way().at("far");
  EXPECT_EQ(line, R"(cairn-order 1 far 0.page 1 policy a b\nrule\n\t"r"\r\n\\n)"
                  "\n");
  const std::optional<Order> order = order_of(line.substr(0, line.size() - 1));
  ASSERT_TRUE(order);
  EXPECT_EQ(order->value, "a b\nrule\n\t\"r\"\r\n\\n");
  EXPECT_TRUE(give(page_of(0), *order));
  EXPECT_FALSE(give(page_of(0), *order));
  EXPECT_EQ(box->value, order->value);
  for (const std::string damaged : {R"(a\)", R"(a\x)", "a\x01"})
    EXPECT_FALSE(order_of("cairn-order 1 far 0.page 1 policy " + damaged)) << damaged;
  EXPECT_FALSE(order_of("cairn-order 1 far 0.page 1 policy " + std::string(16384, 'x')));
  EXPECT_FALSE(order_of("cairn-order 1 far 0.page 1 policie x"));
  look_from_afar();
  EXPECT_EQ(controls_.orders_under_way().size(), 0U);
}

// ------------------------------------------------------------ on other nodes

TEST_F(LiveControls, AnOrderToAnotherNodeIsUnderWayUntilItHasCome) {
  Rank& first = make_rank(0, 2);
  Rank& second = make_rank(1, 2);
  look_from_afar();
  EXPECT_EQ(controls_.order("limit", "a b", "1"), "");
  const std::map<std::string, std::string> under_way{{"far", "cairn-order 1 far 1.page 1 0 a b\n"}};
  EXPECT_EQ(controls_.orders_under_way(), under_way);
  EXPECT_EQ(second.mailbox->asked, 0U) << "who gives it is the other node";
  EXPECT_EQ(controls_.order("limit", "2", "1"),
            "rank 1 has not answered the previous order: it has reached no safe point since");
  look_from_afar();
  EXPECT_EQ(controls_.orders_under_way(), under_way) << "it may have been lost";

  const std::optional<Order> order = order_of("cairn-order 1 far 1.page 1 0 a b");
  ASSERT_TRUE(order);
  EXPECT_TRUE(give(page_of(1), *order));
  EXPECT_FALSE(give(page_of(1), *order)) << "it came twice";
  EXPECT_EQ(second.mailbox->asked, 1U);
  EXPECT_STREQ(second.mailbox->value, "a b");
  EXPECT_EQ(first.mailbox->asked, 0U);
  look_from_afar();
  EXPECT_EQ(controls_.orders_under_way().size(), 0U);
  EXPECT_EQ(changes()[0]["waiting"], "1");
  answer(second, Outcome::refused, "not now");
  look_from_afar();
  EXPECT_EQ(changes()[0]["refused"], Json::parse(R"([["1", "not now"]])"));
  EXPECT_EQ(controls_.order("same", "2", ""), "");
  EXPECT_EQ(controls_.orders_under_way().at("far"), "cairn-order 1 far 0.page 1 1 2\ncairn-order 1 far 1.page 2 1 2\n");
}

TEST_F(LiveControls, AnOrderThatAnotherOneCameBeforeIsToldAsRefused) {
  Rank& rank = make_rank(0, 1);
  look_from_afar();
  EXPECT_EQ(controls_.order("limit", "1", ""), "");
  EXPECT_TRUE(give(page_of(0), {"far", "0.page", 1, 0, "of another page"}));
  answer(rank, Outcome::set, "of another page");
  EXPECT_FALSE(give(page_of(0), {"far", "0.page", 1, 0, "1"}));
  look_from_afar();
  EXPECT_EQ(changes()[0]["refused"], Json::parse(R"([["0", "another order came before it"]])"));
  EXPECT_EQ(controls_.order("limit", "2", ""), "");
}

TEST_F(LiveControls, LinesThatAreNoOrdersAreNone) {
  const std::string longest(255, 'x');
  EXPECT_EQ(order_of("cairn-order 1 far 1.page 18446744073709551615 4294967295 " + longest)->value, longest);
  EXPECT_EQ(order_of("cairn-order 1 far 1.page 1 0 ")->value, "");
  EXPECT_EQ(order_of("cairn-order 1 far 1.page 1 0")->value, "");
  for (const std::string line :
       {"", "cairn-order", "cairn-order 2 far 1.page 1 0 x", "cairn-pages 1 far 1.page 1 0 x", "cairn-order 1 far",
        "cairn-order 1 far 1.page", "cairn-order 1 far  1 0 x", "cairn-order 1 far 1.page -1 0 x",
        "cairn-order 1 far 1.page 1 4294967296 x", "cairn-order 1 far 1.page 18446744073709551616 0 x",
        "cairn-order 1 far 1.page 1x 0 x", "cairn-order 1 far 1.page 1 0 a\tb"})
    EXPECT_FALSE(order_of(line)) << line;
  EXPECT_FALSE(order_of("cairn-order 1 far 1.page 1 0 x" + longest));
  EXPECT_FALSE(order_of(std::string("cairn-order 1 far 1.page 1 0 a\0b", 32)));
}

/// Whatever comes, no more of a board changes than its mailbox.
TEST_F(LiveControls, DamagedOrdersAndBoardsDoNoHarm) {
  make_rank(0, 1);
  const std::string whole = read(board_of(0));
  const std::string line = "cairn-order 1 far 0.page 1 0 12";
  std::mt19937 random(3);
  std::size_t given = 0;
  for (int i = 0; i < 2000; ++i) {
    std::string damaged = line.substr(0, i % 3 == 0 ? random() % line.size() : line.size());
    for (int j = 0; j < i % 4 && !damaged.empty(); ++j)
      damaged[random() % damaged.size()] = static_cast<char>(random());
    const std::optional<Order> order = order_of(damaged);
    if (!order || !give(page_of(0), *order)) continue;
    ++given;
    std::string after = read(board_of(0));
    const std::size_t mailbox = sizeof(board::Header) + sizeof(board::Entry);
    after.replace(mailbox, sizeof(Mailbox), whole.substr(mailbox, sizeof(Mailbox)));
    ASSERT_EQ(after, whole);
    write(board_of(0), whole);
  }
  EXPECT_GT(given, 400U);
  for (int i = 0; i < 200; ++i) {
    std::string damaged = whole.substr(0, i % 2 == 0 ? random() % 1400 : 1400);
    for (int j = 0; j < 6 && !damaged.empty(); ++j) damaged[random() % damaged.size()] = static_cast<char>(random());
    write(board_of(0), damaged);
    give(page_of(0), *order_of(line));
    EXPECT_EQ(std::filesystem::file_size(board_of(0)), damaged.size());
  }
  EXPECT_FALSE(give(folder_ + "/nobody.page", *order_of(line)));
}

}  // namespace
}  // namespace cairn::live
