// SPDX-License-Identifier: BSD-3-Clause
// waits_polling_test.cc - tests again and again, of one thing or several in turn: one wait, or work between them

#include <gtest/gtest.h>

#include "waits_job.hpp"
#include "waits_run.hpp"

namespace cairn::waits {
namespace {

TEST(Waits, TestsBetweenWorkAreNoWaitHoweverLongTheyTake) {
  struct {
    std::int64_t between, length;
    bool is_work;
  } constexpr all[] = {{90'000, 100'000, true},        // most of the time
                       {40'000, 100'000, false},       // it may be what tools do for each test
                       {1'000'000, 10'000'000, true},  // 100 us for each of ten: no tool takes that long
                       {9'000, 10'000, false}};        // less than 1 us for each
  for (const auto& one : all) {
    Process process(0, 1);
    const std::int64_t begin = process.now();
    process.tests(10, one.between, one.length);
    const std::int64_t last = one.is_work ? one.length - (one.length - one.between) / 11 : 0;
    EXPECT_EQ(process.reduced(0, 0).calls.back().entry, begin + last) << one.between << " of " << one.length;
  }
}

/// Of two requests in turn until the second one is complete, `pause` between two tests.
std::int64_t start_of_polling(Process& process, std::int64_t pause, std::uint64_t second) {
  const std::int64_t begin = process.now();
  for (int i = 0; i < 100; ++i) {
    process.ask(1, 300, true);
    process.work(pause);
    process.ask(2, 300, true);
    process.work(pause);
  }
  process.ask(second, 300, false);
  return process.reduced(0, 0).calls.back().entry - begin;
}

TEST(Waits, TestsOfSeveralThingsInTurnAreOneWait) {
  constexpr std::int64_t all = 200 * (300 + 50);
  for (const std::uint64_t second : {1U, 2U}) {
    Process process(0, 1);
    EXPECT_EQ(start_of_polling(process, 50, second), 0) << second;
  }
  Process other(0, 1);
  EXPECT_EQ(start_of_polling(other, 50, 3), all) << "nobody asked for the third one before";
}

/// As the recorder leaves them: a record of each, which overlap. Tests of 3 us are no work between those of the other one.
TEST(Waits, TestsInTurnThatOverlapAreOneWait) {
  struct {
    std::int64_t length, pause;
    bool is_wait;
  } constexpr all[] = {{300, 50, true}, {3'000, 50, true}, {300, 2'000, false}, {3'000, 200'000, false}};
  for (const auto& one : all)
    for (const std::uint64_t found : {1U, 2U, 3U}) {
      Process process(0, 1);
      process.ask(9, 100, false);
      process.work(1'000'000);
      const std::int64_t begin = process.now();
      process.ask_in_turn({1, 2, 3}, 100, one.length, one.pause);
      process.work(one.pause);
      const std::int64_t end = process.now();
      process.ask(found, one.length, false);
      EXPECT_EQ(process.reduced(0, 0).calls.back().entry, one.is_wait ? begin : end)
          << one.length << ", " << one.pause << ", " << found;
    }
}

/// As a program that looks for a message for a while before it lets MPI_Recv wait.
TEST(Waits, TestsForAMessageAndTheCallThatReceivesItAreOneWait) {
  for (const auto& [function, peer] : {std::pair{receive, 1}, {probe, 1}, {receive, 0}, {send, 1}}) {
    Process process(0, 2);
    const std::int64_t begin = process.now();
    Record& asked = process.asked(test, 0, 100'000);
    asked.object = 1;
    asked.peer = 1;
    asked.number = 300;
    asked.flags = page::has_peer | page::has_tag | page::in_vain;
    const std::int64_t end = process.now();
    process.call(function, peer, 300, 0);
    const bool is_wait = peer == 1 && function != send;
    EXPECT_EQ(process.reduced(0, 0).calls.back().entry, is_wait ? begin : end) << function << ", " << peer;
  }
}

/// Its calls are no thread's that had ended before it began, nor does it go on with what that one has asked for.
TEST(Waits, AThreadThatTakesTheRecordersPlaceOfAnotherOneIsAThreadOfItsOwn) {
  Process process(0, 1);
  process.ask(1, 300, true);
  process.detail(page::thread_begun, 0, 100, 0);
  process.records.back().tag = 200;
  const std::int64_t begin = process.now();
  process.ask(1, 300, false);
  const RankRecords records = process.reduced(0, 0);
  ASSERT_EQ(records.threads.size(), 2U);
  EXPECT_EQ(std::pair(records.threads[0].count, records.threads[0].id), std::pair(Index{1}, 100));
  EXPECT_EQ(std::pair(records.threads[1].count, records.threads[1].id), std::pair(Index{1}, 200));
  EXPECT_EQ(records.calls.back().entry, begin);
}

TEST(Waits, SleepBetweenTestsIsWaiting) {
  for (const std::uint16_t asleep : {std::uint16_t{page::asleep}, std::uint16_t{0}}) {
    Process process(0, 1);
    const std::int64_t begin = process.now();
    process.ask_in_turn({1, 2}, 10, 300, 1'000'000);
    for (std::size_t i = 1; i <= 2; ++i) process.records[process.records.size() - i].flags |= asleep;
    const std::int64_t again = process.now() + 1'000'000;
    process.work(1'000'000);
    process.ask(2, 300, false);
    EXPECT_EQ(process.reduced(0, 0).calls.back().entry, asleep != 0 ? begin : again);
  }
}

/// A thread that had no processor for 20 ms goes on polling; after one test, it is work.
TEST(Waits, LongPollingIsOneWaitWhenTheThreadLacksAProcessorMeanwhile) {
  for (const bool is_long : {true, false}) {
    Process process(0, 1);
    const std::int64_t begin = process.now();
    process.ask_in_turn({1, 2}, is_long ? 10'000 : 1, 300, 50);
    process.work(20'000'000);
    const std::int64_t again = process.now();
    process.ask_in_turn({2, 1}, 10'000, 300, 50);
    process.ask(1, 300, false);
    EXPECT_EQ(process.reduced(0, 0).calls.back().entry, is_long ? begin : again);
  }
}

TEST(Waits, TestsOfSeveralThingsBetweenWorkAreNoWait) {
  for (const std::int64_t work : {2'000, 200'000}) {
    Process process(0, 1);
    EXPECT_EQ(start_of_polling(process, work, 1), 200 * (300 + work)) << work;
  }
}

TEST(Waits, WorkAfterATestIsNoWait) {
  struct {
    std::int64_t work;
    bool is_wait;
  } constexpr all[] = {{100, true}, {2'000, false}, {5'000'000, false}};
  for (const auto& one : all) {
    Process process(0, 1);
    const std::int64_t begin = process.now();
    process.ask(1, 300, true);
    process.work(one.work);
    process.ask(1, 300, false);
    EXPECT_EQ(process.reduced(0, 0).calls.back().entry - begin, one.is_wait ? 0 : 300 + one.work) << one.work;
  }
}

}  // namespace
}  // namespace cairn::waits
