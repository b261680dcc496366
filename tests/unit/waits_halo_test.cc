// SPDX-License-Identifier: BSD-3-Clause
// waits_halo_test.cc - one late rank in a ring of three that exchange messages while they compute

#include <gtest/gtest.h>

#include "waits_job.hpp"

namespace cairn::waits {
namespace {

constexpr int ring = 3;
constexpr int rounds = 10;
constexpr std::int64_t microsecond = ms / 1000;

/// A rank asks for both messages, rank 0 works 200 ms, it sends both, all work 60 ms, and wait for all four.
class Halo {
 public:
  Job job{ring};

  void send_messages(std::uint64_t bytes) {
    for (int rank = 0; rank < ring; ++rank) begin(rank);
    for (int rank = 0; rank < ring; ++rank)
      for (const int to : {(rank + 1) % ring, (rank + 2) % ring}) {
        const auto side = static_cast<std::size_t>((to - rank + ring) % ring - 1);
        job.message(rank, at(rank).sends[side], at(rank).waits, to, at(to).receives[1 - side], at(to).waits, bytes);
      }
  }
  std::int64_t comes(int rank) const {
    return job.ranks[static_cast<std::size_t>(rank)].calls[calls_[static_cast<std::size_t>(rank)].waits].entry;
  }
  std::int64_t sends(int rank) const { return comes(rank) - 60 * ms - 2 * microsecond; }
  void leaves(int rank, std::int64_t moment) {
    job.of(rank).calls[at(rank).waits].exit = moment;
    now_[static_cast<std::size_t>(rank)] = moment + 2 * microsecond;
  }

 private:
  struct Calls {
    Index receives[2];
    Index sends[2];
    Index waits;
  };

  Calls& at(int rank) { return calls_[static_cast<std::size_t>(rank)]; }
  Index next(int rank, const char* function, std::uint64_t line, std::int64_t work) {
    std::int64_t& now = now_[static_cast<std::size_t>(rank)];
    now += work + microsecond;
    return job.call(rank, function, line, now - microsecond, now);
  }
  void begin(int rank) {
    Calls& calls = at(rank);
    calls.receives[0] = next(rank, "MPI_Irecv", 10, 0);
    calls.receives[1] = next(rank, "MPI_Irecv", 11, 0);
    calls.sends[0] = next(rank, "MPI_Isend", 12, rank == 0 ? 200 * ms : 0);
    calls.sends[1] = next(rank, "MPI_Isend", 13, 0);
    calls.waits = next(rank, "MPI_Waitall", 14, 60 * ms);
  }

  Calls calls_[ring]{};
  std::int64_t now_[ring]{};
};

void expect_that_rank_0_is_late(Halo& halo) {
  halo.job.finalize(3000 * ms);
  const Summary summary = summary_of(halo.job);
  ASSERT_FALSE(summary.causes.empty());
  const auto& cause = summary.causes[0];
  EXPECT_EQ(cause.ranks, std::vector<int>{0});
  EXPECT_EQ(cause.from.at.line, 11);
  EXPECT_EQ(cause.to.at.line, 12);
  EXPECT_NEAR(cause.cost, 2 * rounds * 0.200, 0.05 * 2 * rounds * 0.200);
}

/// The others leave as soon as its messages come, and one begins its next step before the other has left.
TEST(WaitsOfAHalo, AreForTheLateMessageNotForWhoeverHasJustLeft) {
  Halo halo;
  for (int step = 0; step < rounds; ++step) {
    halo.send_messages(8);
    halo.leaves(0, halo.comes(0) + 2 * microsecond);
    const std::int64_t sent = std::max({halo.sends(0), halo.comes(1), halo.comes(2)});
    halo.leaves(1, sent + 20 * microsecond);
    halo.leaves(2, sent + 60 * microsecond);
  }
  expect_that_rank_0_is_late(halo);
}

/// The others leave when it comes to wait, too: the transfers need it. They have done the same work meanwhile.
TEST(WaitsOfAHalo, AreForWhatMadeItLateNotForTheWorkThatAllDo) {
  for (const std::uint64_t bytes : {std::uint64_t{8}, std::uint64_t{100'000}}) {
    Halo halo;
    for (int step = 0; step < rounds; ++step) {
      halo.send_messages(bytes);
      const std::int64_t back = halo.comes(0);
      halo.leaves(0, back + 10 * microsecond);
      halo.leaves(1, std::max(back, halo.comes(1)) + 20 * microsecond);
      halo.leaves(2, std::max(back, halo.comes(2)) + 20 * microsecond);
    }
    SCOPED_TRACE(bytes);
    expect_that_rank_0_is_late(halo);
  }
}

}  // namespace
}  // namespace cairn::waits
