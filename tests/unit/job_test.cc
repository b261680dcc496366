// SPDX-License-Identifier: BSD-3-Clause
// job_test.cc - what ranks agree on, without ranks: trees over some of them, who has which tool, the order of finishing

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "job/clock_table.hpp"
#include "job/gaps.hpp"
#include "job/places.hpp"
#include "job/roster.hpp"
#include "job/tree.hpp"
#include "job/turns.hpp"

namespace {

using namespace cairn::engine;

// ------------------------------------------------------------ clocks

TEST(JobClocks, AreAsFarApartAsTheShortestRoundTripTells) {
  RoundTrips trips;  // the other clock is 1000 behind
  trips.add(5'000, 4'900, 5'800);
  trips.add(6'000, 5'015, 6'021);
  trips.add(7'000, 6'300, 7'400);
  EXPECT_EQ(trips.offset_ns(), 995);  // it is 1000: within the error
  EXPECT_EQ(trips.error_ns(), 11);
}

TEST(JobClocks, AreKnownByTheFirstRankThatHasThem) {
  std::mt19937_64 random(1);
  for (int round = 0; round < 20; ++round) {
    std::vector<ClockTable> parts(8);
    for (int rank = 0; rank < 100; ++rank)
      parts[random() % parts.size()].add({static_cast<std::uint64_t>(40 + rank % 7), rank});
    ClockTable all;
    for (const ClockTable& part : parts) all.add(ClockTable::from_bytes(part.to_bytes()));
    ASSERT_EQ(all.size(), 7U);
    for (int place = 0; place < 7; ++place) {
      EXPECT_EQ(all.rows()[static_cast<std::size_t>(place)].rank, place);
      EXPECT_EQ(all.of(static_cast<std::uint64_t>(40 + place))->rank, place);
    }
    EXPECT_EQ(all.of(7), nullptr);
  }
}

// ------------------------------------------------------------ tree

/// A job of which some ranks have Cairn, and how often each was asked about.
struct Ranks {
  std::vector<bool> have;
  mutable std::vector<int> questions = std::vector<int>(have.size());

  int size() const { return static_cast<int>(have.size()); }
  auto has() const {
    return [this](int rank) {
      ++questions[static_cast<std::size_t>(rank)];
      return have[static_cast<std::size_t>(rank)] == true;
    };
  }
};

/// Every rank that has Cairn is its parent's child, and the first is above all.
void expect_tree(const Ranks& ranks) {
  const int first = first_of(ranks.size(), ranks.has());
  const Tree tree(first, ranks.size(), ranks.has());
  std::vector<int> reached{first};
  for (std::size_t i = 0; i < reached.size(); ++i)
    for (const int child : tree.children(reached[i])) {
      EXPECT_TRUE(ranks.have[static_cast<std::size_t>(child)]);
      EXPECT_EQ(tree.parent(child), reached[i]);
      reached.push_back(child);
    }
  std::ranges::sort(reached);
  std::vector<int> all;
  for (int rank = 0; rank < ranks.size(); ++rank)
    if (ranks.have[static_cast<std::size_t>(rank)]) all.push_back(rank);
  EXPECT_EQ(reached, all);
}

TEST(JobTree, JoinsAllRanksThatHaveCairnWhicheverTheseAre) {
  for (unsigned size = 1; size <= 10; ++size)
    for (unsigned set = 1; set < 1U << size; ++set) {
      Ranks ranks{std::vector<bool>(size)};
      for (unsigned rank = 0; rank < size; ++rank) ranks.have[rank] = (set >> rank & 1U) != 0;
      expect_tree(ranks);
    }
}

TEST(JobTree, JoinsLargeJobsWithGaps) {
  std::mt19937 random(7);
  for (const unsigned one_in : {2U, 3U, 50U}) {
    Ranks ranks{std::vector<bool>(1000)};
    for (std::size_t rank = 0; rank < 1000; ++rank) ranks.have[rank] = random() % one_in == 0;
    ranks.have[17] = true;
    expect_tree(ranks);
  }
}

TEST(JobTree, ARankAsksForFewOthersWhereAllHaveCairn) {
  for (const int rank : {0, 1, 511, 512, 1023}) {
    const Ranks ranks{std::vector<bool>(1024, true)};
    const Tree tree(first_of(1024, ranks.has()), 1024, ranks.has());
    EXPECT_LE(tree.children(rank).size(), 10U);
    if (rank != 0) tree.parent(rank);
    EXPECT_LE(std::accumulate(ranks.questions.begin(), ranks.questions.end(), 0), 12);
  }
}

TEST(JobTree, OfOneRankIsTheRank) {
  const Ranks ranks{{true}};
  EXPECT_EQ(first_of(1, ranks.has()), 0);
  EXPECT_TRUE(Tree(0, 1, ranks.has()).children(0).empty());
}

// ------------------------------------------------------------ roster

const InstanceName profile{"profile", 1};
const InstanceName second_profile{"profile", 2};
const InstanceName comm{"comm", 1};

Roster roster_of(const std::vector<Instances>& ranks) {
  Roster all;
  for (std::size_t rank = ranks.size(); rank-- > 0;)
    all.add(Roster(ranks[rank], static_cast<int>(rank), rank % 2 == 0 ? "even" : "odd"));
  return all;
}

std::string text(const RankRanges& ranges) { return ranks_text(ranges); }

TEST(JobRoster, IsOneLineWhereAllRanksHaveTheSame) {
  Roster roster;
  for (int rank = 0; rank < 100; ++rank) roster.add(Roster({profile, comm}, rank, "node"));
  EXPECT_TRUE(roster.is_uniform());
  EXPECT_EQ(roster.stacks().size(), 1U);
  EXPECT_EQ(text(roster.ranks_with(comm)), "0-99");
  EXPECT_LT(roster.to_bytes().size(), 90U);
}

TEST(JobRoster, KnowsWhoIsOnWhichNode) {
  Roster roster({profile}, 0, "a");
  roster.add(Roster({comm}, 2, "b"));
  roster.add(Roster({profile}, 1, "a"));
  const Roster back = Roster::from_bytes(roster.to_bytes());
  ASSERT_EQ(back.nodes().size(), 2U);
  EXPECT_EQ(text(back.nodes().at("a")), "0-1");
  EXPECT_EQ(text(back.nodes().at("b")), "2");
}

TEST(JobRoster, KnowsWhoHasWhat) {
  const Roster roster = roster_of({{profile}, {comm, profile}, {}, {profile, second_profile}});
  EXPECT_FALSE(roster.is_uniform());
  EXPECT_EQ(text(roster.ranks()), "0-3");
  EXPECT_EQ(text(roster.ranks_with(profile)), "0-1,3");
  EXPECT_EQ(text(roster.ranks_with(second_profile)), "3");
  EXPECT_EQ(text(roster.ranks_with({"vars", 1})), "");
  EXPECT_EQ(roster.instances(), (Instances{profile, comm, second_profile})) << "the first rank's order comes first";
}

TEST(JobRoster, TravelsAsBytes) {
  const Roster roster = roster_of({{profile}, {{"/opt/a tool.so", 3}, profile}, {profile}, {}});
  const Roster back = Roster::from_bytes(roster.to_bytes());
  EXPECT_EQ(back.to_bytes(), roster.to_bytes());
  EXPECT_EQ(back.instances(), roster.instances());
  EXPECT_EQ(text(back.ranks_with(profile)), "0-2");
  EXPECT_TRUE(Roster::from_bytes("").ranks().empty());
}

TEST(JobRoster, MayBePutTogetherInAnyOrder) {
  const Roster one = roster_of({{profile}, {comm}, {profile}, {comm}, {profile}});
  Roster odd = Roster({comm}, 3, "odd");
  odd.add(Roster({comm}, 1, "odd"));
  Roster other = Roster({profile}, 2, "even");
  other.add(odd);
  other.add(Roster({profile}, 4, "even"));
  other.add(Roster({profile}, 0, "even"));
  EXPECT_EQ(other.to_bytes(), one.to_bytes());
}

/// "profile #2: 0-1", or "everywhere" for its ranks; "": Cairn.
std::vector<std::string> gaps_of(const Gaps& gaps) {
  std::vector<std::string> all;
  for (const cairn_job_gap& gap : gaps.shown()) {
    const std::string name = gap.tool == nullptr ? "" : gap.tool + (" #" + std::to_string(gap.instance));
    all.push_back(name + ": " + (gap.everywhere != 0 ? "everywhere, " : "") + gap.ranks +
                  (gap.many != 0 ? "" : " only"));
  }
  return all;
}

TEST(JobGaps, AreRanksThatLackWhatOthersHave) {
  Roster roster = roster_of({{profile}, {profile, second_profile}});
  roster.add(Roster({profile, comm}, 3, "odd"));
  const std::vector<std::string> expected{": 2 only", "comm #1: 0-1", "profile #2: 0,3"};
  std::vector<std::string> found = gaps_of(Gaps(roster, {profile}, 4));
  std::ranges::sort(found);
  EXPECT_EQ(found, expected);
  EXPECT_TRUE(gaps_of(Gaps(roster_of({{profile}, {profile}}), {profile}, 2)).empty());
}

TEST(JobGaps, AreToolsThatNoRankCouldLoad) {
  const Roster roster = roster_of({{profile}, {comm}});
  EXPECT_EQ(gaps_of(Gaps(roster, {profile, comm, second_profile}, 2)),
            (std::vector<std::string>{"profile #1: 1 only", "comm #1: 0 only", "profile #2: everywhere, 0-1"}));
}

TEST(JobRanges, AreCountedListedAndSubtracted) {
  RankRanges ranges;
  for (const int rank : {0, 1, 2, 5, 7, 8}) append(ranges, rank);
  EXPECT_EQ(text(ranges), "0-2,5,7-8");
  EXPECT_EQ(count(ranges), 6);
  EXPECT_EQ(list(ranges), (std::vector<int>{0, 1, 2, 5, 7, 8}));
  EXPECT_EQ(text(others(ranges, 10)), "3-4,6,9");
  EXPECT_EQ(text(others(ranges, 9)), "3-4,6");
  EXPECT_EQ(text(others({}, 3)), "0-2");
  EXPECT_EQ(text({{0, 0}, {2, 2}, {4, 4}, {6, 7}}), "0-6:2,7") << "as in all files";
  EXPECT_EQ(text(without(ranges, {{1, 1}, {8, 8}}, 10)), "0,2,5,7");
  EXPECT_EQ(text(without(ranges, ranges, 10)), "");
}

// ------------------------------------------------------------ turns

/// Layers that finish, in the order in which they do.
struct Finished {
  std::vector<unsigned> levels;
  struct Layer {
    Finished* all;
    unsigned level;
  };
  std::vector<Layer> layers{{this, 0}, {this, 1}, {this, 2}, {this, 3}};

  void arrive(Turns& turns, unsigned level) {
    const auto finish = [](void* layer) {
      static_cast<Layer*>(layer)->all->levels.push_back(static_cast<Layer*>(layer)->level);
    };
    turns.take(level, finish, &layers[level]);
  }
};

TEST(JobTurns, WithoutAnOrderEachFinishesAsItComes) {
  Turns turns;
  Finished finished;
  for (const unsigned level : {2U, 1U, 3U}) finished.arrive(turns, level);
  EXPECT_EQ(finished.levels, (std::vector<unsigned>{2, 1, 3}));
  turns.run_rest();
  EXPECT_EQ(finished.levels.size(), 3U);
}

TEST(JobTurns, WithAnOrderWhoComesEarlyWaits) {
  Turns turns;
  Finished finished;
  turns.set_order({3, 1, 2});
  finished.arrive(turns, 1);
  finished.arrive(turns, 2);
  EXPECT_TRUE(finished.levels.empty());
  finished.arrive(turns, 3);
  EXPECT_EQ(finished.levels, (std::vector<unsigned>{3, 1, 2}));
}

TEST(JobTurns, WhoNeverComesDoesNotKeepTheOthers) {
  Turns turns;
  Finished finished;
  turns.set_order({3, 1, 2});
  finished.arrive(turns, 2);
  finished.arrive(turns, 1);
  turns.run_rest();
  EXPECT_EQ(finished.levels, (std::vector<unsigned>{1, 2}));
}

TEST(JobTurns, WhoIsNotInTheOrderFinishesAtOnce) {
  Turns turns;
  Finished finished;
  turns.set_order({1, 2});
  finished.arrive(turns, 3);
  EXPECT_EQ(finished.levels, (std::vector<unsigned>{3}));
}

TEST(JobTurns, HeldTheyFinishAtTheFootHoweverOftenTheyCome) {
  Turns turns;
  Finished finished;
  turns.hold();
  turns.set_order({1, 2});
  for (const unsigned level : {1U, 2U, 1U, 2U}) finished.arrive(turns, level);
  EXPECT_TRUE(finished.levels.empty());
  turns.run_rest();
  EXPECT_EQ(finished.levels, (std::vector<unsigned>{1, 2}));
}

TEST(Places, RanksInOnePlaceAreOneLineAndSurviveTheirWay) {
  Places all = Places({"n2", "0-3"}, 5);
  all.add(Places({"n1", "0-3"}, 0));
  all.add(Places({"n1", "0-3"}, 1));
  all.add(Places({"n1", "7"}, 2));
  const Places back = Places::from_bytes(all.to_bytes());
  std::vector<std::string> lines;
  for (const auto& [place, ranks] : back.ranks())
    lines.push_back(place.node + " " + place.processors + " " + ranks_text(ranks));
  EXPECT_EQ(lines, (std::vector<std::string>{"n1 0-3 0-1", "n1 7 2", "n2 0-3 5"}));
  EXPECT_TRUE(Places::from_bytes("").ranks().empty());
}

TEST(Places, AProcessKnowsItsOwn) {
  const Place here = Place::of_this_process();
  EXPECT_NE(here.node, "");
  EXPECT_NE(here.processors, "");
}

}  // namespace
