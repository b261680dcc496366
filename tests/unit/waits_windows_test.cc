// SPDX-License-Identifier: BSD-3-Clause
// waits_windows_test.cc - waits of one-sided communication and of neighborhood calls, and regions

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <set>

#include "waits/one_sided.hpp"
#include "waits/packing.hpp"
#include "waits/spells.hpp"
#include "waits_job.hpp"

namespace cairn::waits {
namespace {

/// As `communicator`s of a Job: a window, and a graph in which each receives from some.
constexpr Index window = 2;
constexpr Index graph_comm = 3;

/// Ranks with windows, and what each call waits for by the words of docs/waits.md.
class WindowJob {
 public:
  struct Moment {
    int rank;
    Index call;
  };
  struct Epoch {
    int rank;
    int target;  // -1: all
    bool is_exclusive;
    Index first, last;
    Index had;  // the first call that cannot return without it
  };

  explicit WindowJob(int size) : job(size), now_(static_cast<std::size_t>(size)) {
    for (int rank = 0; rank < size; ++rank) {
      job.of(rank).comms.push_back({9, "", size, {}});
      job.of(rank).comms.push_back({11, "graph", size, {}});
      one_sided_.emplace_back(job.of(rank));
    }
  }

  /// After `work`, for `length`.
  Index call(int rank, const std::string& function, std::int64_t work, std::int64_t length, int target = -1,
             bool is_exclusive = false) {
    std::int64_t& now = now_[static_cast<std::size_t>(rank)];
    const std::int64_t entry = now + work;
    now = entry + length;
    const Index place = job.call(rank, function, 10, entry, now);
    trace::Record record{};
    record.peer = target;
    record.flags =
        static_cast<std::uint16_t>((target >= 0 ? page::has_peer : 0) | (is_exclusive ? page::exclusive : 0));
    one_sided_[static_cast<std::size_t>(rank)].call(function, record, window, target, place);
    return place;
  }
  void partner(int rank, const std::string& function, int world, Index place) {
    one_sided_[static_cast<std::size_t>(rank)].partner(function, world, window, place);
  }
  const Call& at(Moment moment) { return job.of(moment.rank).calls[moment.call]; }
  std::int64_t now() const { return std::ranges::max(now_); }

  Job job;
  std::map<std::pair<int, Index>, std::vector<Moment>> waits_for;
  std::vector<Epoch> epochs;

 private:
  std::vector<std::int64_t> now_;
  std::vector<OneSided> one_sided_;
};

class Random {
 public:
  explicit Random(std::uint64_t seed) : random_(seed) {}
  int below(int most) { return static_cast<int>(random_() % static_cast<std::uint64_t>(most)); }
  std::int64_t span() { return 1 + below(1000); }
  std::set<int> others(int size, int own) {
    std::set<int> ranks{(own + 1 + below(size - 1)) % size};
    for (int rank = 0; rank < size; ++rank)
      if (rank != own && below(2) == 0) ranks.insert(rank);
    return ranks;
  }

 private:
  std::mt19937_64 random_;
};

void expose(WindowJob& all, Random& random, int size) {
  const int target = random.below(size);
  const std::set<int> origins = random.others(size, target);
  const Index post = all.call(target, "MPI_Win_post", random.span(), 1);
  for (const int origin : origins) all.partner(target, "MPI_Win_post", origin, post);
  std::vector<WindowJob::Moment> completes;
  for (const int origin : origins) {
    const Index start = all.call(origin, "MPI_Win_start", random.span(), random.span());
    all.partner(origin, "MPI_Win_start", target, start);
    for (int i = random.below(3), is_first = 1; i > 0; --i, is_first = 0) {
      const Index put = all.call(origin, "MPI_Put", random.span(), random.span(), target);
      if (is_first != 0) all.waits_for[{origin, put}].push_back({target, post});
    }
    const Index complete = all.call(origin, "MPI_Win_complete", random.span(), random.span());
    all.waits_for[{origin, start}].push_back({target, post});
    all.waits_for[{origin, complete}].push_back({target, post});
    completes.push_back({origin, complete});
  }
  all.waits_for[{target, all.call(target, "MPI_Win_wait", random.span(), random.span())}] = completes;
}

void lock(WindowJob& all, Random& random, int size) {
  const int rank = random.below(size);
  const int target = random.below(4) == 0 ? -1 : random.below(size);
  const bool is_exclusive = target >= 0 && random.below(2) == 0;
  const std::string ending = target < 0 ? "_all" : "";
  const Index first = all.call(rank, "MPI_Win_lock" + ending, random.span(), random.span(), target, is_exclusive);
  if (random.below(2) == 0) all.call(rank, "MPI_Win_flush", random.span(), random.span(), std::max(0, target));
  all.call(rank, "MPI_Put", random.span(), random.span(), std::max(0, target));
  const bool is_flushed = target >= 0 && random.below(2) == 0;
  const Index flush = is_flushed ? all.call(rank, "MPI_Win_flush", random.span(), random.span(), target) : none;
  const Index last = all.call(rank, "MPI_Win_unlock" + ending, random.span(), random.span(), target);
  all.epochs.push_back({rank, target, is_exclusive, first, last, is_flushed ? flush : last});
}

void exchange(WindowJob& all, Random& random, int size, std::uint32_t number) {
  std::vector<Index> calls;
  for (int rank = 0; rank < size; ++rank) {
    calls.push_back(all.call(rank, "MPI_Neighbor_alltoall", random.span(), random.span()));
    all.job.of(rank).together.push_back({graph_comm, number, -1, calls.back(), calls.back()});
  }
  for (int rank = 0; rank < size; ++rank)
    for (const int source : all.job.of(rank).comms[graph_comm].sources)
      all.waits_for[{rank, calls[static_cast<std::size_t>(rank)]}].push_back(
          {source, calls[static_cast<std::size_t>(source)]});
}

/// The holder before is whoever gave back last, of those who surely had a conflicting lock before: the last exclusive one
/// of the target, and, for an exclusive one, other ranks' shared ones since then; for all targets, other ranks' exclusive
/// ones.
void find_holders(WindowJob& all) {
  using Epoch = WindowJob::Epoch;
  const auto had = [&](const Epoch& one) { return all.at({one.rank, one.had}).exit; };
  const auto given_back = [&](const Epoch& one) { return all.at({one.rank, one.last}).entry; };
  for (const Epoch& own : all.epochs) {
    const Epoch* exclusive = nullptr;
    for (const Epoch& other : all.epochs)
      if (other.is_exclusive && own.target == other.target && had(other) < had(own) &&
          (exclusive == nullptr || had(*exclusive) < had(other)))
        exclusive = &other;
    for (const Epoch& other : all.epochs)
      if (own.target < 0 && other.is_exclusive && other.rank != own.rank && had(other) < had(own) &&
          (exclusive == nullptr || given_back(other) > given_back(*exclusive)))
        exclusive = &other;
    const Epoch* holder = exclusive;
    for (const Epoch& other : all.epochs) {
      if (!own.is_exclusive || other.is_exclusive || other.rank == own.rank || had(other) > had(own)) continue;
      const bool is_since = exclusive == nullptr || had(other) > had(*exclusive);
      if (other.target >= 0 && (other.target != own.target || !is_since)) continue;
      if (holder == nullptr || given_back(other) > given_back(*holder)) holder = &other;
    }
    if (holder == nullptr || holder->rank == own.rank) continue;
    for (Index call = own.first; call <= own.last; ++call)
      all.waits_for[{own.rank, call}].push_back({holder->rank, holder->last});
  }
}

/// No two locks are surely had at the same moment.
bool is_clear(WindowJob& all) {
  std::set<std::int64_t> ends;
  for (const auto& epoch : all.epochs)
    if (!ends.insert(all.at({epoch.rank, epoch.had}).exit).second) return false;
  return true;
}

TEST(WaitsOfWindows, AndNeighborsOfRandomProgramsAreAsDefinedToTheNanosecond) {
  int compared = 0;
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    Random random(seed);
    const int size = 2 + random.below(7);
    WindowJob all(size);
    for (int rank = 0; rank < size; ++rank) {
      const std::set<int> sources = random.others(size, rank);
      all.job.of(rank).comms[graph_comm].sources.assign(sources.begin(), sources.end());
    }
    for (std::uint32_t step = 0; step < 60; ++step) {
      const int what = random.below(3);
      if (what == 0) expose(all, random, size);
      else if (what == 1) lock(all, random, size);
      else exchange(all, random, size, step);
    }
    if (!is_clear(all)) continue;
    find_holders(all);
    all.job.finalize(all.now() + 1);
    for (RankRecords& rank : all.job.ranks) rank = unpacked(packed(rank));
    const Graph graph(all.job.ranks);
    const Waits waits(graph);
    std::int64_t charged = 0;
    for (Index node = 0; node < graph.nodes.size(); ++node) {
      const Index call = node - graph.lanes[graph.nodes[node].lane].first;
      std::int64_t until = graph.nodes[node].entry;
      for (const auto& other : all.waits_for[{graph.rank(node), call}])
        if (all.at(other).entry <= graph.nodes[node].exit) until = std::max(until, all.at(other).entry);
      if (graph.function(node) == "MPI_Finalize") until = all.now() + 1;
      ASSERT_EQ(waits.ns(graph, node), until - graph.nodes[node].entry) << seed << ' ' << graph.function(node);
      compared += until > graph.nodes[node].entry ? 1 : 0;
      charged += waits.ns(graph, node);
    }
    double costs = 0;
    for (const CauseSum& cause : causes_of(graph, waits)) costs += cause.cost_ns;
    EXPECT_NEAR(costs, static_cast<double>(charged), 1 + 1e-9 * costs) << seed;
    const Dependencies dependencies(graph, waits);
    Replay replay(dependencies);
    EXPECT_EQ(replay.run({}), graph.end_ns - graph.begin_ns) << seed;
  }
  EXPECT_GT(compared, 500);
}

/// Four steps: rank 0 exposes its memory late, rank 1 accesses it.
TEST(WaitsOfWindows, ForALatePostAreChargedToTheWorkBeforeItAndItsMendingIsPredicted) {
  WindowJob all(2);
  for (int step = 0; step < 4; ++step) {
    const Index post = all.call(0, "MPI_Win_post", 30 * ms, 0);
    all.partner(0, "MPI_Win_post", 1, post);
    all.call(0, "MPI_Win_wait", 0, 2 * ms);
    const Index start = all.call(1, "MPI_Win_start", 10 * ms, 21 * ms);
    all.partner(1, "MPI_Win_start", 0, start);
    all.call(1, "MPI_Win_complete", 0, 1 * ms);
  }
  all.job.finalize(all.now());
  const Summary summary = summary_of(all.job);
  ASSERT_NE(find(summary, "late_post"), nullptr);
  EXPECT_NEAR(find(summary, "late_post")->time, 4 * 0.020, 1e-9);
  EXPECT_EQ(find(summary, "late_post")->ranks, std::vector<int>{1});
  EXPECT_NEAR(find(summary, "late_complete")->time, 4 * 0.001, 1e-9);
  EXPECT_EQ(summary.causes[0].ranks, std::vector<int>{0});
  EXPECT_EQ(summary.causes[0].to.function, "MPI_Win_post");
  EXPECT_EQ(summary.coverage.sends, 0U);
  EXPECT_EQ(summary.coverage.matched, 0U);
}

/// Rank 2 waits for rank 0, and then for rank 1, which has asked for the lock later and had it before.
TEST(WaitsOfWindows, ForALockAreChargedToAllWhoHadItMeanwhile) {
  WindowJob all(3);
  all.call(0, "MPI_Win_lock", 0, 1 * ms, 0, true);
  all.call(0, "MPI_Win_unlock", 20 * ms, 1 * ms, 0);  // from 21 ms on
  all.call(1, "MPI_Win_lock", 6 * ms, 15 * ms, 0, true);
  all.call(1, "MPI_Win_flush", 0, 1 * ms, 0);         // rank 1 has it at 22 ms
  all.call(1, "MPI_Win_unlock", 10 * ms, 1 * ms, 0);  // from 32 ms on
  all.call(2, "MPI_Win_lock", 2 * ms, 30 * ms, 0, true);
  all.call(2, "MPI_Win_flush", 0, 1 * ms, 0);
  all.call(2, "MPI_Win_unlock", 1 * ms, 1 * ms, 0);
  all.job.finalize(all.now());
  const Graph graph(all.job.ranks);
  std::map<std::string, std::map<int, double>> by_function;
  for (const CauseSum& cause : causes_of(graph, Waits(graph)))
    for (const auto& [what, cost] : cause.symptoms)
      if (what.first == WaitKind::lock_contention)
        for (const auto& [rank, ns] : cause.by_rank)
          by_function[graph.sites[cause.piece.to == none ? cause.piece.from : cause.piece.to].function][rank] = ns;
  const auto cost = [&](const char* function, int rank) { return 1e-6 * by_function[function][rank]; };
  EXPECT_NEAR(cost("MPI_Win_unlock", 0), 15 + 19, 1e-6);  // of rank 1 from 6 ms on, of rank 2 from 2 ms on
  EXPECT_NEAR(cost("MPI_Win_unlock", 1), 10, 1e-6);       // of rank 2
  EXPECT_NEAR(cost("MPI_Win_flush", 1), 1, 1e-6);
  EXPECT_EQ(by_function.size(), 2U) << "what they did without the lock keeps nobody waiting";
}

/// Rank 1 has it from 1 to 60 ms, rank 2 from 10 to 30 ms and again from 50 ms on, with which the last shared lock begins.
TEST(WaitsOfWindows, ForAnExclusiveLockAreForTheReaderWhoHasItLast) {
  WindowJob all(3);
  const auto share = [&](int rank, std::int64_t work, std::int64_t length) {
    all.call(rank, "MPI_Win_lock", work, 1 * ms, 0);
    all.call(rank, "MPI_Win_flush", 0, 1 * ms, 0);
    all.call(rank, "MPI_Win_unlock", length - 2 * ms, 1 * ms, 0);
  };
  share(1, 1 * ms, 59 * ms);
  share(2, 10 * ms, 20 * ms);
  share(2, 19 * ms, 5 * ms);
  share(0, 2 * ms, 2 * ms);  // its own does not matter
  all.call(0, "MPI_Win_lock", 0, 57 * ms, 0, true);
  all.call(0, "MPI_Win_unlock", 0, 1 * ms, 0);
  all.job.finalize(all.now());
  const Summary summary = summary_of(all.job);
  ASSERT_NE(find(summary, "lock_contention"), nullptr);
  EXPECT_NEAR(find(summary, "lock_contention")->time, 0.055, 1e-9);  // from 5 ms on
  EXPECT_EQ(summary.causes.at(0).ranks, std::vector<int>{1});
  EXPECT_EQ(summary.causes.at(0).to.function, "MPI_Win_unlock");
  EXPECT_NEAR(summary.causes.at(0).cost, 0.055, 1e-3);
}

TEST(WaitsOfWindows, ForALockOfARankThatDiedAreUnknown) {
  WindowJob all(2);
  all.call(0, "MPI_Win_lock", 1 * ms, 1 * ms, 0, true);
  all.job.of(0).end = "SIGKILL";
  all.call(1, "MPI_Win_lock", 2 * ms, 5 * ms, 0, true);
  all.call(1, "MPI_Win_unlock", 2 * ms, 5 * ms, 0);
  const Summary summary = summary_of(all.job);
  EXPECT_EQ(find(summary, "lock_contention"), nullptr);
  EXPECT_EQ(summary.coverage.left_out.size(), 1U);
}

TEST(Regions, HaveTheWorkThatWasDoneInThem) {
  RegionSpells spells;
  std::map<Index, std::int64_t> split;
  const auto note = [&](Index region, std::int64_t ns) { split[region] += ns; };
  EXPECT_EQ(spells.call_begins(100, note), 0U);
  spells.change(110, 4);  // within the call
  spells.call_ends(120);
  EXPECT_EQ(spells.call_begins(150, note), 4U);
  EXPECT_TRUE(split.empty());
  spells.call_ends(160);
  spells.change(170, 5);
  spells.change(200, 6);
  EXPECT_EQ(spells.now(), 6U);
  EXPECT_EQ(spells.call_begins(210, note), 5U);
  EXPECT_EQ(split, (std::map<Index, std::int64_t>{{4, 10}, {5, 30}, {6, 10}}));
}

/// Two ranks, each 10 ms in "a" and, before the barrier, 20 and 40 ms in "b"; the barrier is in none.
TEST(Regions, HaveEfficiencyAndTheirPartOfTheCriticalPath) {
  Job job(2);
  for (int rank = 0; rank < 2; ++rank) {
    const std::int64_t in_b = rank == 0 ? 20 * ms : 40 * ms;
    RankRecords& own = job.of(rank);
    own.regions = {"", "a", "b"};
    const Index barrier = job.call(rank, "MPI_Barrier", 5, 10 * ms + in_b, 51 * ms);
    own.calls[barrier].before = 2;
    own.spells = {{barrier, 1, 10 * ms}, {barrier, 2, in_b}};
    job.together(rank, 1, barrier, barrier);
  }
  job.finalize(51 * ms);
  const Summary summary = summary_of(job);
  ASSERT_EQ(summary.regions.size(), 3U);
  EXPECT_EQ(summary.regions[0].region, "b");
  EXPECT_NEAR(summary.regions[0].time, 0.040, 1e-9);
  EXPECT_NEAR(summary.regions[0].of.load_balance, 0.75, 1e-9);
  EXPECT_EQ(summary.regions[1].region, "");
  EXPECT_NEAR(summary.regions[1].time, 0.021, 1e-9);
  EXPECT_EQ(summary.regions[2].region, "a");
  EXPECT_NEAR(summary.regions[2].of.load_balance, 1, 1e-9);
  EXPECT_EQ(summary.causes[0].region, "b");
  EXPECT_EQ(summary.path.regions[0].name, "b");
}

}  // namespace
}  // namespace cairn::waits
