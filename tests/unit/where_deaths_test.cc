// SPDX-License-Identifier: BSD-3-Clause
// where_deaths_test.cc - who died first, of what, and when that is unknown

#include <algorithm>

#include "where_pages.hpp"

namespace cairn::where {
namespace {

TEST_F(Where, ADeadRankIsToldWithItsEnd) {
  make(0, 2, [](Page& page) { page.add(barrier, 0, 0, false); });
  make(1, 2, [](Page& page) {
    page.add(receive, 0, 1, false);
    page.header().pid = 0;
    page.header().phase = page::Phase::ended;
    std::strcpy(page.header().end, "SIGSEGV");
  });
  const Answer found = answer();
  EXPECT_EQ(found.verdict.state, State::died);
  EXPECT_EQ(found.verdict.findings[0].text, "rank 1 ended by SIGSEGV, in MPI_Recv");
}

TEST_F(Where, OfTheKilledAndThoseAskedToEndTheFirstIsUnknownUnlessOneWasSeen) {
  for (int rank = 0; rank < 3; ++rank)
    make(rank, 3, [rank](Page& page) {
      page.add(barrier, 0, 0, false);
      page.header().pid = 0;
      if (rank == 1) page.header().phase = page::Phase::ended, std::strcpy(page.header().end, "SIGTERM");
    });
  EXPECT_EQ(answer().verdict.findings[0].text,
            "ranks 0,2 were killed without warning (SIGKILL: by hand, by the scheduler, or out of memory), rank 1 "
            "ended by SIGTERM; which was first is unknown");
}

/// Each waits for its request.
TEST_F(Where, NonblockingCollectiveCallsThatDidNotFitAreToldAfterADeath) {
  for (int rank = 0; rank < 2; ++rank)
    make(rank, 2, [rank](Page& page) {
      const Number function = rank == 0 ? ibarrier : iallreduce;
      page.add(function, 0, 0, true).number = ++page.world().collectives;
      page::Request& request = page.file.table<page::Request>(page.header().requests)[3];
      request.handle = 3;
      request.state = page::Request::active;
      request.function = function;
      request.object = 1;
      request.number = 1;
      page.thread->waited_for[0] = 3;
      page.thread->waited_for_count = 1;
      page.add(waitall, 0, 0, false).entry = page.just_now();
      page.header().pid = 0;
      page.header().phase = page::Phase::ended;
      std::strcpy(page.header().end, "SIGABRT");
    });
  const Answer found = answer();
  ASSERT_EQ(found.verdict.findings.size(), 2U) << found.text;
  EXPECT_EQ(found.verdict.findings[1].text,
            "collective call 1 on MPI_COMM_WORLD is not the same function everywhere: rank 1 in MPI_Iallreduce, rank 0 "
            "in MPI_Ibarrier");
}

/// Three that were killed; the first has seen these die before it.
void make_killed(auto& page, int rank, const std::vector<int>& seen, std::uint32_t watched = 2) {
  page.add(barrier, 0, 0, false);
  page.header().pid = (1 << 30) + rank;  // which no process has
  if (rank != 0) return;
  std::ranges::copy(seen, page.header().deaths.pids);
  page.header().deaths.watched = watched;
  page.header().deaths.count = static_cast<std::uint32_t>(seen.size());
}

TEST_F(Where, WhoWasSeenToDieBeforeTheOthersWasTheFirst) {
  for (int rank = 0; rank < 3; ++rank) make(rank, 3, [rank](Page& page) { make_killed(page, rank, {(1 << 30) + 2}); });
  EXPECT_EQ(answer().verdict.findings[0].text,
            "rank 2 was killed without warning (SIGKILL: by hand, by the scheduler, or out of memory), in "
            "MPI_Barrier; it was the first of 3 to end");
}

TEST_F(Where, OfSeveralThatWereSeenDeadAtOnceTheFirstIsUnknown) {
  for (int rank = 0; rank < 3; ++rank)
    make(rank, 3, [rank](Page& page) { make_killed(page, rank, {(1 << 30) + 2, (1 << 30) + 1}); });
  EXPECT_TRUE(answer().verdict.findings[0].text.ends_with("which was first is unknown"));
}

TEST_F(Where, OfOneWhoDidNotWatchAllTheFirstIsUnknown) {
  for (int rank = 0; rank < 3; ++rank)
    make(rank, 3, [rank](Page& page) { make_killed(page, rank, {(1 << 30) + 2}, 1); });
  EXPECT_TRUE(answer().verdict.findings[0].text.ends_with("which was first is unknown"));
}

TEST_F(Where, WhoWasSeenToEndFirstBySigtermWasTheFirstAlsoIfOthersWereKilledThen) {
  for (int rank = 0; rank < 2; ++rank)
    make(rank, 2, [rank](Page& page) {
      make_killed(page, rank, {(1 << 30) + 1}, 1);
      if (rank == 0) return;
      page.header().phase = page::Phase::ended;
      std::strcpy(page.header().end, "SIGTERM");
    });
  EXPECT_EQ(answer().verdict.findings[0].text, "rank 1 ended by SIGTERM, in MPI_Barrier; it was the first of 2 to end");
}

TEST_F(Where, WhomOpenMpiKilledAsItTookTooLongToEndWasNotTheFirst) {
  const auto find = [this](const std::vector<int>& seen) {
    for (int rank = 0; rank < 3; ++rank)
      make(rank, 3, [&, rank](Page& page) {
        make_killed(page, rank, seen, 2);
        std::strcpy(page.header().job, "pmix=1");
        if (rank == 2) return;
        page.header().phase = page::Phase::ended;
        std::strcpy(page.header().end, "SIGTERM");
      });
    return answer().verdict.findings[0].text;
  };
  EXPECT_EQ(find({}),
            "rank 2 was killed without warning (SIGKILL: by hand, by the scheduler, or out of memory), ranks 0-1 "
            "ended by SIGTERM; which was first is unknown");
  EXPECT_TRUE(find({(1 << 30) + 1, (1 << 30) + 2}).starts_with("rank 2 was killed without warning")) << "it was seen";
}

TEST_F(Where, WhereAllWereAskedToEndThatIsTold) {
  for (int rank = 0; rank < 2; ++rank)
    make(rank, 2, [rank](Page& page) {
      make_killed(page, 1, {});
      page.header().pid += rank;
      page.header().phase = page::Phase::ended;
      page.header().ended_at = 100U - static_cast<unsigned>(rank);
      std::strcpy(page.header().end, "SIGTERM");
    });
  EXPECT_EQ(answer().verdict.findings[0].text,
            "rank 1 ended by SIGTERM, in MPI_Barrier; it was the first of 2 to end; ranks 0-1 were asked to end, "
            "perhaps by the launcher or the scheduler");
}

TEST_F(Where, TheEndThatTheToolItselfMakesIsToldAsSuch) {
  for (int rank = 0; rank < 2; ++rank)
    make(rank, 2, [rank](Page& page) {
      make_killed(page, rank, {}, 1);
      if (rank == 0) return;
      page.header().phase = page::Phase::ended;
      std::strcpy(page.header().folder, "/results");
      std::strcpy(page.header().end, "where=end:on: the job did not move");
    });
  EXPECT_EQ(answer().verdict.findings[0].text,
            "rank 1 ended by where=end:on: the job did not move, in MPI_Barrier; it was the first of 2 to end; see "
            "/results/where.json");
}

TEST_F(Where, WhereARankIsNotSeenNobodyWhoWasAskedToEndWasTheFirst) {
  for (const int rank : {0, 2})
    make(rank, 3, [rank](Page& page) {
      make_killed(page, rank, {});
      page.header().phase = page::Phase::ended;
      std::strcpy(page.header().end, "SIGTERM");
    });
  const Finding found = answer().verdict.findings[0];
  EXPECT_EQ(found.text, "ranks 0,2 ended by SIGTERM; what ended first is unknown: rank 1 is not seen");
  EXPECT_TRUE(found.ranks.empty());
}

}  // namespace
}  // namespace cairn::where
