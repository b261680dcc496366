// SPDX-License-Identifier: BSD-3-Clause
// choice_test.cc - which calls a trace's options choose

#include "trace/choice.hpp"

#include <gtest/gtest.h>

#include "trace/recent.hpp"

namespace cairn::trace {
namespace {

Record call(std::uint64_t begin, std::uint64_t end, std::uint16_t function = 0) {
  Record made{};
  made.function = function;
  made.entry = begin;
  made.exit = end;
  return made;
}

TEST(TraceChoice, FunctionsAreChosenByGlobs) {
  Choice choice({.functions = "MPI_Send*+MPI_Recv"});
  choice.begin({{{}, "MPI_Send"}, {{}, "MPI_Sendrecv"}, {{}, "MPI_Recv"}, {{}, "MPI_Recv_init"}, {{}, "MPI_Wait"}});
  choice.refresh();
  for (std::uint16_t function = 0; function < 5; ++function)
    EXPECT_EQ(choice.has(call(1, 2, function)), function < 3) << function;
  EXPECT_TRUE(choice.has(call(1, 2, 99)));
  EXPECT_EQ(choice.text(), "functions:MPI_Send*+MPI_Recv");
}

TEST(TraceChoice, GlobsThatFitNoFunctionAreFound) {
  const std::vector<std::string> names{"MPI_Send", "MPI_Sendrecv"};
  EXPECT_EQ(unfitting("MPI_Send*+MPI_Sned+MPI_Recv", names), (std::vector<std::string>{"MPI_Sned", "MPI_Recv"}));
  EXPECT_TRUE(unfitting("", names).empty());
}

TEST(TraceChoice, ShortCallsAndOtherTimesAreLeftOut) {
  const cairn::Clock clock;
  Choice choice({.shortest_s = 5e-6, .from_s = 1, .until_s = 2.5});
  choice.refresh();
  const cairn::ClockAnchor now = cairn::ClockAnchor::now();
  const double per_second = 1e9 * static_cast<double>(now.ticks - clock.started_ticks()) /
                            static_cast<double>(now.nanoseconds - clock.started_nanoseconds());
  const auto at = [&](double seconds) {
    return clock.started_ticks() + static_cast<std::uint64_t>(seconds * per_second);
  };
  EXPECT_TRUE(choice.has(call(at(1.5), at(1.5001))));
  EXPECT_FALSE(choice.has(call(at(1.5), at(1.500001))));  // too short
  EXPECT_FALSE(choice.has(call(at(0.5), at(0.6))));
  EXPECT_TRUE(choice.has(call(at(0.5), at(1.6))));  // lies in both
  EXPECT_FALSE(choice.has(call(at(3), at(4))));
  EXPECT_TRUE(choice.has(call(at(2), 0)));  // has no end
  EXPECT_EQ(choice.text(), "shortest:0.000005s, from:1s, until:2.5s");
}

TEST(TraceChoice, CallsAreLeftOutThatBeginWhileRecordingIsOff) {
  Choice choice({.is_recording = false});
  const std::uint64_t before = cairn::ticks_now();
  choice.switch_to(true);
  choice.switch_to(true);
  const std::uint64_t during = cairn::ticks_now();
  choice.switch_to(false);
  const std::uint64_t after = cairn::ticks_now();
  choice.refresh();
  EXPECT_FALSE(choice.is_recording());
  EXPECT_FALSE(choice.has(call(before, after)));
  EXPECT_TRUE(choice.has(call(during, after)));
  EXPECT_FALSE(choice.has(call(after, after + 1)));
  EXPECT_EQ(choice.text(), "while recording was on");
  for (int i = 0; i < 200000; ++i) choice.switch_to(i % 2 == 0);  // does not grow without end
  choice.refresh();
  EXPECT_FALSE(choice.has(call(cairn::ticks_now(), 0)));
}

TEST(TraceChoice, OnlyCallsInSomePassesOfARegionAreChosen) {
  Choice choice({.region = "halo", .nth = 3});
  std::vector<bool> chosen;
  for (int pass = 0; pass < 7; ++pass) {
    const std::uint64_t between = cairn::ticks_now();
    const bool is_chosen = choice.begin_pass();
    const std::uint64_t within = cairn::ticks_now();
    if (is_chosen) choice.end_pass();
    choice.refresh();
    EXPECT_FALSE(choice.has(call(between, 0)));
    EXPECT_EQ(choice.has(call(within, 0)), is_chosen);
    chosen.push_back(is_chosen);
  }
  EXPECT_EQ(chosen, (std::vector<bool>{true, false, false, true, false, false, true}));
  EXPECT_EQ(choice.text(), "region:halo, nth:3");
}

TEST(TraceChoice, APassThatAnotherThreadIsStillInGoesOn) {
  Choice choice({.region = "halo"});
  ASSERT_TRUE(choice.begin_pass());
  ASSERT_TRUE(choice.begin_pass());
  choice.end_pass();
  choice.refresh();
  EXPECT_TRUE(choice.has(call(cairn::ticks_now(), 0)));
  choice.end_pass();
  choice.refresh();
  EXPECT_FALSE(choice.has(call(cairn::ticks_now(), 0)));
}

using Ranges = std::vector<Recent::Range>;

TEST(TraceRecent, OldRecordsGoAndWhatTheyNeededOfTheClock) {
  constexpr std::uint64_t second = 1'000'000'000;
  Recent recent(10, 0);
  recent.add(BlockKind::process, 100, 0);
  recent.add(BlockKind::definitions, 10, 0);
  for (std::uint64_t i = 1; i <= 15; ++i) {
    recent.add(BlockKind::clock, 1, i * second);
    EXPECT_FALSE(recent.is_due(i * second));
    recent.add(BlockKind::records, 5, i * second);
  }
  recent.add(BlockKind::definitions, 20, 16 * second);
  recent.add(BlockKind::clock, 1, 16 * second);
  EXPECT_TRUE(recent.is_due(17 * second));
  // Of 1 s to 6 s the records go, and all clocks but that of 7 s, which is right before those of 7 s.
  EXPECT_EQ(recent.cut(17 * second), (Ranges{{0, 110}, {110 + 36, 54 + 21}}));
  EXPECT_FALSE(recent.is_due(17 * second));
  EXPECT_EQ(recent.cut(17 * second), (Ranges{{0, 110 + 75}}));
}

TEST(TraceRecent, TheOldestGoWhereThereIsNoRoomForAll) {
  Recent recent(10, 100);
  recent.add(BlockKind::process, 10, 0);
  for (int i = 0; i < 9; ++i) recent.add(BlockKind::records, 10, 1);
  EXPECT_FALSE(recent.is_due(2));
  recent.add(BlockKind::records, 10, 1);
  EXPECT_TRUE(recent.is_due(2));
  EXPECT_EQ(recent.cut(2), (Ranges{{0, 10}, {50, 60}}));
  EXPECT_FALSE(Recent(0, 100).is_wanted());
}

}  // namespace
}  // namespace cairn::trace
