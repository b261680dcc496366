// SPDX-License-Identifier: BSD-3-Clause
// trace_drain_test.cc - from a page, as the recorder writes it, to a trace file: what is in it, and what is not

#include "trace/drain.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <random>
#include <thread>
#include <vector>

#include "cairn/kit/clock.hpp"
#include "trace/file.hpp"
#include "trace/open_regions.hpp"

namespace cairn::trace {
namespace {

constexpr std::uint32_t ring = 1U << 12U;
constexpr std::size_t kept_places = 8;

/// A recorder whose page the test writes; there is one at a time.
class Pages {
 public:
  Pages()
      : bytes_((page::header_room + 4096 + kept_places * (sizeof(page::Object) + sizeof(page::Datatype))) /
               sizeof(Line)),
        thread_((page::thread_head + ring * sizeof(page::Record)) / sizeof(Line)) {
    only_ = this;
    page::PageHeader& head = header();
    head.ring_size = ring;
    head.size = 1;
    const cairn::ClockAnchor now = cairn::ClockAnchor::now();
    head.first = head.last = {now.ticks, now.nanoseconds};
    const std::string functions("\1MPI_Send\0\6MPI_Test\0", 20);
    head.functions = {page::header_room, functions.size()};
    std::memcpy(at(bytes_, head.functions.at), functions.data(), functions.size());
    head.objects = {page::header_room + 4096, kept_places};
    head.datatypes = {head.objects.at + kept_places * sizeof(page::Object), kept_places};
  }

  static Recorder recorder() {
    Recorder made{};
    made.page = []() -> const page::PageHeader* { return &only_->header(); };
    made.path = [] { return ""; };
    made.object = [](std::uint32_t i) -> const page::Object* {
      return i < kept_places ? &only_->objects()[i] : nullptr;
    };
    made.datatype = [](std::uint32_t i) -> const page::Datatype* {
      return i < kept_places ? &only_->datatypes()[i] : nullptr;
    };
    made.thread = [](std::uint32_t i) -> const page::Thread* { return i == 0 ? &only_->thread() : nullptr; };
    return made;
  }
  page::PageHeader& header() { return *reinterpret_cast<page::PageHeader*>(at(bytes_, 0)); }
  page::Object* objects() { return reinterpret_cast<page::Object*>(at(bytes_, header().objects.at)); }
  page::Datatype* datatypes() { return reinterpret_cast<page::Datatype*>(at(bytes_, header().datatypes.at)); }
  page::Thread& thread() { return *reinterpret_cast<page::Thread*>(at(thread_, 0)); }

  void call(std::uint32_t object, std::uint64_t count = 0) {
    page::Record record{};
    record.entry = cairn::ticks_now();
    record.exit = record.entry + 1;
    record.object = object;
    record.count = count;
    record.flags = page::has_count;
    add(record);
  }
  /// In vain, `more` times more than once.
  void test(std::uint64_t request, std::uint32_t more) {
    page::Record record{};
    record.function = 1;
    record.entry = cairn::ticks_now();
    record.exit = record.entry + 1;
    record.other = request;
    record.number = more;
    record.flags = page::in_vain;
    add(record);
  }
  page::Record& record(std::uint64_t number) {
    return reinterpret_cast<page::Record*>(at(thread_, page::thread_head))[number % ring];
  }
  void region(std::uint64_t number, std::int32_t layer = 3) {
    page::Record record{};
    record.function = page::region_changed;
    record.entry = thread().count;
    record.exit = 1;
    record.other = cairn::ticks_now();
    record.count = number;
    record.tag = layer;
    add(record);
  }
  void object(std::uint32_t place, std::uint64_t identity, const char* name, std::uint64_t made_at = 0) {
    page::Object& object = objects()[place];
    object.identity = identity;
    object.made_at = made_at;
    object.size = 1;
    std::strncpy(object.name, name, sizeof object.name - 1);
    object.state = page::Object::present;
  }

 private:
  /// As pages are aligned.
  struct alignas(64) Line {
    char bytes[64];
  };
  static char* at(std::vector<Line>& lines, std::size_t offset) {
    return reinterpret_cast<char*>(lines.data()) + offset;
  }
  void add(const page::Record& record) {
    auto* const records = reinterpret_cast<page::Record*>(at(thread_, page::thread_head));
    records[thread().count % ring] = record;
    ++thread().count;
  }

  static inline Pages* only_ = nullptr;
  std::vector<Line> bytes_, thread_;
};

/// Into memory.
class Written {
 public:
  explicit Written(Choice::Wishes wishes = {}, std::uint64_t limit = 0)
      : choice_(std::move(wishes)), drain_(recorder_, choice_, limit) {
    drain_.name_regions(3, [](std::uint64_t number) { return number == 0 ? "" : "region " + std::to_string(number); });
    drain_.when_cut([this](const std::vector<Recent::Range>& stays) {
      std::string left;
      for (const auto& [at, size] : stays) left += bytes.substr(at, size);
      bytes = left;
      ++cuts;
      return true;
    });
  }
  void begin() {
    drain_.begin(
        [this](const std::string& more) {
          bytes += more;
          return true;
        },
        "run");
  }
  void drain() { drain_.drain(); }
  File finish() {
    drain_.finish("");
    return file();
  }
  File file() const { return File::holding(bytes, "written"); }

  Pages pages;
  std::string bytes;
  int cuts = 0;

 private:
  Recorder recorder_ = Pages::recorder();
  Choice choice_;
  Drain drain_;
};

std::vector<Record> records_of(const File& file) {
  std::vector<Record> all;
  for (Records records(file); const Record* record = records.now(); records.step()) all.push_back(*record);
  return all;
}

std::size_t blocks_of(const std::string& bytes, BlockKind kind) {
  std::size_t count = 0;
  for (std::size_t at = head_size; at < bytes.size();) {
    const BlockHead head = head_of(std::string_view(bytes).substr(at));
    if (head.kind == kind) ++count;
    at += BlockHead::size + head.stored;
  }
  return count;
}

TEST(TraceDrain, TheClockIsReadBeforeTheFirstCallToo) {
  Written written;
  written.pages.call(0);
  const std::uint64_t first = written.pages.header().first.ticks;
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  written.begin();
  const File file = written.finish();
  ASSERT_GE(file.moments().size(), 2U);
  EXPECT_EQ(file.moments().front().ticks, first);
  EXPECT_GT(file.moments()[1].monotonic_ns - file.moments()[0].monotonic_ns, 19'000'000U);
  const auto day = static_cast<std::int64_t>(file.moments()[0].real_ns - file.moments()[0].monotonic_ns);
  EXPECT_NEAR(static_cast<double>(static_cast<std::int64_t>(file.moments()[1].real_ns) - day),
              static_cast<double>(file.moments()[1].monotonic_ns), 5e6);
  EXPECT_EQ(file.moments().back().records, 1U);
  EXPECT_GT(file.moments().back().work_ns, 0U);
  EXPECT_GE(file.end()->work_ns, file.moments().back().work_ns);
}

/// They may be made again and again, in turn, until another call is made; five things cannot all be.
TEST(TraceDrain, TestsInVainAreTakenOnceNoneIsMadeAgain) {
  Written written;
  written.begin();
  written.pages.test(7, 0);
  written.pages.test(8, 0);
  written.drain();
  for (const std::uint64_t number : {0U, 1U}) {
    page::Record& record = written.pages.record(number);
    record.number = 5;
    record.exit += 1000;
  }
  written.pages.call(0);
  for (std::uint64_t request = 11; request <= 15; ++request) written.pages.test(request, 0);
  written.drain();
  written.pages.record(4).number = 5;  // the second one of the five
  const std::vector<Record> all = records_of(written.finish());
  ASSERT_EQ(all.size(), 8U);
  EXPECT_EQ(all[0].number, 5U);
  EXPECT_EQ(all[1].number, 5U);
  EXPECT_EQ(all[1].exit - all[1].entry, 1001U);
  EXPECT_EQ(all[4].number, 5U);
}

/// It may be in vain, too, and the one before it made again then.
TEST(TraceDrain, ATestInVainIsNotTakenWhileTheNextOneIsUnderWay) {
  Written written;
  written.begin();
  written.pages.test(7, 0);
  written.pages.test(8, 0);
  written.pages.record(1).exit = 0;
  written.pages.record(1).flags = 0;
  written.drain();
  written.pages.record(0).number = 5;
  written.pages.record(1).exit = written.pages.record(1).entry + 1;
  written.pages.record(1).flags = page::in_vain;
  EXPECT_EQ(records_of(written.finish()).at(0).number, 5U);
}

/// The processor time of writing counts too, not only that of taking records.
TEST(TraceDrain, WritingIsPartOfTheWork) {
  Written written;
  constexpr std::uint64_t long_ns = 20'000'000;
  Recorder recorder = Pages::recorder();
  Choice choice({});
  Drain drain(recorder, choice, 0);
  std::string bytes;
  const auto now = [] {
    timespec time{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return static_cast<std::uint64_t>(time.tv_sec) * 1'000'000'000U + static_cast<std::uint64_t>(time.tv_nsec);
  };
  written.pages.call(0);
  drain.begin(
      [&](const std::string& more) {
        for (const std::uint64_t begin = now(); now() - begin < long_ns;) {
        }
        bytes += more;
        return true;
      },
      "run");
  drain.finish("");
  EXPECT_GE(File::holding(bytes, "written").end()->work_ns, 2 * long_ns);  // in begin() and before the end is written
}

TEST(TraceDrain, NothingButTheEndIsWrittenBeyondTheLimit) {
  Written written({}, 4000);
  std::mt19937_64 random(1);
  written.begin();
  for (int i = 0; i < 3000; ++i) written.pages.call(0, random());
  written.drain();
  for (int i = 0; i < 10; ++i) {  // each of them is a definition; a block of records ends each second
    written.pages.object(1, 100 + static_cast<std::uint64_t>(i), std::to_string(random()).c_str());
    written.pages.call(1, random());
    written.drain();
    if (i == 0) std::this_thread::sleep_for(std::chrono::milliseconds(1100));
  }
  const std::size_t definitions = blocks_of(written.bytes, BlockKind::definitions);
  const std::size_t clocks = blocks_of(written.bytes, BlockKind::clock);
  const std::size_t before = written.bytes.size();
  for (int i = 0; i < 10; ++i) {
    written.pages.object(1, 200 + static_cast<std::uint64_t>(i), "more");
    written.pages.call(1);
    written.drain();
  }
  EXPECT_EQ(written.bytes.size(), before);
  const std::uint64_t end = cairn::ticks_now();
  const File file = written.finish();
  EXPECT_EQ(blocks_of(written.bytes, BlockKind::definitions), definitions);
  EXPECT_EQ(blocks_of(written.bytes, BlockKind::clock), clocks + 1);
  EXPECT_GE(file.last_moment().ticks, end) << "how long the process went on without records is known";
  EXPECT_EQ(file.end()->records + file.end()->omitted, 3020U);
  EXPECT_GT(file.end()->omitted, 0U);
}

/// With `last`, definitions go with the records that named them, and their numbers are used again.
TEST(TraceDrain, OldDefinitionsGoWithOldRecords) {
  Written written({.last_s = 0.02});
  written.pages.object(1, 1, "stays");
  written.begin();
  std::uint64_t identity = 10;
  const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  while (written.cuts < 2 && std::chrono::steady_clock::now() < until) {
    for (int i = 0; i < 40; ++i) {
      ++identity;
      written.pages.object(2, identity, std::to_string(identity).c_str());
      written.pages.call(2);
      written.pages.call(1);
      written.drain();
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
  ASSERT_GE(written.cuts, 2);
  const std::uint64_t last = identity;
  written.pages.object(2, ++identity, "last");
  written.pages.call(2, last);
  const File file = written.finish();
  EXPECT_LT(file.definitions().objects.count(), identity / 2);
  const std::vector<Record> records = records_of(file);
  ASSERT_FALSE(records.empty());
  for (const Record& record : records) {
    const Object* const object = file.object(record);
    ASSERT_NE(object, nullptr);
    EXPECT_TRUE(object->name == "stays" || object->name == "last" || object->name == std::to_string(object->identity));
  }
  EXPECT_EQ(file.object(records.back())->name, "last");
}

/// As in a program that makes and frees communicators faster than records are taken.
TEST(TraceDrain, WhatHasAPlaceNowIsNotWhatEarlierRecordsMean) {
  Written written;
  written.begin();
  const auto place_again = [&](std::uint64_t identity, const char* name) {
    std::this_thread::sleep_for(std::chrono::microseconds(10));
    written.pages.object(1, identity, name, cairn::ticks_now());
    written.pages.call(1);
  };
  for (const auto& [identity, name] : {std::pair(7, "first"), std::pair(8, "second"), std::pair(9, "third")})
    place_again(static_cast<std::uint64_t>(identity), name);
  written.drain();
  place_again(10, "fourth");
  const File file = written.finish();
  std::vector<std::string> names;
  for (Cursor cursor(file, 0); cursor.now() != nullptr; cursor.step())
    names.push_back(file.object(*cursor.now()) == nullptr ? "" : file.object(*cursor.now())->name);
  EXPECT_EQ(names, (std::vector<std::string>{"", "", "third", "fourth"}));
}

TEST(TraceDrain, RegionsHaveTheirNames) {
  Written written;
  written.begin();
  written.pages.region(1);
  written.pages.call(0);
  written.pages.region(5, 4);  // as another tool numbers them
  written.pages.region(2);
  written.pages.region(0);
  const File file = written.finish();
  std::vector<std::string> names;
  for (const Record& record : records_of(file))
    if (const std::string* const name = is_detail(record) ? file.region(record) : nullptr) names.push_back(*name);
  EXPECT_EQ(names, (std::vector<std::string>{"region 1", "region 2", ""}));
}

/// Their records have the moment elsewhere than calls, at whose place they have a call's number.
TEST(TraceDrain, RegionsBeforeTheFirstCallHaveTheirPlaceInTime) {
  Written written;
  const std::uint64_t begin = cairn::ticks_now();
  written.begin();
  written.pages.region(1);
  written.pages.call(0);
  const File file = written.finish();
  const Records records(file);
  ASSERT_NE(records.now(), nullptr);
  ASSERT_TRUE(is_detail(*records.now()) && has_moment(*records.now()));
  EXPECT_GE(moment_of(*records.now()), begin);
}

TEST(OpenRegions, AreLeftAndEnteredOneByOneWhateverTheirNames) {
  OpenRegions regions;
  std::string told;
  const OpenRegions::Tell tell = [&](bool is_begin, const std::string& path, std::int64_t ns) {
    told += (is_begin ? "+" : "-") + path + "@" + std::to_string(ns) + " ";
  };
  const auto after = [&](const std::string& path, std::int64_t ns) {
    told.clear();
    regions.come_to(path, ns, tell);
    return told;
  };
  EXPECT_EQ(after("solve/halo", 1), "+solve@1 +solve/halo@1 ");
  EXPECT_EQ(after("solve/half", 2), "-solve/halo@2 +solve/half@2 ");
  EXPECT_EQ(after("", 3), "-solve/half@3 -solve@3 ");
  EXPECT_EQ(after("/a", 4), "+/a@4 ");
  EXPECT_EQ(after("/a//b/", 5), "+/a/@5 +/a//b@5 +/a//b/@5 ");
  EXPECT_EQ(after("x", 6), "-/a//b/@6 -/a//b@6 -/a/@6 -/a@6 +x@6 ");
  regions.enter_call();
  EXPECT_EQ(after("y", 7), "");
  regions.leave_call(8, tell);
  EXPECT_EQ(told, "-x@8 +y@8 ");
  told.clear();
  regions.close(tell);
  EXPECT_EQ(told, "-y@8 ");
}

/// Where calls are left out, the region of those that stay is known.
TEST(TraceDrain, RegionsOfChosenCallsAreKnown) {
  Written written({.functions = "MPI_Test"});
  written.begin();
  written.pages.call(0);
  written.pages.region(1);
  written.pages.call(0);
  written.pages.region(2);
  written.pages.region(7, 4);  // of another tool, for the same change
  written.pages.call(0);
  page::Record test{};
  test.function = 1;
  test.entry = cairn::ticks_now();
  test.exit = test.entry + 1;
  written.pages.call(0);
  auto& thread = written.pages.thread();
  auto* const records = reinterpret_cast<page::Record*>(reinterpret_cast<char*>(&thread) + page::thread_head);
  records[thread.count % ring] = test;
  ++thread.count;
  const File file = written.finish();
  const std::vector<Record> all = records_of(file);
  ASSERT_EQ(all.size(), 2U);
  ASSERT_NE(file.region(all[0]), nullptr);
  EXPECT_EQ(*file.region(all[0]), "region 2");
  EXPECT_EQ(file.function(all[1])->name, "MPI_Test");
}

}  // namespace
}  // namespace cairn::trace
