// SPDX-License-Identifier: BSD-3-Clause
// rows_test.cc - profile's tables when they are full, and sums that do not depend on the order of merging.

#include <gtest/gtest.h>

#include <random>

#include "record.hpp"
#include "rows.hpp"

namespace profile {
namespace {

constexpr auto any_function = static_cast<cairn::Function>(0);

TEST(Sites, BeyondTheLimitOnlyTheFunctionIsKept) {
  std::size_t count = 0;
  Sites sites(count, nullptr);
  constexpr std::uint64_t places = 2 * Sites::limit;
  for (std::uint64_t round = 0; round < 2; ++round)
    for (std::uint64_t place = 1; place <= places; ++place) sites.at(any_function, place).figures.add(place);
  EXPECT_LE(sites.all().size(), Sites::limit + 1);
  EXPECT_GT(sites.merged_calls(), 0U);
  std::uint64_t calls = 0;
  std::uint64_t ticks = 0;
  for (const auto& entry : sites.all()) {
    const Site& site = *entry;
    calls += site.figures.calls;
    ticks += site.figures.ticks;
  }
  EXPECT_EQ(calls, 2 * places);
  EXPECT_EQ(ticks, places * (places + 1));
}

TEST(Sites, TablesOfOneThreadShareTheLimit) {
  std::size_t count = 0;
  Sites one(count, nullptr);
  Sites other(count, nullptr);
  for (std::uint64_t place = 1; place <= Sites::limit; ++place) one.at(any_function, place);
  other.at(any_function, 1).figures.add(1);
  EXPECT_EQ(other.all().front()->place, 0U);
  EXPECT_EQ(other.merged_calls(), 1U);
}

Figures random_figures(std::mt19937_64& random) {
  Figures figures;
  for (std::uint64_t i = random() % 20 + 1; i > 0; --i) {
    figures.add(random() % 1'000'000);
    figures.add_sent(random() % 4096);
  }
  figures.transfers = {random() % 10, random() % 1000, random() % 1000};
  return figures;
}

/// As ranks meet: pairs, by way of bytes.
Rows merged(std::vector<Rows> ranks, std::mt19937_64& random) {
  while (ranks.size() > 1) {
    std::swap(ranks[random() % ranks.size()], ranks.back());
    const std::string bytes = pack(ranks.back());
    ranks.pop_back();
    unpack(ranks[random() % ranks.size()], bytes);
  }
  return ranks.front();
}

TEST(Rows, AddUpInAnyOrder) {
  run_clock.anchor();
  for (unsigned seed = 0; seed < 20; ++seed) {
    std::mt19937_64 random(seed);
    std::vector<Rows> ranks(17);
    std::map<std::string, Row> expected;
    for (int rank = 0; rank < 17; ++rank)
      for (const char* key : {"f1", "f2", "s1", "s2"}) {
        if (random() % 4 == 0) continue;
        const Row row = row_of(random_figures(random), rank);
        ranks[static_cast<std::size_t>(rank)][key] = row;
        Row& sum = expected[key];
        sum.calls += row.calls;
        sum.sent += row.sent;
        sum.transfers += row.transfers;
        sum.ranks += 1;
        sum.time += row.time;
        sum.rank_max = std::max(sum.rank_max, row.time);
        for (std::size_t i = 0; i < bin_count; ++i) sum.by_size[i] += row.by_size[i];
      }
    const Rows all = merged(ranks, random);
    ASSERT_EQ(all.size(), expected.size());
    for (const auto& [key, row] : all) {
      const Row& sum = expected[key];
      EXPECT_EQ(row.calls, sum.calls);
      EXPECT_EQ(row.sent, sum.sent);
      EXPECT_EQ(row.transfers, sum.transfers);
      EXPECT_EQ(row.ranks, sum.ranks);
      EXPECT_EQ(row.by_size, sum.by_size);
      EXPECT_NEAR(row.time, sum.time, 1e-12);
      EXPECT_EQ(row.rank_max, sum.rank_max);
      EXPECT_LE(row.rank_min, row.time / row.ranks + 1e-12);
    }
  }
}

TEST(Gathered, TimesOfRanksTravelBesideTheRows) {
  const Row one = row_of(Figures(), 1);
  Gathered all{{{"f1", one}}, {{"", {{1, 0.5}}}, {"MPI_Send", {{1, 0.25}}}}};
  unpack(all, pack(Gathered{{{"f1", one}, {"f2", one}}, {{"", {{2, 1.5}, {3, 2.5}}}}}));
  unpack(all, pack(Gathered{{{"f1", one}}, {}}));
  EXPECT_EQ(all.rank_times, (RankTimes{{"", {{1, 0.5}, {2, 1.5}, {3, 2.5}}}, {"MPI_Send", {{1, 0.25}}}}));
  ASSERT_EQ(all.rows.size(), 2U);
  EXPECT_EQ(all.rows.at("f1").ranks, 3);
  EXPECT_EQ(all.rows.at("f2").ranks, 1);
}

TEST(Keys, ComeBackAsTheyWere) {
  const std::string text("a\0b", 3);
  const KeyWriter key = KeyWriter(RowKind::region_function).put(text).put(7).put(std::string());
  KeyReader reader(key.key());
  EXPECT_EQ(reader.kind(), RowKind::region_function);
  EXPECT_EQ(reader.take_text(), text);
  EXPECT_EQ(reader.take<int>(), 7);
  EXPECT_EQ(reader.take_text(), "");
  EXPECT_TRUE(reader.at_end());
}

}  // namespace
}  // namespace profile
