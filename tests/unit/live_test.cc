// SPDX-License-Identifier: BSD-3-Clause
// live_test.cc - what is made of pages over time, how that is told, and who is told

#include <sys/stat.h>

#include <nlohmann/json.hpp>
#include <random>

#include "base/message.hpp"
#include "live/site.hpp"
#include "where_pages.hpp"

namespace cairn::live {
namespace {

using Json = nlohmann::json;
using where::barrier;
using where::receive;
using where::send;

class Live : public where::Where {
 protected:
  std::vector<where::JobPages> jobs() {
    std::vector<std::string> damaged;
    return where::read_jobs(where::pages_in(folder_), damaged);
  }
  static void count(Page& page, where::Number function, std::uint64_t calls, double seconds) {
    auto* const all = reinterpret_cast<page::Figures*>(reinterpret_cast<char*>(page.thread) + page::figures_at);
    all[function].calls = calls;
    all[function].ticks = page.ticks_in(seconds);
  }
  Json state(const Watched& watched, std::uint64_t after = 0) { return Json::parse(watched.state_json(after)); }
};

TEST_F(Live, FiguresAreAddedOverRanksAndTheCallUnderWayCounts) {
  make(0, 2, [&](Page& page) {
    count(page, send, 3, 0.5);
    page.thread->in_mpi = page.ticks_in(2);
  });
  make(1, 2, [&](Page& page) {
    count(page, send, 4, 1);
    const page::Record& record = page.add(receive, 0, 0, false);  // begun 10 s ago
    page.thread->in_mpi = page.ticks_in(1) - record.entry;
  });
  const Moment moment = moment_of(jobs().front());
  EXPECT_EQ(moment.functions.size(), 1U);
  EXPECT_EQ(moment.functions.at("MPI_Ssend").at(0).calls, 3U);
  EXPECT_EQ(moment.functions.at("MPI_Ssend").at(1).calls, 4U);
  EXPECT_NEAR(moment.functions.at("MPI_Ssend").at(0).seconds, 0.5, 0.05);
  EXPECT_NEAR(moment.ranks.at(0).mpi_seconds(), 2, 0.05);
  EXPECT_NEAR(moment.ranks.at(1).mpi_seconds(), 11, 0.5);
}

TEST_F(Live, OfARankThatWasKilledInACallWhatWasBeforeItCounts) {
  make(0, 1, [&](Page& page) {
    page.thread->in_mpi = page.ticks_in(1) - page.add(receive, 0, 0, false).entry;
    page.header().process_start = 1;  // of no process
  });
  EXPECT_NEAR(moment_of(jobs().front()).ranks.at(0).mpi_seconds(), 1, 0.05);
}

TEST(LiveHistory, TimeInMpiThatHasBeenSeenStays) {
  History history;
  history.add({{{0, {10, 5, 1, 1}}}, {}}, 1, 100);
  history.add({{{0, {20, 3, 1, 1}}}, {}}, 1, 101);
  EXPECT_EQ(history.ranks().at(0).in_mpi, 5U);
}

RankTotals totals(std::uint64_t moment, std::uint64_t in_mpi, int threads = 1) { return {moment, in_mpi, 1, threads}; }

TEST(LiveHistory, AShareIsOfTheTimeOfAllThreads) {
  EXPECT_EQ(share_between(totals(10, 0), totals(20, 5)), 0.5);
  EXPECT_EQ(share_between(totals(10, 0), totals(20, 5, 2)), 0.25);
  EXPECT_EQ(share_between(totals(10, 0, 0), totals(20, 11, 0)), 1.0);
  EXPECT_EQ(share_between(totals(10, 5), totals(20, 4)), 0.0);
  EXPECT_EQ(share_between(totals(10, 0), totals(10, 0)), std::nullopt);
}

TEST(LiveHistory, PointsTellWhatHappenedBetweenTwoMoments) {
  History history;
  history.add({{{0, totals(0, 0)}, {1, totals(0, 0)}}, {{"MPI_Send", {{0, {10, 1}}}}}}, 3, 100);
  EXPECT_EQ(history.next(), 0U);
  history.add({{{0, totals(10, 2)}, {1, totals(10, 8)}, {2, totals(10, 9)}},
               {{"MPI_Send", {{0, {30, 1}}, {2, {1000, 1}}}}, {"MPI_Recv", {{1, {4, 1}}}}}},
              3, 102);
  ASSERT_EQ(history.next(), 1U);
  const Point& point = history.at(0);
  EXPECT_EQ(point.shares, (std::vector<std::optional<double>>{0.2, 0.8, std::nullopt}));
  EXPECT_EQ(std::tuple(point.least, point.mean, point.most), std::tuple(0.2, 0.5, 0.8));
  EXPECT_EQ(history.functions(), (std::vector<std::string>{"MPI_Recv", "MPI_Send"}));
  EXPECT_EQ(point.calls, (std::vector<double>{2, 10}));
}

TEST(LiveHistory, WhatRanksDidWhileTheyWereNotSeenIsOfNoPointButCounts) {
  History history;
  history.add({{{0, totals(0, 0)}, {1, totals(0, 0)}}, {{"MPI_Send", {{0, {10, 1}}, {1, {20, 1}}}}}}, 2, 100);
  history.add({{{0, totals(10, 2)}}, {{"MPI_Send", {{0, {12, 1}}}}}}, 2, 101);
  EXPECT_EQ(history.at(0).calls, (std::vector<double>{2}));
  EXPECT_EQ(history.totals().at("MPI_Send").at(1).calls, 20U) << "a counter does not go back";
  history.add({{{0, totals(20, 2)}, {1, totals(20, 2)}}, {{"MPI_Send", {{0, {15, 1}}, {1, {5000, 1}}}}}}, 2, 102);
  EXPECT_EQ(history.at(1).calls, (std::vector<double>{3}));
  history.add({{{0, totals(30, 2)}, {1, totals(30, 2)}}, {{"MPI_Send", {{0, {15, 1}}, {1, {5001, 1}}}}}}, 2, 103);
  EXPECT_EQ(history.at(2).calls, (std::vector<double>{1}));
}

TEST(LiveHistory, OfManyRanksTheBandIsKeptAndOldPointsGo) {
  History history;
  Moment moment;
  for (int rank = 0; rank <= History::most_lines; ++rank) moment.ranks[rank] = totals(0, 0);
  for (std::size_t i = 0; i < History::most_points + 10; ++i) {
    for (auto& [rank, one] : moment.ranks) one.moment = i * 10;
    history.add(moment, History::most_lines + 1, 1 + static_cast<double>(i));
  }
  EXPECT_EQ(history.next() - history.first(), History::most_points);
  EXPECT_EQ(history.first(), 9U);
  EXPECT_TRUE(history.at(history.first()).shares.empty());
  EXPECT_EQ(history.at(history.first()).most, 0.0);
}

TEST_F(Live, CountersOfARankThatIsNotSeenStay) {
  Watched watched(nullptr, 1, 1);
  for (const int rank : {0, 1})
    make(rank, 2, [&](Page& page) {
      count(page, send, 1, 0);
      page.thread->in_mpi = page.ticks_in(2);
    });
  watched.look(jobs(), {}, 1);
  std::filesystem::remove(folder_ + "/1.page");
  watched.look(jobs(), {}, 2, nanoseconds_now(), false);
  const std::string text = watched.open_metrics();
  for (const char* const line :
       {"\ncairn_rank_mpi_seconds_total{rank=\"0\"} ", "\ncairn_rank_mpi_seconds_total{rank=\"1\"} ",
        "\ncairn_mpi_calls_total{function=\"MPI_Ssend\"} 2\n", "\ncairn_job_ranks_seen 1\n"})
    EXPECT_NE(text.find(line), std::string::npos) << text;
}

TEST_F(Live, AJobWhoseNodesAreOutOfReachIsNotOver) {
  Watched watched(nullptr, 1, 1);
  make(0, 2, [&](Page& page) { count(page, send, 1, 0); });
  watched.look(jobs(), {}, 1);
  const std::vector<where::JobPages> none;
  watched.look(none, {}, 2, nanoseconds_now(), false);
  EXPECT_FALSE(watched.is_over());
  const Json now = state(watched);
  EXPECT_EQ(std::tuple(now["job"]["seen"], now["where"]["state"]), std::tuple(Json(0), Json("waiting")));
  EXPECT_NE(watched.text().find("no node of the job is seen\n"), std::string::npos) << watched.text();
  watched.look(jobs(), {}, 3);
  EXPECT_EQ(state(watched)["job"]["seen"], 1);
  make(0, 2, [&](Page& page) { page.header().process_start = 1; });  // of no process
  watched.look(jobs(), {}, 4, nanoseconds_now(), false);
  EXPECT_FALSE(watched.is_over()) << "others may be alive";
  watched.look(jobs(), {}, 5);
  EXPECT_TRUE(watched.is_over());
}

TEST_F(Live, ThePageIsToldWhenSomethingNewIsDue) {
  Watched watched(nullptr, 30, 1);
  EXPECT_EQ(state(watched)["due_s"], 30.0) << "there was no look yet";
  make(0, 1, [](Page&) {});
  const std::uint64_t begin = nanoseconds_now();
  watched.look(jobs(), {}, 1, begin);
  const double due = state(watched)["due_s"];
  EXPECT_LE(due, 30 + 1e-9 * static_cast<double>(nanoseconds_now() - begin));
  EXPECT_GT(due, 0);
  EXPECT_LT(state(watched)["due_s"], due);
  watched.look(jobs(), {}, 2, begin - 3'000'000'000'000U);
  EXPECT_GT(state(watched)["due_s"], due) << "the look took so long that the next one is due later";
}

TEST_F(Live, AJobIsFollowedUntilItIsOverAndThenTheNext) {
  Watched watched(nullptr, 1, 1);
  watched.look({}, {}, 1);
  EXPECT_FALSE(watched.has_job());
  EXPECT_EQ(watched.text(), "no job yet: one started with 'cairn run --tools where' will show up\n");
  EXPECT_EQ(state(watched)["jobs"], 0);
  make(0, 2, [&](Page& page) { count(page, send, 1, 0); });
  watched.look(jobs(), {}, 2);
  make(0, 2, [&](Page& page) { count(page, send, 3, 0); });
  watched.look(jobs(), {}, 3);
  Json now = state(watched);
  EXPECT_EQ(now["job"]["run"], "abc");
  EXPECT_EQ(now["job"]["ranks"], 2);
  EXPECT_EQ(now["job"]["seen"], 1);
  EXPECT_EQ(now["where"]["format"], "cairn-where 1");
  EXPECT_EQ(now["functions"], Json({"MPI_Ssend"}));
  EXPECT_EQ(now["points"][0]["calls"], Json({2.0}));
  EXPECT_EQ(now["points"][0]["shares"].size(), 2U);
  EXPECT_TRUE(state(watched, 1)["points"].empty());
  EXPECT_NE(watched.text().find("\n           2  calls/s  MPI_Ssend\n"), std::string::npos) << watched.text();
  std::filesystem::remove(folder_ + "/0.page");
  watched.look(jobs(), {}, 4);
  EXPECT_TRUE(watched.is_over());
  EXPECT_TRUE(state(watched)["job"]["is_over"]);
  EXPECT_EQ(state(watched)["next"], 1);
  make(0, 1, [](Page& page) { std::strcpy(page.header().run, "def"); });
  watched.look(jobs(), {}, 5);
  now = state(watched);
  EXPECT_EQ(now["jobs"], 2);
  EXPECT_EQ(now["job"]["run"], "def");
  EXPECT_TRUE(now["points"].empty());
}

TEST_F(Live, AJobStaysTheSameWhenItsRunIsKnown) {
  Watched watched(nullptr, 1, 1);
  make(0, 1, [](Page& page) { page.header().run[0] = '\0'; });
  watched.look(jobs(), {}, 1);
  EXPECT_EQ(state(watched)["job"]["run"], "");
  make(0, 1, [](Page&) {});
  watched.look(jobs(), {}, 2);
  EXPECT_EQ(state(watched)["job"]["run"], "abc");
  EXPECT_EQ(state(watched)["jobs"], 1);
  EXPECT_EQ(state(watched)["next"], 1);
}

TEST_F(Live, RanksThatDoNotKnowTheirRunYetBelongToThoseOfTheirLauncherThatDo) {
  Watched watched(nullptr, 1, 1);
  const auto without_run = [](Page& page) { page.header().run[0] = '\0'; };
  make(0, 2, without_run);
  make(1, 2, without_run);
  watched.look(jobs(), {}, 1);
  EXPECT_EQ(state(watched)["job"]["seen"], 2);
  make(1, 2, [](Page&) {});
  watched.look(jobs(), {}, 2);
  EXPECT_EQ(state(watched)["job"]["seen"], 2);
  EXPECT_EQ(state(watched)["job"]["run"], "abc");
  EXPECT_EQ(state(watched)["where"]["run"], "abc");
  EXPECT_NE(watched.text().find("app, 2 ranks on "), std::string::npos) << watched.text();
  EXPECT_NE(watched.text().find(", run abc\n"), std::string::npos) << watched.text();
  make(0, 2, [](Page&) {});
  watched.look(jobs(), {}, 3);
  EXPECT_EQ(state(watched)["job"]["seen"], 2);
  EXPECT_EQ(state(watched)["jobs"], 1);
  make(0, 2, [](Page& page) { std::strcpy(page.header().run, "another"); });
  make(2, 3, without_run);  // of two runs of one launcher it is not known which
  EXPECT_EQ(jobs().size(), 3U);
}

TEST_F(Live, AProblemIsToldWhenItLasts) {
  Watched watched(nullptr, 1, 1);
  watched.look({}, {"a page"}, 1);
  EXPECT_TRUE(state(watched)["problems"].empty());
  watched.look({}, {"a page"}, 2);
  EXPECT_EQ(state(watched)["problems"], Json({"a page"}));
  EXPECT_EQ(watched.text(),
            "cairn: warning: a page\nno job yet: one started with 'cairn run --tools where' will show up\n");
  watched.look({}, {}, 3);
  EXPECT_TRUE(state(watched)["problems"].empty());
}

TEST_F(Live, MetricsHaveTheirTypesAndNamesAreQuoted) {
  Watched watched(nullptr, 1, 1);
  EXPECT_NE(watched.open_metrics().find("cairn_jobs_followed_total 0\n"), std::string::npos);
  make(0, 1, [&](Page& page) {
    count(page, barrier, 5, 0);
    std::strcpy(page.header().program, "/bin/a\"b\\c\n\xff");
  });
  const std::uint64_t begun = nanoseconds_now() - 2'000'000'000U;
  watched.look(jobs(), {}, 2, begun);  // reading the pages is a part of it
  const double most = 1e-9 * static_cast<double>(nanoseconds_now() - begun);
  const std::string text = watched.open_metrics();
  const std::string_view key = "\ncairn_look_seconds ";
  ASSERT_NE(text.find(key), std::string::npos);
  const double look_s = std::strtod(text.c_str() + text.find(key) + key.size(), nullptr);
  EXPECT_TRUE(look_s >= 2 && look_s <= most + 1e-3) << look_s;
  EXPECT_NE(text.find("cairn_job_info{program=\"a\\\"b\\\\c?\xEF\xBF\xBD\",run=\"abc\""), std::string::npos) << text;
  EXPECT_NE(text.find("# TYPE cairn_mpi_calls counter\n"), std::string::npos);
  EXPECT_NE(text.find("cairn_mpi_calls_total{function=\"MPI_Barrier\"} 5\n"), std::string::npos);
  EXPECT_NE(text.find("cairn_rank_mpi_seconds_total{rank=\"0\"} 0.0\n"), std::string::npos) << text;
  EXPECT_TRUE(text.ends_with("# EOF\n"));
}

TEST_F(Live, DamagedPagesDoNoHarm) {
  make(0, 2, [&](Page& page) { count(page, send, 3, 0.5); });
  make(1, 2, [](Page& page) { page.add(receive, 0, 3, false); });
  const std::string bytes = read(folder_ + "/1.page");
  std::mt19937 random(1);
  Watched watched(nullptr, 1, 1);
  for (int i = 0; i < 200; ++i) {
    std::string damaged = bytes;
    const std::size_t from = i % 2 == 0 ? 8 : bytes.size() - page::thread_head - 16 * sizeof(page::Record);
    for (int j = 0; j < 8; ++j) damaged[from + random() % 4096] = static_cast<char>(random());
    write(folder_ + "/1.page", damaged);
    std::vector<std::string> problems;
    watched.look(where::read_jobs(where::pages_in(folder_), problems), problems, 1 + i);
    EXPECT_TRUE(state(watched).is_object());
    EXPECT_TRUE(watched.open_metrics().ends_with("# EOF\n"));
    EXPECT_FALSE(watched.text().empty());
  }
}

// ------------------------------------------------------------ who is told

class LiveSite : public testing::Test {
 protected:
  Answer ask(Request request) {
    if (request.host.empty()) request.host = "127.0.0.1:8917";
    return site_.answer(request);
  }
  static Request with_token(const std::string& path, const std::string& token = "secret") {
    return {"GET", path, "", "", "Bearer " + token, ""};
  }

  Watched watched_{nullptr, 1, 1};
  Site site_{answers_about(watched_, true,
                           [](const std::string& name, const std::string& text) {
                             return text == "wrong" ? name + " is wrong" : "";
                           }),
             "secret",
             {{"/", "text/html", "the page"}}};
};

TEST_F(LiveSite, ThePageIsForAllAndTheJobForThoseWhoKnowTheToken) {
  EXPECT_EQ(ask({"GET", "/", "", "", "", ""}).body, "the page");
  for (const char* path : {"/api/state", "/metrics"}) {
    EXPECT_EQ(ask(with_token(path)).status, 200);
    for (const char* token : {"", "secre", "secret ", "Secret", "secrets"}) {
      const Answer answer = ask(with_token(path, token));
      EXPECT_EQ(answer.status, 401);
      EXPECT_EQ(answer.body,
                "cairn live: the token is missing or wrong: it is in the address that 'cairn live' printed\n");
    }
  }
  EXPECT_EQ(ask(with_token("/metrics")).type, "application/openmetrics-text; version=1.0.0; charset=utf-8");
}

TEST_F(LiveSite, PagesOfOtherSitesGetNothing) {
  for (const char* host : {"localhost", "localhost:1", "127.0.0.1", "[::1]:8917", "[::1]"}) {
    Request request = with_token("/metrics");
    request.host = host;
    EXPECT_EQ(ask(request).status, 200) << host;
    request.origin = std::string("http://") + host;
    EXPECT_EQ(ask(request).status, 200) << host;
    request.origin = "http://evil.example";
    EXPECT_EQ(ask(request).status, 403);
    EXPECT_EQ(ask(request).body, "cairn live: requested by a page of another site\n");
  }
  for (const char* host :
       {"evil.example", "localhost.evil.example:8917", "127.0.0.1.evil.example", "[::1].evil", "x", ":", "]"}) {
    Request request = with_token("/");
    request.host = host;
    EXPECT_EQ(ask(request).status, 403) << host;
    EXPECT_EQ(ask(request).body, "cairn live: the name of this host is not 'localhost'\n");
  }
}

/// Some bytes of it are others, or it is cut.
std::string damaged(std::string text, std::mt19937& random) {
  static constexpr std::string_view letters = "0123456789/:.%&=-]['\"\\ \r\n\t";
  for (auto i = random() % 3; i > 0; --i) {
    const std::size_t at = random() % (text.size() + 1);
    const char letter = random() % 2 == 0 ? letters[random() % letters.size()] : static_cast<char>(random());
    if (random() % 3 == 0) text.resize(at);
    else text.insert(at, random() % 50 == 0 ? 5000 : 1, letter);
  }
  return text;
}

TEST_F(LiveSite, WhateverIsAskedNothingButAnAnswerComesAndNothingOfTheJobWithoutTheToken) {
  const auto one_of = [](std::mt19937& random, std::initializer_list<const char*> all) {
    return damaged(all.begin()[random() % all.size()], random);
  };
  std::mt19937 random(1);
  std::map<int, int> answers;
  for (int i = 0; i < 20'000; ++i) {
    const Request request{one_of(random, {"GET", "HEAD", "POST"}),
                          one_of(random, {"/", "/api/state", "/api/matrix", "/api/variables", "/api/series",
                                          "/api/controls", "/metrics", "/api/set", "/api/policy"}),
                          one_of(random, {"localhost", "127.0.0.1:8917", "[::1]:1"}),
                          random() % 2 == 0 ? "" : one_of(random, {"http://localhost"}),
                          one_of(random, {"Bearer secret"}),
                          one_of(random, {"", "0", "18446744073709551615"}),
                          one_of(random, {"", "0", "x_active"}),
                          one_of(random, {"", "on", "wrong"}),
                          one_of(random, {"", "0-3,8", "0-18446744073709551615:9223372036854775807"}),
                          one_of(random, {"", "wrong", "rule \"r\"\n every 1 s\n note \"n\""})};
    const Answer answer = site_.answer(request);
    ++answers[answer.status];
    if (answer.status != 200) {
      EXPECT_TRUE(answer.body.starts_with("cairn live: ")) << answer.body;
    } else if (request.authorization != "Bearer secret") {
      EXPECT_EQ(answer.body, "the page");
    } else if (answer.type == "application/json") {
      EXPECT_FALSE(Json::parse(answer.body).is_null());
    }
    EXPECT_EQ(answer.allow.empty(), answer.status != 405);
  }
  for (const int status : {200, 400, 401, 403, 404, 405}) EXPECT_GT(answers[status], 20) << status;
  EXPECT_EQ(answers.size(), 6U);
}

TEST_F(LiveSite, WhatIsNotThereOrWrongIsRefused) {
  const Answer missing = ask(with_token("/../etc/passwd"));
  EXPECT_EQ(std::pair(missing.status, missing.body),
            std::pair(404, std::string("cairn live: there is no such page\n")));
  Request request = with_token("/api/state");
  request.method = "POST";
  const Answer changing = ask(request);
  EXPECT_EQ(std::pair(changing.status, changing.body),
            std::pair(405, std::string("cairn live: nothing can be changed here\n")));
  EXPECT_EQ(changing.allow, "GET, HEAD");
  for (const char* method : {"GET", "HEAD", "PUT"}) {
    request = with_token("/api/set");
    request.method = method;
    const Answer refused = ask(request);
    EXPECT_EQ(std::tuple(refused.status, refused.allow, refused.body),
              std::tuple(405, "POST", "cairn live: this changes the job: it takes POST\n"));
  }
  request = with_token("/api/set");
  request.method = "POST";
  EXPECT_EQ(ask(request).body, "cairn live: there is no control variable '' that can be set\n");
  request.path = "/api/policy";
  request.body = "wrong";
  EXPECT_EQ(ask(request).body, "cairn live: from the page is wrong\n");
  request.value = "mine";
  EXPECT_EQ(ask(request).body, "cairn live: mine is wrong\n");
  request.body = "right";
  EXPECT_EQ(ask(request).body, "cairn live: no policy can be given: the job has no tool 'policy' that waits for one\n");
  request.authorization = "";
  EXPECT_EQ(ask(request).status, 401);
  for (const char* after : {"x", "-1", "1x", "99999999999999999999"}) {
    request = with_token("/api/state");
    request.after = after;
    const Answer wrong = ask(request);
    EXPECT_EQ(std::pair(wrong.status, wrong.body),
              std::pair(400, std::string("cairn live: 'after' is not a number\n")));
  }
}

TEST_F(Live, AFileKeepsTheToken) {
  const std::string path = folder_ + "/token";
  const std::string token = token_in(path);
  EXPECT_EQ(token.size(), 32U);
  EXPECT_EQ(token_in(path), token);
  EXPECT_NE(new_token(), token);
  const auto problem = [](const std::string& of) {
    try {
      return "no problem: " + token_in(of);
    } catch (const Problem& found) {
      return found.what() + ("; try: " + found.remedy);
    }
  };
  chmod(path.c_str(), 0644);
  EXPECT_EQ(problem(path), "'" + path + "' can be read by others; try: chmod 600 " + path);
  chmod(path.c_str(), 0600);
  for (const std::string text : {"", "short", "0123456789abcdef0123456789abcde\x01"}) {
    write(path, text);
    EXPECT_EQ(problem(path),
              "'" + path +
                  "' contains no token of 32 or more letters and digits; try: another file: 'cairn live' creates it");
  }
  EXPECT_EQ(problem(folder_ + "/no/token"),
            "'" + folder_ + "/no/token' cannot be read: No such file or directory; try: ");
}

}  // namespace
}  // namespace cairn::live
