// SPDX-License-Identifier: BSD-3-Clause
// open_annotations_test.cc - regions and values that programs begin and end in any order arrive as regions that nest.

#include "runtime/open_annotations.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <random>
#include <string>
#include <vector>

namespace cairn {
namespace {

/// As a tool keeps regions (cairn/kit/regions.hpp): an end ends what is open inside too.
class ToldRegions : public testing::Test {
 protected:
  void hear(int level, const char* name) {
    ASSERT_TRUE(level == CAIRN_REGION_BEGIN || level == CAIRN_REGION_END);
    if (level == CAIRN_REGION_BEGIN) return regions.emplace_back(name), void();
    ASSERT_FALSE(regions.empty()) << name;
    while (regions.back() != name) {
      regions.pop_back();
      ASSERT_FALSE(regions.empty()) << name;
    }
    regions.pop_back();
  }
  void begin(const char* name, const void* owner = nullptr) {
    open.begin(name, OpenAnnotations::Kind::region, owner, listen);
  }
  void begin_value(const char* name) { open.begin(name, OpenAnnotations::Kind::value, nullptr, listen); }
  std::string path() const {
    std::string text;
    for (const std::string& one : regions) text += "/" + one;
    return text;
  }

  std::vector<std::string> regions;
  std::function<void(int, const char*)> listen = [this](int level, const char* name) { hear(level, name); };
  OpenAnnotations open{};
};

TEST_F(ToldRegions, AnEndEndsWhatIsOpenInsideAndOneWithoutABeginningNothing) {
  begin("a");
  begin("b/c");
  begin("d");
  open.end("e", listen);
  EXPECT_EQ(path(), "/a/b:c/d");
  open.end("b/c", listen);
  EXPECT_EQ(path(), "/a");
  open.end_innermost(listen);
  open.end_innermost(listen);
  EXPECT_EQ(path(), "");
}

TEST_F(ToldRegions, AValueThatEndsEarlyLastsAsLongAsWhatIsOpenInside) {
  begin_value("level=1");
  begin("solve");
  open.end_value("level=", listen);
  EXPECT_EQ(path(), "/level=1/solve");
  open.end_value("level=", listen);
  begin("inner");
  open.end("inner", listen);
  EXPECT_EQ(path(), "/level=1/solve");
  open.end("solve", listen);
  EXPECT_EQ(path(), "");
}

TEST_F(ToldRegions, AValueIsReplacedInPlaceOrBelowWhatHasBegunSince) {
  open.set_value("level=", "level=1", listen);
  open.set_value("level=", "level=2", listen);
  EXPECT_EQ(path(), "/level=2");
  begin("solve");
  open.set_value("level=", "level=3", listen);
  open.set_value("level=", "level=4", listen);
  EXPECT_EQ(path(), "/level=2/solve/level=4");
  open.end_value("level=", listen);
  EXPECT_EQ(path(), "/level=2/solve");
  open.end("solve", listen);
  EXPECT_EQ(path(), "");
}

TEST_F(ToldRegions, ValuesOfOneKeyThatWereBegunNestAndEndOneByOne) {
  begin_value("level=1");
  begin_value("level=2");
  open.end_value("level=", listen);
  EXPECT_EQ(path(), "/level=1");
  open.end_value("lev", listen);
  EXPECT_EQ(path(), "");
}

TEST_F(ToldRegions, ARegionEndsWithTheObjectThatItBelongsTo) {
  const int first = 0;
  const int second = 0;
  begin("loop", &first);
  begin("scope", &second);
  open.end_of(&first, listen);
  EXPECT_EQ(path(), "");
  open.end_of(&second, listen);
  open.end_of(&first, listen);
  EXPECT_EQ(path(), "");
}

TEST_F(ToldRegions, WhatIsBeyondTheRoomIsUnheardUntilItHasEnded) {
  const std::string long_name(300, 'x');
  for (int i = 0; i < 100; ++i) begin(long_name.c_str());
  const std::size_t heard = regions.size();
  EXPECT_GE(heard, 10U);
  EXPECT_EQ(regions.back(), std::string(200, 'x'));
  for (std::size_t i = heard; i < 100; ++i) open.end(long_name, listen);
  EXPECT_EQ(regions.size(), heard);
  for (std::size_t i = 0; i < heard; ++i) open.end(long_name, listen);
  EXPECT_EQ(path(), "");
  for (int i = 0; i < 100; ++i) begin("short");
  EXPECT_EQ(regions.size(), 64U);
  for (int i = 0; i < 100; ++i) open.end("short", listen);
  EXPECT_EQ(path(), "");
}

TEST_F(ToldRegions, ValuesOfTwoKeysAreReplacedInTurn) {
  begin("main");
  for (int i = 0; i < 200; ++i) {
    open.set_value("a=", i % 2 ? "a=1" : "a=2", listen);
    open.set_value("b=", "b=1", listen);
    EXPECT_LE(regions.size(), 3U);
  }
  begin("solve");
  EXPECT_EQ(path(), "/main/a=1/b=1/solve");
  open.end("solve", listen);
  open.end_value("a=", listen);
  EXPECT_EQ(path(), "/main/b=1");
  open.end_value("b=", listen);
  EXPECT_EQ(path(), "/main");
}

TEST_F(ToldRegions, NothingStaysOpenWhateverTheOrder) {
  std::mt19937 random(1);
  const char* const names[] = {"a", "b", "a/b"};
  const char* const values[] = {"a=1", "a=2", "b=1"};
  for (int round = 0; round < 200; ++round) {
    begin("all");
    for (int i = 0; i < 60; ++i) {
      const auto which = static_cast<std::uint32_t>(random() % 3);
      switch (random() % 6) {
        case 0:
          begin(names[which]);
          break;
        case 1:
          open.end(names[which], listen);
          break;
        case 2:
          begin_value(values[which]);
          break;
        case 3:
          open.set_value(which == 2 ? "b=" : "a=", values[which], listen);
          break;
        case 4:
          open.end_value(which == 2 ? "b=" : "a=", listen);
          break;
        default:
          open.end_innermost(listen);
          if (regions.empty()) begin("all");
      }
      if (HasFatalFailure()) return;
    }
    while (!regions.empty())
      open.end("all", listen), open.end_innermost(listen), open.end_value("a=", listen), open.end_value("b=", listen);
    ASSERT_EQ(path(), "");
  }
}

}  // namespace
}  // namespace cairn
