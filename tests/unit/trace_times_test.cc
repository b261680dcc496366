// SPDX-License-Identifier: BSD-3-Clause
// trace_times_test.cc - moments within an error: never off by more, all else as it was, and a stencil takes few bytes

#include <gtest/gtest.h>

#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <random>
#include <vector>

#include "cli/trace/run_traces.hpp"
#include "trace/blocks.hpp"
#include "trace/file.hpp"
#include "trace/record_coder.hpp"

namespace cairn::trace {
namespace {

constexpr std::size_t block_records = 1U << 14U;  // as the tool has them

/// Of calls with their moments, and details.
class Program {
 public:
  void work(std::uint64_t ticks) { now_ += ticks + late() % (1 + ticks / 4); }
  void call(int function, std::uint64_t ticks, std::int32_t peer = 0) {
    Record& record = add(static_cast<std::uint16_t>(function));
    record.site = 0x401000 + static_cast<std::uint64_t>(function);
    record.peer = peer;
    record.entry = now_;
    work(ticks);
    record.exit = now_;
    last_call_ = records.size();
  }
  Record& detail(page::Detail what) {
    Record& record = add(what);
    record.entry = last_call_;
    record.exit = 1;
    return record;
  }
  void comes_to_region(std::uint64_t region) {
    Record& record = detail(page::region_changed);
    work(500);
    record.other = now_;
    record.count = region;
  }

  /// Two receives, two sends, all completed; a sum in every tenth step. Now and then one is late.
  void stencil(int steps) {
    for (int step = 0; step < steps; ++step) {
      for (int i = 0; i < 4; ++i) call(i < 2 ? 1 : 2, 300, i % 2);
      call(3, 9000);
      for (int i = 0; i < 4; ++i)
        detail(page::request_completed).other = 0x7f0000000000 + static_cast<std::uint64_t>(i) * 64;
      work(20000);
      if (step % 10 == 9) call(4, 4000);
    }
  }
  /// No two calls are alike.
  void irregular(int count) {
    for (int i = 0; i < count; ++i) {
      call(static_cast<int>(random_() % 40), random_() % 100'000, static_cast<std::int32_t>(random_() % 1000));
      work(random_() % 1'000'000);
    }
  }
  std::uint64_t random() { return random_(); }

  std::vector<Record> records;

 private:
  Record& add(std::uint16_t function) {
    records.emplace_back();
    records.back().function = function;
    return records.back();
  }
  std::uint64_t late() { return random_() % 100 == 0 ? random_() % (1U << 24U) : random_(); }

  std::mt19937_64 random_{20261124};
  std::uint64_t now_ = 5'000'000'000;
  std::size_t last_call_ = 0;
};

/// As the tool writes it, block after block, from the first number on.
struct WrittenTimes {
  std::vector<Record> records;
  std::size_t bytes = 0;
};
WrittenTimes written(const std::vector<Record>& records, std::uint64_t error) {
  WrittenTimes all;
  RecordEncoder encoder;
  encoder.allow(error);
  BlockWriter writer;
  for (std::size_t i = 0; i < records.size(); ++i) {
    encoder.add(records[i], i);
    if (encoder.count() < block_records && i + 1 < records.size()) continue;
    BlockHead head{.form = encoder.form(), .count = encoder.count(), .first = encoder.first()};
    const std::string content = encoder.take();
    all.bytes += writer.block(BlockKind::records, content, head).size();
    for (const Record& record : decode_records(content, head)) all.records.push_back(record);
  }
  return all;
}

std::uint64_t distance(std::uint64_t one, std::uint64_t other) { return one < other ? other - one : one - other; }

Record without_moments(Record record) {
  if (record.function == page::region_changed) record.other = 0;
  if (!is_detail(record)) record.entry = record.exit = record.exit != 0 ? 1 : 0;
  return record;
}

/// All of a thread's moments, in their order.
std::vector<std::uint64_t> moments_of(const std::vector<Record>& records) {
  std::vector<std::uint64_t> moments;
  for (const Record& record : records) {
    if (record.function == page::region_changed) moments.push_back(record.other);
    if (is_detail(record)) continue;
    moments.push_back(record.entry);
    if (record.exit != 0) moments.push_back(record.exit);
  }
  return moments;
}

void expect_within(std::uint64_t error, const std::vector<Record>& records) {
  const std::vector<Record> read = written(records, error).records;
  ASSERT_EQ(read.size(), records.size());
  for (std::size_t i = 0; i < records.size(); ++i) {
    const Record one = without_moments(read[i]);
    const Record other = without_moments(records[i]);
    ASSERT_EQ(std::memcmp(&one, &other, sizeof one), 0) << i;
  }
  const std::vector<std::uint64_t> before = moments_of(records);
  const std::vector<std::uint64_t> after = moments_of(read);
  ASSERT_EQ(after.size(), before.size());
  std::uint64_t most = 0;
  for (std::size_t i = 0; i < before.size(); ++i) most = std::max(most, distance(before[i], after[i]));
  EXPECT_LE(most, error);
  EXPECT_TRUE(std::ranges::is_sorted(after) || !std::ranges::is_sorted(before));
}

TEST(TraceTimes, AreWithinTheErrorAndAllElseIsAsItWas) {
  for (const std::uint64_t error : {1ULL, 7ULL, 2'300ULL, 23'000ULL, 2'300'000ULL, 5'000'000'000ULL}) {
    Program program;
    program.call(0, 0);
    program.stencil(4000);
    program.comes_to_region(3);
    program.irregular(5000);
    program.comes_to_region(4);
    program.detail(page::message_received).other = 17;
    program.stencil(10);
    program.records[20].flags = unfinished;
    program.records[20].exit = 0;
    expect_within(error, program.records);
  }
}

/// Each of random length, so that there is nothing usual, and some of no length.
TEST(TraceTimes, AreWithinTheErrorWhateverTheyAre) {
  for (int round = 0; round < 300; ++round) {
    Program program;
    for (std::uint64_t i = 0; i < 1 + program.random() % 400; ++i) {
      program.call(static_cast<int>(program.random() % 3), program.random() % (1ULL << program.random() % 40U));
      if (program.random() % 5 == 0) program.comes_to_region(program.random() % 3);
    }
    expect_within(1 + program.random() % (1ULL << static_cast<unsigned>(round % 33)), program.records);
  }
}

TEST(TraceTimes, OfCallsWithinCallsAreExact) {
  Program program;
  program.stencil(100);
  Record inner = program.records[4];
  ASSERT_FALSE(is_detail(inner));
  inner.entry += 10;
  inner.exit = inner.entry + 10;
  program.records.insert(program.records.begin() + 5, inner);
  for (Record& record : program.records)
    if (is_detail(record) && record.entry > 5) ++record.entry;
  const std::vector<Record> read = written(program.records, 100'000).records;
  ASSERT_EQ(read.size(), program.records.size());
  EXPECT_EQ(std::memcmp(read.data(), program.records.data(), read.size() * sizeof(Record)), 0);
}

TEST(TraceTimes, TenTimesTheStepsOfAStencilAreNotTwiceTheBytes) {
  constexpr std::size_t rest = 4000;  // of a file: functions, definitions, clocks
  const auto bytes = [](int steps, std::uint64_t error) {
    Program program;
    program.stencil(steps);
    return written(program.records, error).bytes;
  };
  constexpr std::uint64_t ten_microseconds = 23'000;
  EXPECT_LT(rest + bytes(10'000, ten_microseconds), 2 * (rest + bytes(1000, ten_microseconds)));
  EXPECT_LT(10 * bytes(10'000, ten_microseconds), bytes(10'000, 0));
}

TEST(TraceTimes, OfAnIrregularProgramTakeNoMoreThanExactOnes) {
  Program program;
  program.irregular(20'000);
  const std::size_t exact = written(program.records, 0).bytes;
  for (const std::uint64_t error : {2300ULL, 23'000ULL, 2'300'000ULL})
    EXPECT_LT(written(program.records, error).bytes, exact) << error;
}

TEST(TraceTimes, ContentsOfAnyKindAreSurvived) {
  std::mt19937_64 random(3);
  Program program;
  program.stencil(20);
  program.comes_to_region(1);
  program.irregular(20);
  RecordEncoder encoder;
  encoder.allow(2300);
  for (std::size_t i = 0; i < program.records.size(); ++i) encoder.add(program.records[i], i);
  BlockHead head{.form = encoder.form(), .count = encoder.count()};
  const std::string good = encoder.take();
  int refused = 0;
  for (int round = 0; round < 20'000; ++round) {
    std::string bad = good;
    for (auto hits = 1 + random() % 4; hits > 0; --hits) bad[random() % bad.size()] = static_cast<char>(random());
    try {
      decode_records(bad, head);
    } catch (const Damaged&) {
      ++refused;
    }
  }
  EXPECT_GT(refused, 1000);
  head.form = static_cast<Form>(2);
  EXPECT_THROW(decode_records(good, head), Damaged);
  head.form = Form::exact;
  EXPECT_THROW(decode_records(good, head), Damaged);
}

/// A thread that marks a region before its first call: its record has a call's number where calls have their moment.
TEST(TraceTimes, BeginWithTheFirstCallOrRegion) {
  constexpr std::uint64_t second = 1'000'000'000;
  BlockWriter writer;
  std::string bytes = file_head() + writer.block(BlockKind::clock, content_of(Moment{second, second, 0}));
  std::uint32_t thread = 0;
  for (const std::uint64_t at : {3 * second / 2, 5 * second / 4}) {
    RecordEncoder encoder;
    Record region{}, call{};
    region.function = page::region_changed;
    region.exit = 1;
    region.other = at;
    call.entry = at + 10;
    call.exit = at + 20;
    encoder.add(region, 0);
    encoder.add(call, 1);
    BlockHead head{.count = encoder.count(), .first = encoder.first()};
    head.thread = thread++;
    bytes += writer.block(BlockKind::records, encoder.take(), head);
  }
  bytes += writer.block(BlockKind::clock, content_of(Moment{2 * second, 2 * second, 0}));
  char folder[] = "/dev/shm/cairn-trace-times.XXXXXX";
  const std::string path = std::string(mkdtemp(folder)) + "/rank-0.trace";
  std::ofstream(path, std::ios::binary) << bytes;
  cli::RunTraces run;
  run.processes.push_back(std::make_unique<cli::ProcessTrace>(path));
  EXPECT_EQ(run.first_ns(), static_cast<std::int64_t>(5 * second / 4));
  std::vector<std::uint32_t> threads;
  for (Records records(run.processes.front()->file); records.now() != nullptr; records.step())
    threads.push_back(records.thread());
  EXPECT_EQ(threads, (std::vector<std::uint32_t>{1, 1, 0, 0}));
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace cairn::trace
