// SPDX-License-Identifier: BSD-3-Clause
// service_tables_test.cc - the tables behind the services "cairn.requests", "cairn.ranks" and "cairn.datatypes"

#include <gtest/gtest.h>

#include <atomic>
#include <set>
#include <thread>
#include <vector>

#include "services/size_table.hpp"
#include "shared/scratch.hpp"
#include "shared/table.hpp"

namespace services {
namespace {

// Tables of handles are never destroyed: services use theirs until the process is gone.

TEST(HandleTable, HasNoPlaceForWhatWasNeverAdded) {
  static HandleTable<int, 3> table;
  EXPECT_EQ(table.find(7), nullptr);
  EXPECT_EQ(table.find_at_once(7), nullptr);
  table.find_or_add(8);
  EXPECT_EQ(table.find(7), nullptr);
}

TEST(HandleTable, KeepsEachPlaceWhereItIsHoweverManyThereAre) {
  static HandleTable<int, 3> table;  // eight groups of seven: most of these are in chains
  std::vector<int*> places;
  for (int key = 1; key <= 1000; ++key) {
    places.push_back(table.find_or_add(static_cast<std::uint64_t>(key)));
    EXPECT_EQ(*places.back(), 0);
    *places.back() = key;
  }
  EXPECT_EQ(std::set(places.begin(), places.end()).size(), places.size());
  for (int key = 1; key <= 1000; ++key) {
    const auto bits = static_cast<std::uint64_t>(key);
    int* const place = places[static_cast<std::size_t>(key - 1)];
    EXPECT_EQ(*place, key);
    EXPECT_EQ(table.find(bits), place);
    EXPECT_EQ(table.find_or_add(bits), place);
    if (int* const at_once = table.find_at_once(bits); at_once != nullptr) EXPECT_EQ(at_once, place);
    else EXPECT_EQ(table.search(bits), place);
  }
}

TEST(HandleTable, GivesOnePlaceToThreadsThatAddTheSameKey) {
  static HandleTable<std::atomic<int>, 2> table;
  std::vector<std::thread> threads;
  for (int thread = 0; thread < 4; ++thread)
    threads.emplace_back([&] {
      for (std::uint64_t key = 1; key <= 2000; ++key) ++*table.find_or_add(key);
    });
  for (std::thread& thread : threads) thread.join();
  for (std::uint64_t key = 1; key <= 2000; ++key) EXPECT_EQ(*table.find(key), 4);
}

TEST(SizeTable, RemembersUntilForgotten) {
  SizeTable table;
  EXPECT_EQ(table.at(5).size(), SizeTable::unknown);
  table.at(5).remember(12);
  EXPECT_EQ(table.at(5).size(), 12U);
  table.at(5).remember(0);  // another size of the same handle: of the datatype that has it now
  EXPECT_EQ(table.at(5).size(), 0U);
  table.forget(5);
  EXPECT_EQ(table.at(5).size(), SizeTable::unknown);
}

TEST(SizeTable, MistakesNoHandleForAnother) {
  SizeTable table;
  for (std::uint64_t handle = 0; handle < 20'000; ++handle) {
    table.at(handle).remember(handle);
    EXPECT_EQ(table.at(handle).size(), handle);
  }
  std::size_t known = 0;
  for (std::uint64_t handle = 0; handle < 20'000; ++handle)
    if (const std::uint64_t size = table.at(handle).size(); size != SizeTable::unknown) {
      EXPECT_EQ(size, handle);
      ++known;
    }
  EXPECT_GT(known, 2000U);  // of 4096 words
  EXPECT_EQ(table.at((std::uint64_t{1} << 45U) - 1).size(), SizeTable::unknown);
}

TEST(SizeTable, KeepsNoSizeThatDoesNotFit) {
  SizeTable table;
  table.at(5).remember((std::uint64_t{1} << 30U) - 1);
  EXPECT_EQ(table.at(5).size(), (std::uint64_t{1} << 30U) - 1);
  table.forget(5);
  table.at(5).remember(std::uint64_t{1} << 30U);
  EXPECT_EQ(table.at(5).size(), SizeTable::unknown);
}

/// MPI may give the handle to another datatype as soon as the first is freed.
TEST(SizeTable, TakesNoSizeThatWasAskedForBeforeTheHandleWasFreed) {
  SizeTable table;
  for (int turn = 0; turn < 3; ++turn) {
    SizeTable::Place asked = table.at(5);
    table.forget(5);
    asked.remember(4);
    EXPECT_EQ(table.at(5).size(), SizeTable::unknown);
  }
}

TEST(SizeTable, ForgetsNoOtherHandle) {
  SizeTable table;
  table.at(1).remember(8);
  for (std::uint64_t handle = 2; handle < 20'000; ++handle) table.forget(handle);
  EXPECT_EQ(table.at(1).size(), 8U);
}

TEST(Scratch, HoldsFewOnTheStackAndManyInMemoryThatIsKept) {
  const auto is_in = [](const auto& scratch, const void* data) {
    const auto* const begin = reinterpret_cast<const char*>(&scratch);
    return data >= begin && data < begin + sizeof scratch;
  };
  const long* kept = nullptr;
  {
    Scratch<long> few(8);
    EXPECT_TRUE(is_in(few, few.data()));
    Scratch<long> many(9);
    EXPECT_FALSE(is_in(many, many.data()));
    kept = many.data();
    Scratch<long> within(9);  // a callback's, meanwhile
    EXPECT_NE(within.data(), kept);
  }
  Scratch<long> again(9);
  EXPECT_NE(again.data(), nullptr);
  Scratch<long> more(1000);
  more[999] = 1;
  EXPECT_EQ(more.data()[999], 1);
}

}  // namespace
}  // namespace services
