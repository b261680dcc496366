// SPDX-License-Identifier: BSD-3-Clause
// live_variables_test.cc - variables of several ranks over time, as boards tell them

#include <cmath>
#include <nlohmann/json.hpp>
#include <random>

#include "formats/vars_board.hpp"
#include "live/variables.hpp"
#include "live/watched.hpp"
#include "shared/board.hpp"
#include "where_pages.hpp"

namespace cairn::live {
namespace {

using formats::vars::VariableFigures;
using Json = nlohmann::json;

class LiveVariables : public where::Where {
 protected:
  using Values = std::vector<std::pair<std::string, double>>;

  std::string board_of(int rank) { return folder_ + "/" + std::to_string(rank) + ".variables"; }
  void make_rank(int rank, int size, const Values& values) {
    make(rank, size, [](Page&) {});
    std::filesystem::remove(board_of(rank));
    shared::Board board;
    board.create_file(board_of(rank));
    for (const auto& [name, value] : values) {
      const std::string texts = name + '\0' + "counter" + '\0' + "what it is" + '\0';
      board.add(1, 0, sizeof(VariableFigures) + texts.size(), [&, of_it = value](void* room) {
        auto* const made = new (room) VariableFigures{of_it, 0, 1};
        std::memcpy(static_cast<void*>(made + 1), texts.data(), texts.size());
      });
    }
  }
  void look(double time) {
    std::vector<std::string> damaged;
    const auto jobs = where::read_jobs(where::pages_in(folder_), damaged);
    problems_.clear();
    variables_.look(jobs.front(), jobs.front().processes.front().size, time, problems_);
  }
  Json list(std::uint64_t first = 0) { return Json::parse(variables_.list_json(first)); }
  Json series(std::uint64_t variable, std::uint64_t after = 0) {
    return Json::parse(variables_.series_json(variable, after));
  }

  Variables variables_;
  std::vector<std::string> problems_;
};

TEST_F(LiveVariables, OfFewRanksEachHasItsValue) {
  make_rank(0, 3, {{"sent", 5}, {"only here", 1}});
  make_rank(2, 3, {{"sent", 7.5}, {"not yet", std::nan("")}});
  look(10);
  EXPECT_EQ(
      list()["variables"][0],
      Json::parse(R"({"name": "sent", "class": "counter", "text": "what it is", "of_tool": false, "grows": true})"));
  EXPECT_EQ(list()["values"], Json::parse("[[5, null, 7.5], [1, null, null], []]"));
  EXPECT_EQ(list(2)["variables"].size(), 1U);
  EXPECT_TRUE(list()["by_rank"]);
}

TEST_F(LiveVariables, OnlyChangesAreKeptAndTold) {
  for (const auto& [time, value] : {std::pair(10.0, 1.0), {11.0, 1.0}, {12.0, 4.0}}) {
    make_rank(0, 1, {{"sent", value}, {"still", 3}});
    look(time);
  }
  EXPECT_EQ(series(0)["points"], Json::parse("[[10, 1], [12, 4]]"));
  EXPECT_EQ(series(0, 1)["points"], Json::parse("[[12, 4]]"));
  EXPECT_EQ(series(1)["points"], Json::parse("[[10, 3]]"));
  EXPECT_EQ(series(9)["points"], Json::array());
  EXPECT_EQ(series(0)["look"], 3);
  const Json news = Json::parse(variables_.news_json(1, 2));
  EXPECT_EQ(news["changes"], Json::parse("[[0, 4]]"));
  EXPECT_EQ(news["variables"].size(), 1U);
}

TEST_F(LiveVariables, OfManyRanksTheBandIsKept) {
  for (int rank = 0; rank < 3; ++rank) make_rank(rank, 100, {{"sent", 10.0 * rank}});
  look(1);
  EXPECT_EQ(list()["values"], Json::parse("[[0, 10, 20]]"));
  EXPECT_FALSE(list()["by_rank"]);
}

TEST_F(LiveVariables, TheLatestValuesAreMetrics) {
  for (const int ranks : {2, 100}) {
    make_rank(0, ranks, {{"sent", 2}, {"a \"name\"", std::nan("")}});
    make_rank(1, ranks, {{"sent", 5}});
    Watched watched(nullptr, 1, 1);
    std::vector<std::string> damaged;
    watched.look(where::read_jobs(where::pages_in(folder_), damaged), damaged, 1);
    const std::string text = watched.open_metrics();
    EXPECT_NE(text.find(ranks == 2 ? "cairn_variable{name=\"sent\",class=\"counter\",rank=\"1\"} 5.0\n"
                                   : "cairn_variable{name=\"sent\",class=\"counter\",statistic=\"mean\"} 3.5\n"),
              std::string::npos)
        << text;
    EXPECT_EQ(text.find("a \\\"name"), std::string::npos);  // nothing is known of it
  }
}

TEST_F(LiveVariables, OldChangesGo) {
  make_rank(0, 1, {{"sent", 0}});
  VariableFigures* figures = nullptr;
  shared::Board board;
  std::filesystem::remove(board_of(0));
  board.create_file(board_of(0));
  board.add(1, 0, sizeof(VariableFigures) + 8, [&](void* room) {
    figures = new (room) VariableFigures{0.0, 0, 0};
    std::memcpy(static_cast<void*>(figures + 1), "sent\0c\0t", 8);
  });
  std::vector<std::string> damaged;
  const auto jobs = where::read_jobs(where::pages_in(folder_), damaged);
  for (std::size_t i = 0; i < Variables::most_changes + 5; ++i) {
    figures->value = static_cast<double>(i);
    variables_.look(jobs.front(), 1, static_cast<double>(i), problems_);
  }
  EXPECT_EQ(series(0)["points"].size(), Variables::most_changes);
  EXPECT_EQ(series(0)["points"][0], Json::parse("[5, 5]"));
}

TEST_F(LiveVariables, DamagedBoardsDoNoHarm) {
  make_rank(0, 2, {{"sent", 5}, {"got", 6}});
  const std::string whole = read(board_of(0)).substr(0, 256);
  std::mt19937 random(1);
  for (int i = 0; i < 300; ++i) {
    std::string damaged = whole.substr(0, i % 3 == 0 ? random() % whole.size() : whole.size());
    for (int j = 0; j < 6 && !damaged.empty(); ++j) damaged[random() % damaged.size()] = static_cast<char>(random());
    write(board_of(0), damaged);
    look(i);
    EXPECT_TRUE(list().is_object());
    EXPECT_TRUE(Json::parse(variables_.news_json(0, 0)).is_object());
  }
}

}  // namespace
}  // namespace cairn::live
