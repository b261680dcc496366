// SPDX-License-Identifier: BSD-3-Clause
// collectives_test.cc - the model of collective algorithms: what must be sent and received, whatever the algorithm

#include <gtest/gtest.h>

#include <bit>
#include <map>
#include <vector>

#include "collectives/model.hpp"

namespace cairn::collectives {
namespace {

constexpr std::uint64_t calls = 3;

struct Traffic {
  std::uint64_t messages = 0;
  std::uint64_t bytes = 0;
  std::vector<std::uint64_t> sent, received;  // bytes
  std::map<std::pair<int, int>, std::uint64_t> pairs;
};

/// All that three calls of `size` bytes each make.
Traffic traffic_of(Operation what, int processes, std::uint64_t size, int root = 0) {
  Traffic all;
  all.sent.resize(static_cast<std::size_t>(processes));
  all.received.resize(all.sent.size());
  for (int own = 0; own < processes; ++own)
    model({what, processes, calls, calls * size}, root, own, [&](int to, std::uint64_t messages, std::uint64_t bytes) {
      EXPECT_TRUE(to >= 0 && to < processes && to != own) << own << " to " << to << " of " << processes;
      all.messages += messages;
      all.bytes += bytes;
      all.sent[static_cast<std::size_t>(own)] += bytes;
      all.received[static_cast<std::size_t>(to)] += bytes;
      all.pairs[{own, to}] += bytes;
    });
  return all;
}

int rounds(int processes) { return static_cast<int>(std::bit_width(static_cast<unsigned>(processes - 1))); }

class Model : public testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(Processes, Model, testing::Values(2, 3, 4, 5, 6, 7, 8, 12, 13, 16, 17, 64));

TEST_P(Model, BarrierHasARoundForEachDoubling) {
  const Traffic all = traffic_of(Operation::barrier, GetParam(), 0);
  EXPECT_EQ(all.messages, calls * static_cast<unsigned>(GetParam() * rounds(GetParam())));
  EXPECT_EQ(all.bytes, 0U);
}

TEST_P(Model, ShortBroadcastsReachEveryoneOnce) {
  const auto others = static_cast<unsigned>(GetParam() - 1);
  const Traffic all = traffic_of(Operation::bcast, GetParam(), 100, GetParam() / 2);
  EXPECT_EQ(all.messages, calls * others);
  for (int own = 0; own < GetParam(); ++own)
    EXPECT_EQ(all.received[static_cast<std::size_t>(own)], own == GetParam() / 2 ? 0U : calls * 100);
}

TEST_P(Model, LongBroadcastsGiveEveryoneAllOfIt) {
  const auto count = static_cast<unsigned>(GetParam());
  for (const std::uint64_t part : {20'000U, 1'000'000U}) {
    const Traffic all = traffic_of(Operation::bcast, GetParam(), part * count, 1);
    for (unsigned own = 0; own < count; ++own) EXPECT_GE(all.received[own], own == 1 ? 0U : calls * part * (count - 1));
  }
}

TEST_P(Model, ReductionsBringEveryonesDataToTheRoot) {
  const auto others = static_cast<unsigned>(GetParam() - 1);
  EXPECT_EQ(traffic_of(Operation::reduce, GetParam(), 64, 1).bytes, calls * 64 * others);
  const Traffic all = traffic_of(Operation::reduce, GetParam(), 1U << 20U, 1);
  for (int own = 0; own < GetParam(); ++own) EXPECT_TRUE(own == 1 || all.sent[static_cast<std::size_t>(own)] > 0);
  EXPECT_GT(all.received[1], 0U);
}

TEST_P(Model, GatheringIsScatteringBackwards) {
  const Traffic in = traffic_of(Operation::gather, GetParam(), 10, 1);
  const Traffic out = traffic_of(Operation::scatter, GetParam(), 10, 1);
  EXPECT_EQ(in.received[1], calls * 10 * static_cast<unsigned>(GetParam() - 1));
  for (const auto& [pair, bytes] : in.pairs) EXPECT_EQ(out.pairs.at({pair.second, pair.first}), bytes);
  EXPECT_EQ(in.pairs.size(), out.pairs.size());
}

TEST_P(Model, AllgatherGivesEveryoneEachPartOnce) {
  for (const std::uint64_t part : {8U, 30'000U, 1'000'000U})
    for (const std::uint64_t received : traffic_of(Operation::allgather, GetParam(), part).received)
      EXPECT_EQ(received, calls * part * static_cast<unsigned>(GetParam() - 1));
}

TEST_P(Model, LongAlltoallGoesDirectly) {
  const Traffic all = traffic_of(Operation::alltoall, GetParam(), 1000);
  EXPECT_EQ(all.pairs.size(), static_cast<std::size_t>(GetParam() * (GetParam() - 1)));
  for (const auto& [pair, bytes] : all.pairs) EXPECT_EQ(bytes, calls * 1000);
}

TEST_P(Model, ShortAlltoallHasFewMessages) {
  if (GetParam() < 8) return;
  const Traffic all = traffic_of(Operation::alltoall, GetParam(), 8);
  EXPECT_EQ(all.messages, calls * static_cast<unsigned>(GetParam() * rounds(GetParam())));
  EXPECT_GE(all.bytes, calls * 8 * static_cast<unsigned>(GetParam() * (GetParam() - 1)));
}

TEST_P(Model, AllreduceAndReduceScatterOfPowersOfTwo) {
  if (!std::has_single_bit(static_cast<unsigned>(GetParam()))) return;
  const auto count = static_cast<unsigned>(GetParam());
  for (const std::uint64_t sent : traffic_of(Operation::allreduce, GetParam(), 1024).sent)
    EXPECT_EQ(sent, calls * 1024 * static_cast<unsigned>(rounds(GetParam())));
  for (const std::uint64_t sent : traffic_of(Operation::allreduce, GetParam(), 1024 * count * 8).sent)
    EXPECT_EQ(sent, calls * 2 * 1024 * 8 * (count - 1));
  for (const std::uint64_t sent : traffic_of(Operation::reduce_scatter, GetParam(), 16).sent)
    EXPECT_EQ(sent, calls * 16 * (count - 1));
}

TEST_P(Model, OfAnyNumberEveryoneTakesPart) {
  for (const Operation what : {Operation::allreduce, Operation::reduce_scatter})
    for (const std::uint64_t size : {512U, 100'000U}) {
      const Traffic all = traffic_of(what, GetParam(), size);
      for (std::size_t own = 0; own < all.sent.size(); ++own) EXPECT_TRUE(all.sent[own] > 0 && all.received[own] > 0);
    }
}

TEST(ModelOfScan, GoesToPartnersOfEachRound) {
  const Traffic all = traffic_of(Operation::scan, 3, 8);
  EXPECT_EQ(all.pairs,
            (std::map<std::pair<int, int>, std::uint64_t>{{{0, 1}, 24}, {{1, 0}, 24}, {{0, 2}, 24}, {{2, 0}, 24}}));
}

TEST(ModelOfOne, SendsNothing) {
  for (int what = 0; what <= static_cast<int>(Operation::direct); ++what)
    EXPECT_EQ(traffic_of(static_cast<Operation>(what), 1, 1000).messages, 0U);
}

}  // namespace
}  // namespace cairn::collectives
