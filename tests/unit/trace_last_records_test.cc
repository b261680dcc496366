// SPDX-License-Identifier: BSD-3-Clause
// trace_last_records_test.cc - a trace that breaks off goes on with what its process's page has

#include "cli/trace/last_records.hpp"

#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <random>

#include "trace/blocks.hpp"
#include "trace/record_coder.hpp"
#include "where_pages.hpp"

namespace cairn::cli {
namespace {

namespace fs = std::filesystem;
using where::receive;
using where::send;

class LastRecords : public where::Where {
 protected:
  trace::Process process_;
  LastRecords() {
    process_.rank = 0;
    process_.size = 1;
    process_.pid = getpid();
    process_.run = "abc";
  }

  /// Of a process that has died, with so many calls.
  std::string page(int calls, std::uint32_t ring_size = 16) {
    make(
        0, 1,
        [&](Page& page) {
          for (int i = 0; i < calls; ++i) page.add(i % 2 == 0 ? send : receive, 0, 100 + i, i + 1 < calls);
          std::strcpy(page.header().host, process_.host.c_str());
          page.header().process_start = 1;
        },
        ring_size);
    return folder_ + "/0.page";
  }
  /// A trace with the first calls of that page.
  trace::File file(int calls) {
    trace::BlockWriter writer;
    std::string bytes = trace::file_head() + writer.block(trace::BlockKind::process, content_of(process_, {}));
    std::string definitions;
    trace::Object world;
    world.identity = 7;
    world.size = world.peers = 1;
    world.name = "MPI_COMM_WORLD";
    define(definitions, 1, world);
    trace::define_thread(definitions, 0, 5);
    bytes += writer.block(trace::BlockKind::definitions, definitions);
    trace::RecordEncoder encoder;
    for (int i = 0; i < calls; ++i) {
      trace::Record record{};
      record.entry = record.exit = static_cast<std::uint64_t>(i + 1);
      record.object = 1;
      record.tag = 100 + i;
      encoder.add(record, static_cast<std::uint64_t>(i));
    }
    trace::BlockHead head;
    head.count = encoder.count();
    if (calls != 0) bytes += writer.block(trace::BlockKind::records, encoder.take(), head);
    return trace::File::holding(std::move(bytes), "a trace");
  }
  static std::vector<int> tags(const trace::File& file) {
    std::vector<int> all;
    for (trace::Records records(file); records.now() != nullptr; records.step()) all.push_back(records.now()->tag);
    return all;
  }
};

using Tags = std::vector<int>;

TEST_F(LastRecords, FollowThoseInTheFile) {
  const std::string path = page(5);
  trace::File made = file(3);
  EXPECT_EQ(add_last_records(made, path), 2U);
  EXPECT_EQ(missing_records(made), 0U);
  EXPECT_EQ(tags(made), (Tags{100, 101, 102, 103, 104}));
  trace::Cursor last(made, 0);
  while (last.number() < 5) last.step();
  EXPECT_EQ(last.now()->flags & trace::unfinished, trace::unfinished);
  const trace::Object* const world = made.object(*last.now());
  ASSERT_NE(world, nullptr);
  EXPECT_EQ(world->identity, 7U);
  EXPECT_NE(last.now()->object, 1U) << "a number of its own: the file's may mean another object by now";
}

TEST_F(LastRecords, AreAllWhereNothingWasWrittenYetAndNoneWhereAllWas) {
  const std::string path = page(4);
  trace::File none = file(0), all = file(4);
  EXPECT_EQ(add_last_records(none, path), 4U);
  EXPECT_EQ(tags(none), (Tags{100, 101, 102, 103}));
  EXPECT_EQ(add_last_records(all, path), 0U);
  EXPECT_EQ(tags(all), (Tags{100, 101, 102, 103}));
}

TEST_F(LastRecords, LeaveAGapWhereTheRingHasLostSome) {
  const std::string path = page(40, 16);
  trace::File made = file(10);
  EXPECT_EQ(add_last_records(made, path), 15U) << "the next call may have begun to overwrite the oldest one";
  EXPECT_EQ(missing_records(made), 15U);
  const Tags all = tags(made);
  EXPECT_EQ(std::pair(all[9], all[10]), std::pair(109, 125));
  trace::Cursor cursor(made, 0);
  for (int i = 0; i < 10; ++i) cursor.step();
  EXPECT_EQ(cursor.number(), 26U);
  trace::File begins_late = file(0);
  add_last_records(begins_late, path);
  EXPECT_EQ(missing_records(begins_late), 25U);
  process_.choice = "last:10s";
  trace::File without_old = file(0);
  add_last_records(without_old, path);
  EXPECT_EQ(missing_records(without_old), 0U);
}

TEST_F(LastRecords, NameNothingThatWasMadeLater) {
  make(0, 1, [&](Page& page) {
    for (int i = 0; i < 4; ++i) {
      page::Record& record = page.add(send, 0, 100 + i, true);
      record.entry = 1000 + static_cast<std::uint64_t>(i);
      record.exit = record.entry + 1;
      record.type = 1;
    }
    page.world().made_at = 1002;
    page::Datatype& type = page.file.table<page::Datatype>(page.header().datatypes)[1];
    type.handle = 5;
    type.size = 8;
    type.made_at = 1003;
    std::strcpy(page.header().host, process_.host.c_str());
    page.header().process_start = 1;
  });
  trace::File made = file(0);
  EXPECT_EQ(add_last_records(made, folder_ + "/0.page"), 4U);
  std::vector<std::pair<bool, bool>> named;
  for (trace::Records all(made); all.now() != nullptr; all.step())
    named.emplace_back(made.object(*all.now()) != nullptr, made.definitions().types.find(all.now()->type) != nullptr);
  EXPECT_EQ(named, (std::vector<std::pair<bool, bool>>{{false, false}, {false, false}, {true, false}, {true, true}}));
}

TEST_F(LastRecords, AreNotThoseOfAnotherProcessOrOfChosenCallsOrOfTimesThatMayBeOff) {
  const std::string path = page(5);
  const auto added = [&](auto change) {
    const trace::Process before = process_;
    change(process_);
    trace::File made = file(3);
    process_ = before;
    return add_last_records(made, path);
  };
  EXPECT_EQ(added([](auto& of) { of.pid = 1; }), 0U);
  EXPECT_EQ(added([](auto& of) { of.run = "another"; }), 0U);
  EXPECT_EQ(added([](auto& of) { of.rank = 1; }), 0U);
  EXPECT_EQ(added([](auto& of) { of.host = "another"; }), 0U);
  EXPECT_EQ(added([](auto& of) { of.choice = "functions:MPI_Send"; }), 0U);
  EXPECT_EQ(added([](auto& of) { of.choice = "last:10s, region:a"; }), 0U);
  EXPECT_EQ(added([](auto& of) { of.error_ns = 1; }), 0U);
  EXPECT_EQ(added([](auto& of) { of.choice = "last:10s"; }), 2U);
  EXPECT_EQ(added([](auto&) {}), 2U);
}

TEST_F(LastRecords, DamagedPagesDoNoHarm) {
  const std::string path = page(5);
  const std::string whole = read(path);
  for (std::size_t size = 0; size < whole.size(); size += 997) {
    write(path, whole.substr(0, size));
    trace::File made = file(3);
    EXPECT_LE(add_last_records(made, path), 2U);
  }
  std::mt19937 random(20261125);
  for (int i = 0; i < 300; ++i) {
    std::string damaged = whole;
    for (int byte = 0; byte < 20; ++byte)
      damaged[random() % (i % 2 == 0 ? page::header_room : damaged.size())] = static_cast<char>(random());
    write(path, damaged);
    trace::File made = file(3);
    add_last_records(made, path);
    tags(made);
  }
}

TEST_F(LastRecords, AreLookedForInPagesOfTheRunsDead) {
  const std::string path = page(5);
  const std::string moved = folder_ + "/pages/0.page";
  fs::create_directory(folder_ + "/pages");
  fs::rename(path, moved);
  PagesOfDead pages(folder_, "abc");
  EXPECT_EQ(pages.of(0), moved);
  EXPECT_EQ(pages.of(1), "");
  EXPECT_EQ(PagesOfDead(folder_, "another").of(0), "");
  EXPECT_EQ(PagesOfDead("/nowhere", "abc").of(0), "");
}

}  // namespace
}  // namespace cairn::cli
