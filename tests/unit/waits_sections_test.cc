// SPDX-License-Identifier: BSD-3-Clause
// waits_sections_test.cc - runs that are analysed section by section have the figures of the whole

#include <gtest/gtest.h>

#include <barrier>
#include <cmath>
#include <map>
#include <mutex>
#include <thread>

#include "waits/agreement.hpp"
#include "waits/packing.hpp"
#include "waits_run.hpp"

namespace cairn::waits {
namespace {

/// What threads say, as processes would.
class Together {
 public:
  explicit Together(int size) : all_(size) {}

  void max_everywhere(std::span<std::int64_t> own) {
    {
      const std::lock_guard lock(mutex_);
      most_.resize(own.size(), INT64_MIN);
      for (std::size_t i = 0; i < own.size(); ++i) most_[i] = std::max(most_[i], own[i]);
    }
    all_.arrive_and_wait();
    std::ranges::copy(most_, own.begin());
    all_.arrive_and_wait();
    {
      const std::lock_guard lock(mutex_);
      most_.clear();
    }
    all_.arrive_and_wait();
  }

 private:
  std::barrier<> all_;
  std::mutex mutex_;
  std::vector<std::int64_t> most_;
};

/// By section and rank.
std::vector<std::vector<RankRecords>> sections_of(const std::vector<Process>& run, std::size_t calls) {
  Together world(static_cast<int>(run.size()));
  std::vector<std::vector<RankRecords>> by_rank(run.size());
  std::vector<std::thread> threads;
  for (std::size_t rank = 0; rank < run.size(); ++rank)
    threads.emplace_back([&, rank] {
      const trace::File file = run[rank].file();
      Reduction own(file, {}, {});
      Agreement agreement(&own, calls, [&](std::span<std::int64_t> most) { world.max_everywhere(most); });
      for (bool is_over = false; !is_over;) is_over = agreement.next(by_rank[rank].emplace_back());
    });
  for (std::thread& thread : threads) thread.join();
  std::vector<std::vector<RankRecords>> sections(by_rank[0].size());
  for (const auto& own : by_rank) {
    EXPECT_EQ(own.size(), sections.size());
    for (std::size_t i = 0; i < sections.size(); ++i) {
      EXPECT_EQ(unpacked(packed(own[i])), own[i]);
      sections[i].push_back(own[i]);
    }
  }
  return sections;
}

Summary summary_of(const std::vector<std::vector<RankRecords>>& sections) {
  Analysis analysis({});
  for (const auto& section : sections) analysis.add(section);
  return analysis.summary();
}

double waited(const Summary& summary) {
  double all = 0;
  for (const auto& wait : summary.waits) all += wait.time;
  return all;
}

/// Nanoseconds and calls by kind and place. Whether a message came in the wrong order is seen from later ones, which may
/// be in the next section.
std::map<std::pair<std::string, std::uint64_t>, std::pair<std::int64_t, std::uint64_t>> waits_of(
    const Summary& summary) {
  std::map<std::pair<std::string, std::uint64_t>, std::pair<std::int64_t, std::uint64_t>> all;
  for (const auto& wait : summary.waits) {
    auto& [ns, count] = all[{wait.kind == "wrong_order" ? "late_sender" : wait.kind, wait.place.at.offset}];
    ns += std::llround(1e9 * wait.time);
    count += wait.count;
  }
  return all;
}

void expect_alike(const Summary& one, const Summary& other, double tolerance) {
  EXPECT_EQ(one.coverage.calls, other.coverage.calls);
  EXPECT_EQ(one.coverage.sends, other.coverage.sends);
  EXPECT_EQ(one.coverage.receives, other.coverage.receives);
  EXPECT_EQ(one.coverage.matched, other.coverage.matched);
  EXPECT_EQ(one.coverage.collectives, other.coverage.collectives);
  EXPECT_EQ(one.coverage.incomplete, other.coverage.incomplete);
  EXPECT_NEAR(one.run_time, other.run_time, 1e-12);
  EXPECT_NEAR(one.split.work, other.split.work, 1e-12);
  EXPECT_NEAR(one.split.waiting, other.split.waiting, tolerance);
  EXPECT_NEAR(one.split.start, other.split.start, 1e-12);
  EXPECT_NEAR(one.split.unknown, other.split.unknown, tolerance);
  EXPECT_NEAR(one.split.all(), other.split.all(), 1e-12);
  EXPECT_NEAR(waited(one), waited(other), tolerance);
  EXPECT_NEAR(one.path.length, other.path.length, 1e-12);
}

TEST(WaitsSections, ThatEndWithMeetingsHaveTheFiguresOfTheWhole) {
  std::size_t most = 0;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    SCOPED_TRACE(seed);
    const std::vector<Process> run = random_run(seed, 200, 1 + seed % 2 * 20, 1000);
    const Summary whole = summary_of(sections_of(run, 1'000'000));
    const auto sections = sections_of(run, 300);
    most = std::max(most, sections.size());
    const Summary parts = summary_of(sections);
    expect_alike(parts, whole, 1e-12);
    EXPECT_EQ(waits_of(parts), waits_of(whole));
    for (std::size_t i = 0; i < whole.causes.size() && seed % 2 == 0; ++i) {  // what ranks do since the same moment
      ASSERT_EQ(parts.causes.size(), whole.causes.size());
      EXPECT_EQ(parts.causes[i].from.at.offset, whole.causes[i].from.at.offset);
      EXPECT_EQ(parts.causes[i].to.at.offset, whole.causes[i].to.at.offset);
      EXPECT_NEAR(parts.causes[i].cost, whole.causes[i].cost, 1e-12);
      EXPECT_EQ(parts.causes[i].ranks, whole.causes[i].ranks);
    }
    EXPECT_NEAR(parts.efficiency.parallel, whole.efficiency.parallel, 1e-9);
    EXPECT_NEAR(parts.efficiency.load_balance, whole.efficiency.load_balance, 1e-9);
    EXPECT_NEAR(parts.replayed, whole.replayed, 1e-12);
    ASSERT_EQ(parts.what_if.size(), whole.what_if.size());
    for (std::size_t i = 0; i < whole.what_if.size(); ++i) {
      const std::string& change = whole.what_if[i].change;
      if (change == "perfect_balance") continue;                                         // of each section
      const double less = change == "free_collectives" ? 1e-12 : 0.02 * whole.run_time;  // but where sections end
      EXPECT_GE(parts.what_if[i].predicted_run, whole.what_if[i].predicted_run - less) << change;
      if (change == "free_collectives") continue;
      EXPECT_LE(parts.what_if[i].predicted_run, whole.what_if[i].predicted_run + 0.02 * whole.run_time) << change;
    }
    for (std::size_t i = 0; i < whole.timeline.strips.size(); ++i)
      for (std::size_t bin = 0; bin < whole.timeline.strips[i].work.size(); ++bin)
        EXPECT_NEAR(parts.timeline.strips[i].work[bin], whole.timeline.strips[i].work[bin], 2);
  }
  EXPECT_GT(most, 4U);
}

/// Where processes never meet, at most the calls under way at the end of a section are told otherwise.
TEST(WaitsSections, ThatEndAtAMomentCountAndMatchAsTheWhole) {
  std::size_t most = 0;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    SCOPED_TRACE(seed);
    const std::vector<Process> run = random_run(seed, 0, 1, 1000);
    const Summary whole = summary_of(sections_of(run, 1'000'000));
    const auto sections = sections_of(run, 300);
    most = std::max(most, sections.size());
    expect_alike(summary_of(sections), whole, 1e-9 * 3 * 600 * static_cast<double>(sections.size()));
  }
  EXPECT_GT(most, 3U);
}

}  // namespace
}  // namespace cairn::waits
