// SPDX-License-Identifier: BSD-3-Clause
// kit_test.cc - the parts of the C++ kit that work without MPI: descriptions and options, memory per thread, pools.

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <thread>
#include <vector>

#include "cairn/kit/about.hpp"
#include "cairn/kit/clock.hpp"
#include "cairn/kit/per_thread.hpp"
#include "cairn/kit/pool.hpp"
#include "cairn/object_identity.hpp"
#include "request/tool_about.hpp"

namespace cairn {
namespace {

struct Numbers {
  static constexpr const char* service = "mine.numbers";
  static constexpr std::uint32_t version = 3;
};

struct Tool {
  static constexpr std::string_view about = "tries things";
  using Needs = ServiceList<Numbers>;
  using Offers = ServiceList<Numbers>;
  struct Options {
    bool print = true;
    unsigned top = 10;
    double factor = 2;
    std::string_view file = "out";
    template <class Visit>
    constexpr void describe(Visit visit) {
      visit("print", print, "on or off");
      visit("top", top, "how many");
      visit("factor", factor, "how much");
      visit("file", file, "where to");
    }
  };
};

constexpr std::array wrapped = {Function::MPI_Barrier_, Function::MPI_Send_};

/// Small numbers: the first ranks of a job, the first communicators of a program.
TEST(ObjectIdentity, DiffersForOtherMembersAndForOtherCalls) {
  std::set<std::uint64_t> seen;
  std::size_t count = 0;
  for (unsigned ranks = 0; ranks < 1U << 12U; ++ranks) {
    std::vector<std::int32_t> members;
    for (std::int32_t rank = 0; rank < 12; ++rank)
      if ((ranks >> static_cast<unsigned>(rank) & 1U) != 0) members.push_back(rank);
    for (int order = 0; order < (members.size() > 1 ? 2 : 1); ++order, ++count) {
      seen.insert(identity::of_members(members.data(), static_cast<std::int32_t>(members.size())));
      std::ranges::reverse(members);
    }
  }
  EXPECT_EQ(seen.size(), count);
  seen = {identity::world, identity::self};
  for (const std::uint64_t parent : {identity::world, identity::self})
    for (std::uint32_t number = 0; number < 10'000; ++number) seen.insert(identity::made_from(parent, number));
  EXPECT_EQ(seen.size(), 20'002U);
}

TEST(Clock, ProcessesAgreeWithinTheErrorOfTheirReadingsAfterThirtyDays) {
  constexpr std::uint64_t uptime = 30ULL * 24 * 3600 * 1'000'000'000;
  constexpr long double ticks_per_ns = 2.1000037L;  // what the rate is taken for is another matter
  const auto reading = [&](std::uint64_t ns, std::int64_t late_ns) {
    return ClockAnchor{static_cast<std::uint64_t>(ticks_per_ns * static_cast<long double>(ns)),
                       ns + static_cast<std::uint64_t>(late_ns)};
  };
  constexpr std::uint64_t start = uptime;
  constexpr std::uint64_t end = uptime + 2'000'000'000;
  Clock one(reading(start, 40));  // one is read late at the start, the other at the end
  Clock other(reading(start + 3'000'000, 0));
  one.anchor(reading(end, 0));
  other.anchor(reading(end + 5'000, 40));
  for (std::uint64_t ns = start + 3'000'000; ns < end; ns += 9'999'999) {
    const std::uint64_t ticks = reading(ns, 0).ticks;
    EXPECT_NEAR(static_cast<double>(one.nanoseconds_at(ticks) - uptime), static_cast<double>(ns - uptime), 100);
    EXPECT_NEAR(static_cast<double>(other.nanoseconds_at(ticks) - uptime), static_cast<double>(ns - uptime), 100);
  }
}

TEST(Clock, CountsRealTime) {
  Clock clock;
  clock.anchor();
  const std::uint64_t ticks = ticks_now();
  const std::uint64_t now = nanoseconds_now();
  EXPECT_NEAR(static_cast<double>(clock.nanoseconds_at(ticks) - clock.started_nanoseconds()),
              static_cast<double>(now - clock.started_nanoseconds()), 1e6);
  EXPECT_GT(clock.seconds_per_tick(), 0);
}

TEST(Kit, AToolsDescriptionIsWhatTheRuntimeReads) {
  constexpr auto text = kit::about_text<Tool, wrapped>();
  EXPECT_STREQ(text.data(),
               "abi 3\nsummary tries things\noption print on on or off\noption top 10 how many\n"
               "option factor 2 how much\noption file out where to\nneeds mine.numbers 3\noffers mine.numbers 3\n"
               "wraps MPI_Barrier MPI_Send\n");
  const ToolAbout about = parse_tool_about(text.data());
  EXPECT_EQ(about.summary, "tries things");
  EXPECT_EQ(about.options.size(), 4U);
  ASSERT_EQ(about.needs.size(), 1U);
  EXPECT_EQ(about.needs[0].service, "mine.numbers");
  EXPECT_EQ(about.needs[0].version, 3U);
  ASSERT_EQ(about.offers.size(), 1U);
  EXPECT_EQ(about.offers[0].service, "mine.numbers");
  EXPECT_EQ(about.wraps, (std::vector<std::string>{"MPI_Barrier", "MPI_Send"}));
}

std::vector<std::string> warnings;

Tool::Options options_from(const std::vector<cairn_tool_option>& given) {
  warnings.clear();
  static cairn_tool_instance instance{};
  instance.option_count = static_cast<std::uint32_t>(given.size());
  instance.options = given.data();
  instance.warn = [](const cairn_tool_instance*, const char* text) { warnings.emplace_back(text); };
  return kit::read_options<Tool::Options>(Self(instance));
}

TEST(Kit, OptionsAreReadByTheirTypes) {
  const Tool::Options options = options_from({{"print", "off"}, {"top", "0"}, {"factor", "0.25"}, {"file", "a b"}});
  EXPECT_FALSE(options.print);
  EXPECT_EQ(options.top, 0U);
  EXPECT_EQ(options.factor, 0.25);
  EXPECT_EQ(options.file, "a b");
  EXPECT_TRUE(warnings.empty());
}

TEST(Kit, AnOptionThatMakesNoSenseIsSaidAndItsDefaultKept) {
  const Tool::Options options = options_from({{"print", "yes"}, {"top", "-1"}, {"factor", "2x"}});
  EXPECT_TRUE(options.print);
  EXPECT_EQ(options.top, 10U);
  EXPECT_EQ(options.factor, 2);
  EXPECT_EQ(warnings,
            (std::vector<std::string>{"option 'print' cannot be 'yes'; it is on or off; its default is used",
                                      "option 'top' cannot be '-1'; it is a whole number; its default is used",
                                      "option 'factor' cannot be '2x'; it is a number; its default is used"}));
}

TEST(Kit, APercentageIsNotNegative) {
  const auto percent = [](std::string_view text) {
    Percent value{-1};
    return kit::parse(text, value) ? value.value : -1;
  };
  EXPECT_EQ(percent("0"), 0);
  EXPECT_EQ(percent("2.5"), 2.5);
  EXPECT_EQ(percent("150"), 150);
  for (const char* text : {"-1", "-0.001", "nan", "inf", "2 %", ""}) EXPECT_EQ(percent(text), -1) << text;
  EXPECT_STREQ(kit::accepted<Percent>(), "it is a number of percent, 0 or more");
}

TEST(Kit, EveryNthIsNotEveryZeroth) {
  EveryNth value{7};
  EXPECT_TRUE(kit::parse("1", value));
  EXPECT_EQ(value.n, 1U);
  for (const char* text : {"0", "-1", "1.5", "many", ""}) EXPECT_FALSE(kit::parse(text, value)) << text;
  EXPECT_STREQ(kit::accepted<EveryNth>(), "it is a whole number, 1 or more");
}

TEST(Kit, ATimeHasAUnitOrIsSeconds) {
  const auto seconds = [](std::string_view text) {
    Duration value{-1};
    return parse_duration(text, value) ? value.seconds : -1;
  };
  EXPECT_DOUBLE_EQ(seconds("500us"), 500e-6);
  EXPECT_DOUBLE_EQ(seconds("20ms"), 0.02);
  EXPECT_DOUBLE_EQ(seconds("2s"), 2);
  EXPECT_DOUBLE_EQ(seconds("0.05"), 0.05);
  EXPECT_EQ(seconds("off"), 0);
  EXPECT_EQ(seconds("0"), 0);
  for (const char* const none : {"", "s", "ms", "2 s", "2m", "-1s", "nan", "inf", "1e99s", "2sx", "on"})
    EXPECT_EQ(seconds(none), -1) << none;
}

TEST(Kit, RolesTellWhatAFunctionHas) {
  EXPECT_TRUE(has<Function::MPI_Send_>(Role::dest));
  EXPECT_FALSE(has<Function::MPI_Barrier_>(Role::dest));
  EXPECT_EQ(position<Function::MPI_Send_>(Role::tag), 4);
  EXPECT_TRUE(facts(Function::MPI_Pcontrol_).variadic);
}

TEST(PerThread, EachThreadHasItsOwnAndNothingIsLostWhenThreadsEnd) {
  struct Count {
    long calls = 0;
  };
  static PerThread<Count> counts;
  for (int round = 0; round < 20; ++round) {
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; ++i)
      threads.emplace_back([] {
        for (int call = 0; call < 1000; ++call) ++counts.mine().calls;
      });
    for (std::thread& thread : threads) thread.join();
  }
  long sum = 0;
  int places = 0;
  counts.for_each([&](const Count& count) {
    sum += count.calls;
    ++places;
  });
  EXPECT_EQ(sum, 80'000);
  EXPECT_LE(places, 4 + 1);  // as many as lived at once, and the spare one
}

TEST(PerThread, ThoseThatGetNoSlotWorkAsWell) {
  struct Count {
    long calls = 0;
  };
  static thread_local void* stays_null = nullptr;
  static const ThreadSlots none{[] { return std::ptrdiff_t{0}; },
                                reinterpret_cast<char*>(&stays_null) - static_cast<char*>(__builtin_thread_pointer())};
  kit::thread_slots = &none;
  static PerThread<Count> counts;
  const auto count = [] {
    const long before = counts.mine().calls;  // of a thread that has ended, whose count this one may go on with
    for (int call = 0; call < 1000; ++call) ++counts.mine().calls;
    EXPECT_EQ(counts.mine().calls, before + 1000);
    EXPECT_EQ(stays_null, nullptr);
  };
  count();
  std::thread first(count);
  std::thread second(count);
  first.join();
  second.join();
  kit::thread_slots = nullptr;
  long sum = 0;
  counts.for_each([&](const Count& one) { sum += one.calls; });
  EXPECT_EQ(sum, 3000);
}

struct Piece : PoolPiece {
  std::atomic<int> users{0};
};

TEST(Pool, GivesDifferentPiecesAndTheSameAgain) {
  static Pool<Piece> pool;
  std::set<Piece*> taken;
  for (int i = 0; i < 1000; ++i) taken.insert(pool.take());
  EXPECT_EQ(taken.size(), 1000U);
  EXPECT_EQ(taken.count(nullptr), 0U);
  for (Piece* const piece : taken) pool.give_back(*piece);
  for (int i = 0; i < 1000; ++i) EXPECT_EQ(taken.count(pool.take()), 1U);
}

TEST(Pool, NoPieceIsWithTwoThreadsAtOnce) {
  static Pool<Piece> pool;
  static Pool<Piece>::Stack stack;
  std::atomic<int> clashes{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([&] {
      for (int turn = 0; turn < 5000; ++turn) {
        Piece* const piece = turn % 2 == 0 ? pool.take() : stack.pop(pool);
        if (piece == nullptr) continue;
        if (piece->users++ != 0) ++clashes;
        --piece->users;
        if (turn % 2 == 0) stack.push(*piece);
        else pool.give_back(*piece);
      }
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(clashes, 0);
}

}  // namespace
}  // namespace cairn
