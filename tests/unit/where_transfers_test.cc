// SPDX-License-Identifier: BSD-3-Clause
// where_transfers_test.cc - data that are on their way are no deadlock

#include <string>

#include "where/patience.hpp"
#include "where_pages.hpp"

namespace cairn::where {
namespace {

class WhereTransfers : public Where {
 protected:
  /// What is told, and whether it is before ten times the time.
  void expect_told_late(const std::string& kind, const std::string& text) {
    const Answer found = answer();
    ASSERT_EQ(found.verdict.findings.size(), 1U) << found.text;
    EXPECT_EQ(found.verdict.findings[0].kind, kind);
    EXPECT_EQ(found.verdict.findings[0].text, text);
    EXPECT_FALSE(found.verdict.is_certain());
    EXPECT_EQ(found.verdict.state, State::stuck);
    const Job job = look_at_job(jobs_.front().all());
    EXPECT_FALSE(is_to_tell(job, found.verdict, 2)) << "nothing has happened for 10 s";
    EXPECT_TRUE(is_to_tell(job, found.verdict, 0.9));
  }
  void expect_deadlock() {
    const Answer found = answer();
    ASSERT_EQ(found.verdict.findings.size(), 1U) << found.text;
    EXPECT_EQ(found.verdict.findings[0].kind, "deadlock");
    EXPECT_TRUE(found.verdict.is_certain());
  }
  /// With the call that made it; the process waits for it.
  void wait_for(Page& page, std::size_t index, Number function, int peer, int tag) {
    add_request(page, index, function, peer, tag).begin = page.add(function, peer, tag, true).entry;
    page.thread->waited_for[page.thread->waited_for_count++] = static_cast<std::uint16_t>(index);
  }
  void make_window(Page& page) { page.world().what = page::Object::window; }
};

TEST_F(WhereTransfers, ASendAndAReceiveThatFitAreNoDeadlock) {
  make(0, 2, [](Page& page) { page.add(send, 1, 7, false); });
  make(1, 2, [](Page& page) { page.add(receive, 0, 7, false); });
  expect_told_late("transfer",
                   "rank 0 waits in MPI_Ssend for rank 1 to receive a message with tag 7; rank 1 has called MPI_Recv, "
                   "which fits: the data may be on their way");
}

TEST_F(WhereTransfers, NorAreRequestsOfBothSides) {
  for (int rank = 0; rank < 2; ++rank)
    make(rank, 2, [&](Page& page) {
      wait_for(page, 3, send, 1 - rank, 7);
      wait_for(page, 4, receive, 1 - rank, 7);
      page.add(waitall, 0, 0, false);
    });
  expect_told_late("transfer",
                   "rank 0 waits in MPI_Waitall for rank 1 to receive a message with tag 7 (MPI_Ssend); rank 1 has "
                   "called MPI_Recv, which fits: the data may be on their way");
}

TEST_F(WhereTransfers, WhoReceivesFromAnybodyReceivesWhatIsSent) {
  make(0, 2, [](Page& page) { page.add(send, 1, 7, false); });
  make(1, 2, [](Page& page) { page.add(receive, -1, -1, false); });
  EXPECT_EQ(answer().verdict.findings.at(0).kind, "transfer");
}

TEST_F(WhereTransfers, AMessageThatWasSentMayBeOnItsWay) {
  make(0, 2, [](Page& page) {
    page.add(send, 1, 7, true);
    page.add(receive, 1, 8, false);
  });
  make(1, 2, [](Page& page) { page.add(receive, 0, 7, false); });
  expect_told_late("transfer",
                   "rank 1 waits in MPI_Recv for a message with tag 7 from rank 0; rank 0 has called MPI_Ssend, which "
                   "fits: the data may be on their way");
}

TEST_F(WhereTransfers, AReceiveOfAnotherTagDoesNotFit) {
  make(0, 2, [](Page& page) { page.add(send, 1, 7, false); });
  make(1, 2, [](Page& page) { page.add(receive, 0, 8, false); });
  EXPECT_EQ(answer().verdict.findings.at(0).kind, "other tag");
}

/// The first message has taken the receive that is open still, or the send that is.
TEST_F(WhereTransfers, WhatAnotherMessageHasTakenDoesNotFit) {
  make(0, 2, [](Page& page) {
    page.add(send, 1, 7, true);
    page.add(send, 1, 7, false);
  });
  make(1, 2, [&](Page& page) {
    wait_for(page, 3, receive, 0, 7);
    page.thread->waited_for_count = 0;
    page.add(receive, 0, 8, false);
  });
  EXPECT_TRUE(answer().verdict.is_certain()) << answer().text;
  make(0, 2, [&](Page& page) {
    wait_for(page, 3, send, 1, 7);
    page.thread->waited_for_count = 0;
    page.add(receive, 1, 8, false);
  });
  make(1, 2, [](Page& page) {
    page.add(receive, 0, 7, true);
    page.add(receive, 0, 7, false);
  });
  expect_deadlock();
}

TEST_F(WhereTransfers, WhoeverIsInFinalizeMayStillBeSending) {
  make(0, 2, [&](Page& page) {
    wait_for(page, 3, send, 1, 7);
    page.thread->waited_for_count = 0;
    page.add(finalize, 0, 0, false);
  });
  make(1, 2, [](Page& page) { page.add(receive, 0, 7, false); });
  EXPECT_EQ(answer().verdict.findings.at(0).kind, "transfer") << answer().text;
}

TEST_F(WhereTransfers, EpochsThatBothSidesHaveOpenedAreNoDeadlock) {
  for (int rank = 0; rank < 2; ++rank)
    make(rank, 2, [&](Page& page) {
      make_window(page);
      page.add(post, 0, 0, true);
      page.add(complete, 0, 0, false);
    });
  expect_told_late(
      "transfer",
      "rank 0 waits in MPI_Win_complete for rank 1; rank 1 has called MPI_Win_post, which fits: the data may be "
      "on their way");
  make(1, 2, [&](Page& page) {
    make_window(page);
    page.add(post, 0, 0, true);
    page.add(win_wait, 0, 0, false);
  });
  EXPECT_EQ(answer().verdict.findings.at(0).kind, "transfer");
}

TEST_F(WhereTransfers, AnExposureThatIsOverIsNone) {
  for (int rank = 0; rank < 2; ++rank)
    make(rank, 2, [&](Page& page) {
      make_window(page);
      page.add(post, 0, 0, true);
      page.add(win_wait, 0, 0, true);
      page.add(complete, 0, 0, false);
    });
  expect_deadlock();
}

/// The target gives it by itself while it is in MPI.
TEST_F(WhereTransfers, OneSidedRequestsAreNoMessages) {
  make(0, 2, [&](Page& page) {
    make_window(page);
    wait_for(page, 3, rput, 1, 0);
    page.add(waitall, 0, 0, false);
  });
  make(1, 2, [](Page& page) { page.add(receive, 0, 7, false); });
  EXPECT_TRUE(answer().verdict.findings.empty()) << answer().text;
  make(1, 2, [](Page& page) { page.add(init, 0, 0, true); });
  EXPECT_EQ(answer().verdict.findings.at(0).kind, "busy");
}

/// Rank 0 writes a lot under its shared lock, rank 1 has one of the same target.
TEST_F(WhereTransfers, SharedLocksKeepNoSharedOneWaiting) {
  const auto add_lock = [](Page& page, std::uint16_t flags) {
    page::Object& comm = page.file.table<page::Object>(page.header().objects)[2];
    std::memcpy(static_cast<void*>(&comm), &page.world(), sizeof comm);
    comm.identity = 8;
    page.world().what = page::Object::window;
    page.add(lock, 2, 0, true).flags = flags;
  };
  const auto make_job = [&](std::uint16_t flags) {
    make(0, 3, [&](Page& page) {
      add_lock(page, flags);
      page.add(unlock, 2, 0, false);
    });
    make(1, 3, [&](Page& page) {
      add_lock(page, page::has_peer);
      page.add(receive, 0, 7, false).object = 2;
    });
    make(2, 3, [](Page& page) { page.add(barrier, 0, 0, false); });
    return answer().verdict;
  };
  EXPECT_FALSE(make_job(page::has_peer).is_certain()) << answer().text;
  EXPECT_TRUE(make_job(page::has_peer | page::exclusive).is_certain()) << answer().text;
}

TEST_F(WhereTransfers, APersistentSendIsNoReceive) {
  make(0, 2, [&](Page& page) {
    wait_for(page, 3, send_init, 1, 7);
    page.add(waitall, 0, 0, false);
  });
  make(1, 2, [](Page& page) { page.add(receive, 0, 8, false); });
  const Answer found = answer();
  ASSERT_EQ(found.verdict.findings.size(), 1U);
  EXPECT_EQ(found.verdict.findings[0].text,
            "ranks 0-1 wait for each other: rank 0 waits in MPI_Waitall for rank 1 to receive a message with tag 7 "
            "(MPI_Send_init); rank 1 waits in MPI_Recv for a message with tag 8 from rank 0");
}

}  // namespace
}  // namespace cairn::where
