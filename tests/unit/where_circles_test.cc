// SPDX-License-Identifier: BSD-3-Clause
// where_circles_test.cc - who waits for whom in jobs of ten thousand ranks: nothing grows with ranks times ranks, or calls itself

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <numeric>
#include <set>
#include <string>
#include <vector>

#include "where/circles.hpp"
#include "where_pages.hpp"

namespace cairn::where {
namespace {

constexpr int many = 10000;

const Function& function_of(Number number) {
  static const auto all = [] {
    std::vector<Function> made;
    for (const Named& one : functions) made.push_back({one.kind, one.name});
    return made;
  }();
  return all[number];
}

/// What a page would have told of a rank, one second of ticks being 1000.
class Rank {
 public:
  explicit Rank(Process& process) : process_(process) {}

  Object& world() { return *process_.objects[1]; }
  Thread& thread() { return process_.threads.front(); }
  Call& call(Number number, bool is_over) {
    Call call;
    call.function = &function_of(number);
    call.number = ++thread().count;
    call.entry = 20000;
    call.exit = is_over ? 20001 : 0;
    call.object = &world();
    if (call.function->kind == Kind::collective) call.collective = ++world().collectives;
    thread().calls.insert(thread().calls.begin(), call);
    if (!is_over) thread().inside = call;
    return is_over ? thread().calls.front() : *thread().inside;
  }
  void from(int peer) {
    Call& made = call(receive, false);
    made.flags = page::has_peer;
    made.peer = peer;
    made.from_anyone = peer < 0;
  }

 private:
  Process& process_;
};

class WhereLarge : public testing::Test {
 protected:
  void make(int ranks, const std::function<void(Rank, int)>& fill) {
    processes_.clear();
    for (int rank = 0; rank < ranks; ++rank) {
      Process& process = processes_.emplace_back();
      process.rank = rank;
      process.size = ranks;
      process.is_alive = true;
      process.phase = page::Phase::running;
      process.time = {30000, 0.001};
      process.started = 1;
      process.program = "/bin/app";
      for (int i = 0; i < 4; ++i) process.objects.push_back(i == 1 ? std::make_unique<Object>() : nullptr);
      Object& world = *process.objects[1];
      world.name = "MPI_COMM_WORLD";
      world.identity = 7;
      world.rank = rank;
      world.size = world.peers = ranks;
      world.members_known = true;
      process.threads.emplace_back();
      process.threads.front().in_use = true;
      fill(Rank(process), rank);
    }
    std::vector<const Process*> all;
    for (const Process& process : processes_) all.push_back(&process);
    job_ = look_at_job(all);
  }
  Verdict verdict() {
    Places places(nullptr);
    const Verdict found = judge(job_, places, 1);
    text_ = report_text(job_, found, places);
    return found;
  }
  /// Where the list of what the rank waits for begins.
  const int* list_of(int rank) const { return waits_of(job_, *job_.actor_of(rank)).front().whom.lists.front().data(); }

  std::vector<Process> processes_;
  Job job_;
  std::string text_;
};

TEST_F(WhereLarge, AChainEndsAtTheOneWhoIsBusy) {
  make(many, [](Rank rank, int number) {
    if (number + 1 < many) rank.from(number + 1);
    else rank.call(init, true);
  });
  const Verdict found = verdict();
  EXPECT_EQ(found.state, State::waiting);
  ASSERT_EQ(found.findings.size(), 1U) << text_;
  EXPECT_EQ(found.findings[0].kind, "busy");
  EXPECT_EQ(found.findings[0].ranks, std::vector{many - 1});
}

TEST_F(WhereLarge, ARingIsOneCircle) {
  make(many, [](Rank rank, int number) { rank.from((number + 1) % many); });
  const Verdict found = verdict();
  EXPECT_EQ(found.state, State::stuck);
  ASSERT_EQ(found.findings.size(), 1U) << text_;
  EXPECT_EQ(found.findings[0].kind, "deadlock");
  EXPECT_EQ(found.findings[0].ranks.size(), static_cast<std::size_t>(many));
  EXPECT_TRUE(found.findings[0].text.starts_with("ranks 0-9999 wait for each other: rank 0 waits in MPI_Recv for "));
  EXPECT_TRUE(found.findings[0].text.ends_with("; …"));
}

TEST_F(WhereLarge, WhereHalfIsLateAllOthersShareOneList) {
  make(many, [](Rank rank, int number) {
    if (number < many / 2) rank.call(barrier, false);
    else rank.call(init, true);
  });
  EXPECT_EQ(list_of(0), list_of(many / 2 - 1));
  const Verdict found = verdict();
  EXPECT_EQ(found.state, State::waiting);
  ASSERT_EQ(found.findings.size(), 10U) << "the rest is in the groups";
  EXPECT_EQ(found.findings[0].text,
            "rank 5000 has been outside MPI for 10.0 s, alive; its last call was MPI_Init; ranks 0-4999 wait in "
            "MPI_Barrier for it");
}

TEST_F(WhereLarge, OfHalfThatHasFinalizedTenAreBlamed) {
  make(many, [](Rank rank, int number) { rank.call(number < many / 2 ? barrier : finalize, false); });
  const Verdict found = verdict();
  EXPECT_EQ(found.state, State::stuck);
  ASSERT_EQ(found.findings.size(), 10U);
  EXPECT_EQ(found.findings[9].text,
            "ranks 0-4999 wait in MPI_Barrier, collective call 1 on MPI_COMM_WORLD, which rank 5009 never reaches: "
            "rank 5009 is in MPI_Finalize");
}

TEST_F(WhereLarge, ThoseWhoAreEachOneCallAheadShareOneList) {
  make(many, [](Rank rank, int number) {
    rank.world().collectives = static_cast<std::uint32_t>(number);
    rank.call(barrier, false);
  });
  EXPECT_EQ(list_of(1), list_of(many - 1));
  const std::vector<int> first = waits_of(job_, *job_.actor_of(3)).front().whom.all();
  EXPECT_EQ(first, (std::vector{0, 1, 2}));
}

/// Each has made all calls up to its own, which nobody else is in: what they passed is gone through once, not once per call.
TEST_F(WhereLarge, CallsThatAllButOneHaveMadeAlikeAreComparedInOnePass) {
  constexpr int kept = 20;
  make(many, [](Rank rank, int number) {
    for (int i = 0; i < kept; ++i) {
      rank.world().collectives = static_cast<std::uint32_t>(std::max(number - kept + i, 0));
      rank.call(number == many / 2 && i == kept - 5 ? bcast : barrier, i + 1 != kept);
    }
  });
  const Verdict found = verdict();
  ASSERT_FALSE(found.findings.empty());
  EXPECT_EQ(found.findings[0].text,
            "collective call 4996 on MPI_COMM_WORLD is not the same function everywhere: rank 5000 in MPI_Bcast, ranks "
            "4996-4999,5001-5015 in MPI_Barrier");
}

TEST_F(WhereLarge, WhoReceivesFromAnybodySharesTheListAndIsNotInIt) {
  make(many, [](Rank rank, int) { rank.from(-1); });
  EXPECT_EQ(list_of(0), list_of(many - 1));
  EXPECT_EQ(waits_of(job_, *job_.actor_of(1)).front().whom.all().size(), static_cast<std::size_t>(many - 1));
  const Verdict found = verdict();
  ASSERT_EQ(found.findings.size(), 1U) << text_;
  EXPECT_EQ(found.findings[0].kind, "deadlock");
  EXPECT_EQ(found.findings[0].ranks, (std::vector{0, 1}));
}

TEST_F(WhereLarge, EpochsThatNobodyOpensAreFound) {
  make(many, [](Rank rank, int) { rank.call(complete, false); });
  EXPECT_EQ(list_of(0), list_of(many - 1));
  EXPECT_EQ(verdict().findings.front().kind, "deadlock");
}

TEST_F(WhereLarge, WhoKeepsTheLockThatAllOthersWantIsFound) {
  make(many, [](Rank rank, int number) {
    Call& made = rank.call(lock, true);
    made.flags = page::has_peer | page::exclusive;
    if (number + 1 == many) return;
    Call& wants = rank.call(unlock, false);
    wants.flags = page::has_peer;
  });
  EXPECT_EQ(list_of(0), list_of(many - 2));
  const Verdict found = verdict();
  ASSERT_EQ(found.findings.size(), 1U) << text_;
  EXPECT_EQ(found.findings[0].ranks, std::vector{many - 1});
}

TEST_F(WhereLarge, WhereHalfIsInFinalizeTheListOfTheOthersIsShared) {
  make(many, [](Rank rank, int number) {
    if (number < many / 2) rank.call(finalize, false);
    else rank.call(init, true);
  });
  EXPECT_EQ(list_of(0), list_of(many / 2 - 1));
  EXPECT_EQ(verdict().findings.size(), 10U);
}

// ------------------------------------------------------------ the graph alone

/// Ranks 0, 1, …: whom each waits for.
struct Given {
  int from;
  std::vector<int> whom;
  bool any = false;
};

std::vector<int> circle_of(const std::vector<Given>& all, const std::set<int>& busy = {}) {
  std::vector<Awaited> awaited(all.size());
  std::vector<Arc> arcs;
  for (std::size_t i = 0; i < all.size(); ++i) {
    awaited[i].add(all[i].whom);
    arcs.push_back({all[i].from, &awaited[i], all[i].any});
  }
  return find_circle(arcs, [&](int rank) { return !busy.contains(rank); });
}

TEST(WhereCircles, TheShortestThatIsFoundIsTold) {
  EXPECT_EQ(circle_of({{0, {1}}, {1, {2}}, {2, {0}}, {3, {4}}, {4, {3}}}), (std::vector{3, 4}));
}

TEST(WhereCircles, WhoOnlyWaitsForTheCircleIsNotInIt) {
  EXPECT_EQ(circle_of({{0, {1}}, {1, {2}}, {2, {1}}}), (std::vector{1, 2}));
}

TEST(WhereCircles, AWaitThatComesToNothingIsLeftOut) {
  EXPECT_EQ(circle_of({{0, {5, 1}}, {1, {6, 0}}}), (std::vector{0, 1}));
  EXPECT_EQ(circle_of({{0, {1}}, {1, {2}}}), std::vector<int>{});
}

TEST(WhereCircles, OfAWaitForAnyOneWhoMayMoveIsEnough) {
  EXPECT_EQ(circle_of({{0, {1, 2}, true}, {1, {0}}, {2, {0}}}), (std::vector{0, 1}));
  EXPECT_EQ(circle_of({{0, {1, 2}, true}, {1, {0}}}), std::vector<int>{});
  EXPECT_EQ(circle_of({{0, {1, 2}, true}, {1, {0}}, {2, {3}}}), std::vector<int>{}) << "2 may move when 3 does";
}

TEST(WhereCircles, WhoMayMoveIsInNone) { EXPECT_EQ(circle_of({{0, {1}}, {1, {0}}}, {1}), std::vector<int>{}); }

TEST(WhereCircles, WhoMayMoveTakesNoRoom) {
  EXPECT_EQ(circle_of({{0x7fffffff, {0}}, {4, {4}}}, {0x7fffffff}), std::vector{4});
}

TEST(WhereCircles, ARankMayWaitForItself) { EXPECT_EQ(circle_of({{4, {4}}}), std::vector{4}); }

TEST(WhereCircles, OneWhoIsLeftOutOfASharedListDoesNotWaitForItself) {
  const std::vector<int> list{0, 1, 2};
  const auto circle = [&](const std::vector<int>& waiting) {
    std::vector<Awaited> awaited(waiting.size());
    std::vector<Arc> arcs;
    for (std::size_t i = 0; i < waiting.size(); ++i) {
      awaited[i].add(list);
      awaited[i].left_out = waiting[i];
      arcs.push_back({waiting[i], &awaited[i]});
    }
    return find_circle(arcs, [](int) { return true; });
  };
  EXPECT_EQ(circle({1}), std::vector<int>{});
  EXPECT_EQ(circle({2, 1}), (std::vector{2, 1}));
}

TEST(WhereCircles, ALongListIsGoneThroughOnce) {
  std::vector<int> list(many);
  std::iota(list.begin(), list.end(), 0);
  int asked = 0;
  FirstThat is_last([&](int rank) { return ++asked, rank == many - 1; });
  for (int i = 0; i < many; ++i) EXPECT_EQ(is_last.in(list, i), i == many - 1 ? -1 : many - 1);
  EXPECT_EQ(is_last.in(RankList(list).first(10), -1), -1);
  EXPECT_EQ(asked, many);
}

}  // namespace
}  // namespace cairn::where
