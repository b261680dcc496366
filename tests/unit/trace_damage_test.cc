// SPDX-License-Identifier: BSD-3-Clause
// trace_damage_test.cc - of a trace file that is damaged only what is damaged is missing, and where that is, is told;
// whatever a file holds, all outputs survive it

#include <gtest/gtest.h>

#include <dlfcn.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <random>
#include <vector>

#include "cli/trace/run_traces.hpp"
#include "cli/trace/views.hpp"
#include "trace/blocks.hpp"
#include "trace/events.hpp"
#include "trace/file.hpp"
#include "trace/otf2_library.hpp"
#include "trace/record_coder.hpp"

namespace cairn::trace {
namespace {

constexpr std::uint64_t one_second = 1'000'000'000;

/// A file of several blocks, whose places it knows.
class TraceDamage : public testing::Test {
 protected:
  TraceDamage() {
    char name[] = "/dev/shm/cairn-trace-damage.XXXXXX";
    folder_ = mkdtemp(name);
    path_ = folder_ + "/rank-0.trace";
    Process process;
    process.rank = 0;
    process.size = 2;
    process.any_source = process.any_tag = -1;
    process.proc_null = -2;
    process.program = "/bin/app";
    std::string functions;
    for (const char* function : {"\1MPI_Send", "\2MPI_Recv", "\11MPI_Bcast", "\11MPI_Neighbor_alltoall", "\6MPI_Test",
                                 "\10MPI_Isend", "\5MPI_Wait", "\12MPI_Put", "\14MPI_File_write"})
      functions.append(function).push_back('\0');
    bytes_ = file_head();
    add(BlockKind::process, content_of(process, functions));
    for (const std::uint32_t number : {1U, 2U}) {
      std::string content;
      Object object;
      object.identity = number;
      object.size = object.peers = 2;
      object.members_known = true;
      object.name = number == 1 ? "first" : "second";
      define(content, number, object);
      define(content, number, Datatype{4 * std::uint64_t{number}, "type"});
      add(BlockKind::definitions, content);
    }
    add(BlockKind::clock, content_of(Moment{0, 0, 5 * one_second}));
    for (std::uint64_t block = 0; block < 4; ++block) add_records(block);
    add(BlockKind::clock, content_of(Moment{4 * one_second, 4 * one_second, 9 * one_second, 1000, 120}));
    add(BlockKind::end, content_of(End{.records = 120, .how = ""}));
  }
  ~TraceDamage() override { std::filesystem::remove_all(folder_); }

  void add(BlockKind kind, const std::string& content, BlockHead of = {}) {
    at_.push_back(bytes_.size());
    bytes_ += writer_.block(kind, content, of);
  }
  /// Thirty; a region before each tenth.
  void add_records(std::uint64_t block) {
    RecordEncoder encoder;
    for (std::uint64_t i = 0; i < 30; ++i) {
      const std::uint64_t number = 30 * block + i;
      Record record{};
      record.function = static_cast<std::uint16_t>(i % 9);
      record.entry = number * 1'000'000 + 1;
      record.exit = record.entry + 500'000;
      record.object = static_cast<std::uint32_t>(1 + i % 2);
      record.count = number;
      record.tag = 3;
      record.peer = i % 9 == 2 ? -3 : 1;
      record.type = 1;
      record.flags = page::has_count | (i % 9 == 2 ? page::has_root : page::has_peer | page::has_tag);
      if (i % 10 == 9) {
        record = {};
        record.function = page::region_changed;
        record.entry = number;
        record.exit = 1;
        record.other = number * 1'000'000;
        record.tag = 7;
        record.count = i / 10;
      }
      encoder.add(record, number);
    }
    const BlockHead head{.count = encoder.count(), .first = encoder.first()};
    add(BlockKind::records, encoder.take(), head);
  }

  static constexpr std::size_t definitions = 1, records = 4;  // numbers of the first blocks of their kind

  std::string with_bad_content(std::size_t block) const {
    std::string bad = bytes_;
    bad[at_[block] + BlockHead::size + 12] ^= 0x55;
    bad[at_[block] + BlockHead::size + 13] ^= 0x33;
    return bad;
  }
  /// As events: calls that were told, and records that were told to be missing.
  static std::pair<std::uint64_t, std::uint64_t> played(const File& file) {
    struct Sink : EventSink {
      std::uint64_t calls = 0, missing = 0;
      void enter(std::uint32_t, std::int64_t, const Record&) override { ++calls; }
      void leave(std::uint32_t, std::int64_t, const Record&) override {}
      void message(std::uint32_t, std::int64_t, const Message&) override {}
      void gap(std::uint32_t, std::int64_t, std::uint64_t count) override { missing += count; }
    } sink;
    Player(file, sink).play();
    return {sink.calls, sink.missing};
  }
  cli::RunTraces run_of(const std::string& bytes) const {
    std::ofstream(path_, std::ios::binary) << bytes;
    cli::RunTraces run;
    run.processes.push_back(std::make_unique<cli::ProcessTrace>(path_));
    return run;
  }

  std::string folder_, path_, bytes_;
  std::vector<std::uint64_t> at_;  // of blocks
  BlockWriter writer_;
};

TEST_F(TraceDamage, OfRecordsLeavesTheOtherBlocks) {
  const File whole = File::holding(bytes_, "whole");
  EXPECT_EQ(played(whole), std::pair(std::uint64_t{108}, std::uint64_t{0}));
  EXPECT_TRUE(whole.damages().empty());
  for (std::size_t block = 0; block < 4; ++block) {
    const File file = File::holding(with_bad_content(records + block), "bad");
    EXPECT_TRUE(file.damages().empty()) << "records are read when they are wanted";
    const auto [calls, missing] = played(file);
    EXPECT_EQ(calls, 81U);
    EXPECT_EQ(missing, block == 3 ? 0U : 30U) << "after the last block nothing tells of more";
    ASSERT_EQ(file.damages().size(), 1U);
    EXPECT_EQ(file.damages().begin()->first, at_[records + block]);
    EXPECT_EQ(file.damages().begin()->second.why, "a block has changed since it was written");
    EXPECT_EQ(file.damages().begin()->second.lost, "30 records of thread 0 are left out");
    ASSERT_NE(file.end(), nullptr);
  }
}

TEST_F(TraceDamage, OfDefinitionsLeavesOthersTheirNumbers) {
  std::string bad = bytes_;
  bad[at_[definitions] + BlockHead::size] =
      99;  // kinds of definitions that there are not; short blocks are as they are
  const File file = File::holding(bad, "bad");
  EXPECT_EQ(file.definitions().objects.find(1), nullptr);
  ASSERT_NE(file.definitions().objects.find(2), nullptr);
  EXPECT_EQ(file.definitions().objects.find(2)->name, "second");
  EXPECT_EQ(file.definitions().types.find(2)->size, 8U);
  EXPECT_EQ(played(file).first, 108U);
  ASSERT_EQ(file.damages().size(), 1U);
  EXPECT_EQ(file.damages().begin()->second.lost, "what it defines has no name");
}

/// It is what records without an object or a datatype have.
TEST_F(TraceDamage, NothingIsDefinedAsNumberNought) {
  std::string object, type;
  define(object, 0, Object{});
  define(type, 0, Datatype{4, "type"});
  for (const std::string& content : {object, type}) {
    const File file = File::holding(bytes_ + writer_.block(BlockKind::definitions, content), "foreign");
    ASSERT_EQ(file.damages().size(), 1U);
    EXPECT_EQ(file.damages().begin()->second.why, "it defines number 0");
    EXPECT_EQ(played(file).first, 108U);
  }
}

/// Up to version 4 definitions have no numbers: what comes after a block that is lost must not be taken for another.
TEST_F(TraceDamage, OfOldDefinitionsLeavesLaterOnesWithoutName) {
  const auto old = [](std::string_view name) {
    std::string numbered;
    Object object;
    object.name = name;
    define(numbered, 1, object);
    return numbered.erase(1, 1);
  };
  const auto file_of = [&](const std::string& first) {
    std::string head = file_head();
    head[magic.size()] = 4;
    return File::holding(head + writer_.block(BlockKind::definitions, first) +
                             writer_.block(BlockKind::definitions, old("b")) +
                             writer_.block(BlockKind::clock, content_of(Moment{1, 2, 3})),
                         "old");
  };
  const File whole = file_of(old("a"));
  EXPECT_EQ(whole.definitions().objects.find(1)->name, "a");
  EXPECT_EQ(whole.definitions().objects.find(2)->name, "b");
  EXPECT_TRUE(whole.damages().empty());
  const File bad = file_of("\x63");
  EXPECT_EQ(bad.definitions().objects.count(), 0U);
  ASSERT_EQ(bad.damages().size(), 1U);
  EXPECT_EQ(bad.damages().begin()->second.lost, "what is defined from there on has no name");
}

TEST_F(TraceDamage, OfAHeadLeavesWhatComesAfterItsBlock) {
  std::string bad = bytes_;
  bad[at_[records + 1]] = 'X';
  const File file = File::holding(bad, "bad");
  EXPECT_EQ(played(file), std::pair(std::uint64_t{81}, std::uint64_t{30}));
  ASSERT_EQ(file.damages().size(), 1U);
  EXPECT_EQ(file.damages().begin()->first, at_[records + 1]);
  EXPECT_EQ(file.damages().begin()->second.why, "no block begins there");
  EXPECT_EQ(file.damages().begin()->second.lost,
            std::to_string(at_[records + 2] - at_[records + 1]) + " bytes are left out");
  EXPECT_NE(file.end(), nullptr);
}

/// A length that reaches beyond the end is no file that is just being written, if blocks follow.
TEST_F(TraceDamage, OfALengthIsToldFromAFileThatIsCut) {
  std::string bad = bytes_;
  bad[at_[records] + 10] = 1;  // of the stored bytes' number
  const File file = File::holding(bad, "bad");
  EXPECT_EQ(played(file).first, 81U);
  ASSERT_EQ(file.damages().size(), 1U);
  EXPECT_EQ(file.damages().begin()->second.why, "a block does not end");
  const File cut = File::holding(bytes_.substr(0, at_[records + 3] + 40), "cut");
  EXPECT_TRUE(cut.damages().empty());
  EXPECT_EQ(played(cut).first, 81U);
}

TEST_F(TraceDamage, IsToldOnceWithFileAndPlace) {
  std::string bad = with_bad_content(records + 1);
  bad[at_[records + 3]] = 'X';
  cli::RunTraces run = run_of(bad);
  const auto told = [&] {
    std::vector<std::string> texts;
    for (const Problem& one : run.damages()) texts.emplace_back(one.what());
    return texts;
  };
  const std::string file = "'" + path_ + "' is damaged at byte ";
  const std::string of = " of " + std::to_string(bad.size()) + ": ";
  EXPECT_EQ(told(),
            std::vector<std::string>{file + std::to_string(at_[records + 3]) + of + "no block begins there; " +
                                     std::to_string(at_[records + 4] - at_[records + 3]) + " bytes are left out"});
  cli::summary_text(run);
  EXPECT_EQ(told(), std::vector<std::string>{file + std::to_string(at_[records + 1]) + of +
                                             "a block has changed since it was written; 30 records of thread 0 are "
                                             "left out"});
  EXPECT_TRUE(told().empty());
}

TEST_F(TraceDamage, ClocksThatRunBackwardsAreCountedAndNotUsed) {
  const auto clock = [&](std::uint64_t ticks, std::uint64_t ns) {
    return writer_.block(BlockKind::clock, content_of(Moment{ticks, ns, 0}));
  };
  const auto file = [&](const std::string& more) { return File::holding(bytes_ + more, "clocks"); };
  EXPECT_EQ(file(clock(5 * one_second, 5 * one_second)).wrong_moments(), 0U);
  EXPECT_EQ(file(clock(5 * one_second, 3 * one_second)).wrong_moments(), 1U) << "time goes back";
  EXPECT_EQ(file(clock(3 * one_second, 5 * one_second)).wrong_moments(), 1U) << "the counter goes back";
  const File several = file(clock(1, 1) + clock(5 * one_second, 5 * one_second) + clock(2, 2));
  EXPECT_EQ(several.wrong_moments(), 2U);
  EXPECT_EQ(several.nanoseconds(9 * one_second / 2), static_cast<std::int64_t>(9 * one_second / 2));
  const auto compared = [&](std::int64_t at, std::int64_t offset) {
    return writer_.block(BlockKind::comparison, content_of(Comparison{5, 6, 2, at, offset, 30, 7}));
  };
  EXPECT_EQ(file(compared(10, 5) + compared(9, 5)).wrong_moments(), 1U);
  EXPECT_EQ(file(compared(0, 5) + compared(1'000'000, 6)).wrong_moments(), 0U);
}

/// Two readings within a microsecond, one of them late: before them, time goes by those that are far apart.
TEST_F(TraceDamage, MomentsBeforeTheFirstReadingAreNotThrownByTwoThatAreNear) {
  std::string bytes = file_head();
  for (const auto& [ticks, ns] :
       {std::pair(one_second, one_second), {one_second + 1000, one_second + 1100}, {2 * one_second, 2 * one_second}})
    bytes += writer_.block(BlockKind::clock, content_of(Moment{ticks, ns, 0}));
  const File file = File::holding(bytes, "near");
  EXPECT_EQ(file.nanoseconds(one_second / 2), static_cast<std::int64_t>(one_second / 2));
  EXPECT_NEAR(static_cast<double>(file.nanoseconds(3 * one_second)), 3e9, 200);
  EXPECT_EQ(file.nanoseconds(one_second + 500), static_cast<std::int64_t>(one_second + 550));
}

/// Compared at the start and, if `offset` says so, 2 s later.
TEST_F(TraceDamage, ClocksHaveTheirErrorAndDriftInTheSummary) {
  const auto compared = [&](std::int64_t at, std::int64_t offset, std::int64_t error) {
    return writer_.block(BlockKind::comparison, content_of(Comparison{5, 6, 3, at, offset, error, 7}));
  };
  const auto line = [&](const std::string& comparisons) {
    const std::string text = cli::summary_text(run_of(bytes_ + comparisons));
    const std::size_t begin = text.find("  times are");
    return text.substr(begin, text.find('\n', begin) - begin);
  };
  EXPECT_EQ(line(""), "  times are from one clock");
  EXPECT_EQ(line(compared(0, 50, 2500)),
            "  times are from 3 clocks, compared to within 2.5 us at the start; how far they drift apart is not known");
  EXPECT_EQ(line(compared(0, 50, 2500) + compared(2'000'000'000, -3950, 3100)),
            "  times are from 3 clocks, compared to within 3.1 us; they drift apart by up to 2.000 us per second, "
            "which is corrected");
}

/// The choice is shown, and paths of mapped files are.
TEST_F(TraceDamage, TextsCannotSteerTheTerminal) {
  Process process;
  process.choice = "functions:\033[2J";
  std::string content;
  define(content, Mapped{1, 2, 0, "/bin/\033]0;app"});
  define_region(content, {1, 2}, "a\033b\n");
  const File file = File::holding(file_head() + writer_.block(BlockKind::process, content_of(process, "")) +
                                      writer_.block(BlockKind::definitions, content),
                                  "texts");
  EXPECT_EQ(file.process().choice, "functions:?[2J");
  EXPECT_EQ(file.definitions().mapped.front().path, "/bin/?]0;app");
  EXPECT_EQ(file.definitions().regions.at({1, 2}), "a?b?");
}

TEST_F(TraceDamage, MoreDefinitionsThanAnyTraceNeedsAreNotRead) {
  std::string content;
  define(content, most_definitions - 1, Datatype{1, "last"});
  define(content, most_definitions, Datatype{2, "beyond"});
  Definitions read_ones;
  read(content, read_ones);
  EXPECT_EQ(read_ones.types.count(), 1U);
  EXPECT_EQ(read_ones.types.find(most_definitions - 1)->name, "last");
  EXPECT_EQ(read_ones.left_out, 1U);
}

// ------------------------------------------------------------ all outputs

const Otf2Library* otf2() {
#if defined(OTF2_LIBRARY_FILE)
  void* const library = dlopen(OTF2_LIBRARY_FILE, RTLD_NOW | RTLD_LOCAL);
  return library == nullptr ? nullptr : static_cast<const Otf2Library*>(dlsym(library, otf2_symbol));
#else
  return nullptr;
#endif
}

/// As the options of `cairn trace` do it.
void write_all(const cli::RunTraces& run, const std::string& folder, const Otf2Library* library) {
  where::Places places(nullptr);
  testing::internal::CaptureStdout();
  cli::list_records(run, places);
  cli::write_perfetto(run, places, folder + "/trace.json");
  const std::string printed = testing::internal::GetCapturedStdout();
  EXPECT_EQ(printed.find('\033'), std::string::npos);
  if (library == nullptr) return;
  Otf2Run made;
  made.folder = folder + "/otf2";
  for (const auto& process : run.processes) made.processes.push_back({&process->file, 0, {}});
  made.place = [](std::size_t, std::uint64_t) { return SourceLine{}; };
  EXPECT_EQ(library->write(made), "");
  std::filesystem::remove_all(made.folder);
}

TEST_F(TraceDamage, OfAnyKindIsSurvivedByAllOutputs) {
  const Otf2Library* const library = otf2();
  std::mt19937_64 random(3);
  for (int round = 0; round < 150; ++round) {
    std::string bad = bytes_;
    if (round % 3 == 0) {
      for (auto hits = 1 + random() % 8; hits > 0; --hits)
        bad[head_size + random() % (bad.size() - head_size)] = static_cast<char>(random());
    } else {  // what no checksum finds: any records
      RecordEncoder encoder;
      for (std::uint64_t i = 0; i < 60; ++i) {
        Record record{};
        const bool is_detail = random() % 3 == 0;
        record.function = static_cast<std::uint16_t>(is_detail ? page::first_detail + random() % 13 : random() % 12);
        record.entry = is_detail ? i - std::min(i, random() % 3) : random() % (4 * one_second);
        record.exit = is_detail ? 1 : record.entry + random() % one_second;
        record.count = random() % 3 == 0 ? random() : random() % 4;
        record.other = random() % 4;
        record.object = static_cast<std::uint32_t>(random() % 4);
        record.type = static_cast<std::uint32_t>(random() % 4);
        record.peer = static_cast<std::int32_t>(random() % 6) - 3;
        record.tag = static_cast<std::int32_t>(random() % 9);
        record.number = static_cast<std::uint32_t>(random() % 3);
        record.flags = static_cast<std::uint16_t>(random() % 1024);
        encoder.add(record, 120 + i);
      }
      const BlockHead head{.count = encoder.count(), .first = encoder.first()};
      std::string regions;
      for (std::uint64_t number = 0; number < 4; ++number)
        define_region(regions, {static_cast<std::int32_t>(random() % 9), number}, number % 2 == 0 ? "a/b/c" : "a");
      bad += writer_.block(BlockKind::definitions, regions) + writer_.block(BlockKind::records, encoder.take(), head);
    }
    if (File::holding(bad, "bad").process().rank < 0) continue;  // left out before any output
    write_all(run_of(bad), folder_, library);
  }
}

}  // namespace
}  // namespace cairn::trace
