// SPDX-License-Identifier: BSD-3-Clause
// trace_test.cc - trace files: what is written is read again, and damage of any kind is survived and told

#include <gtest/gtest.h>

#include <unistd.h>

#include <cstdio>
#include <cstring>
#include <fstream>
#include <iterator>
#include <random>
#include <thread>
#include <vector>

#include "base/file_bytes.hpp"
#include "base/message.hpp"
#include "cli/report/timeline.hpp"
#include "cli/report/trace_figures.hpp"
#include "cli/trace/sums.hpp"
#include "cli/trace/views.hpp"
#include "trace/blocks.hpp"
#include "trace/file.hpp"
#include "trace/flows.hpp"
#include "trace/loops.hpp"
#include "trace/recent.hpp"
#include "trace/record_coder.hpp"
#include "trace/switches.hpp"

namespace cairn::trace {
namespace {

/// As of a program with a loop: a send, a wait, its completion, now and then something else.
std::vector<Record> loop(std::size_t count, bool is_regular) {
  std::mt19937_64 random(20261122);
  std::vector<Record> records;
  std::uint64_t now = 1'000'000;
  for (std::size_t i = 0; i < count; ++i) {
    Record record{};
    record.function = i % 3 == 2 ? std::uint16_t{page::request_completed} : static_cast<std::uint16_t>(5 + i % 3);
    record.entry = i % 3 == 2 ? i : now += 1000 + random() % 16;
    record.exit = i % 3 == 2 ? 1 : now += 200 + random() % 16;
    record.site = 0x401000 + i % 3;
    record.count = is_regular ? 8 : random();
    record.other = 0x7f0000000000 + i % 3 * 64;
    record.peer = is_regular ? 1 : static_cast<std::int32_t>(random());
    record.tag = -1;
    record.number = i % 3 == 1 ? static_cast<std::uint32_t>(i) : 0;
    if (i + 1 == count && i % 3 != 2) {
      record.flags = unfinished;
      record.exit = 0;
    }
    records.push_back(record);
  }
  return records;
}

std::string encoded(RecordEncoder& encoder, const std::vector<Record>& records, std::uint64_t first) {
  for (std::size_t i = 0; i < records.size(); ++i) encoder.add(records[i], first + i);
  EXPECT_EQ(encoder.count(), records.size());
  EXPECT_EQ(encoder.first(), first);
  return encoder.take();
}

bool are_equal(const std::vector<Record>& one, const std::vector<Record>& other) {
  return one.size() == other.size() && std::memcmp(one.data(), other.data(), one.size() * sizeof(Record)) == 0;
}

class Trace : public testing::Test {
 protected:
  Trace() {
    char name[] = "/dev/shm/cairn-trace-test.XXXXXX";
    close(mkstemp(name));
    path_ = name;
  }
  ~Trace() override { std::remove(path_.c_str()); }

  void write(const std::string& bytes) { std::ofstream(path_, std::ios::binary) << bytes; }

  static std::string beginning(BlockWriter& writer) {
    Process process;
    process.rank = 3;
    process.size = 4;
    process.program = "/bin/app";
    std::string functions;
    for (int i = 0; i < 8; ++i) functions += std::string("\1MPI_Send") + '\0';
    std::string definitions;
    define(definitions, 1,
           Object{.identity = 9,
                  .rank = 1,
                  .size = 3,
                  .peers = 3,
                  .members_known = true,
                  .members = {5, 2, 7},
                  .name = "rows\033[2J\n"});
    define(definitions, 1, Datatype{8, "MPI_DOUBLE"});
    define(definitions, Mapped{0x401000, 0x402000, 0x400000, "/bin/app"});
    define_thread(definitions, 1, 4711);
    return file_head() + writer.block(BlockKind::process, content_of(process, functions)) +
           writer.block(BlockKind::definitions, definitions) +
           writer.block(BlockKind::clock, content_of(Moment{1'000'000, 5'000, 7}));
  }
  std::string whole_file(std::size_t count = 900) {
    BlockWriter writer;
    RecordEncoder encoder;
    BlockHead head{.count = static_cast<std::uint32_t>(count), .first = 40};
    return beginning(writer) + writer.block(static_cast<BlockKind>(99), "of a later Cairn") +
           writer.block(BlockKind::records, encoded(encoder, loop(count, true), 40), head) +
           writer.block(BlockKind::clock, content_of(Moment{3'000'000, 6'000, 8})) +
           writer.block(BlockKind::end, content_of(End{.records = count, .lost = 40, .how = "SIGTERM"}));
  }

  /// All that a reader can be asked.
  std::size_t read_all() try {
    const File file(path_);
    std::size_t count = 0;
    std::int64_t longest = 0;
    for (Records records(file); const Record* record = records.now(); records.step(), ++count) {
      file.function(*record);
      file.object(*record);
      file.bytes(*record);
      longest = std::max(longest, file.nanoseconds(record->exit) - file.nanoseconds(record->entry));
    }
    cli::RunTraces run;
    run.processes.push_back(std::make_unique<cli::ProcessTrace>(path_));
    where::Places places(nullptr);
    report::timeline_chart(run, places, {}, {.rows = 8, .bins = 64, .cells = 512, .calls = 100, .messages = 10});
    report::figures_of(run, places);
    cli::sums_of(run);
    return count;
  } catch (const Problem&) {
    return 0;
  }

  std::string path_;
};

/// The communicator of whole_file, in which this process is rank 1 and the world's rank 3.
TEST_F(Trace, MessagesHaveOneNumberAtBothEndsWhateverWasCompletedFirst) {
  write(whole_file());
  const File file(path_);
  constexpr std::uint32_t rows = 1;
  constexpr std::int32_t any = 0;  // what the file says of MPI_ANY_SOURCE and MPI_ANY_TAG
  std::vector<std::uint64_t> sent, received;
  Flows flows(file, [&](const FlowEnd& end) {
    EXPECT_EQ(end.partner, 7);
    (end.is_sender ? sent : received).push_back(end.flow);
  });
  const auto tell = [&](Transfer what, std::int32_t peer, std::int32_t tag, std::uint64_t request) {
    flows.take(0, 5, {what, rows, peer, tag, 8, request, nullptr});
  };
  tell(Transfer::begin_receive, 2, 4, 1);
  tell(Transfer::begin_receive, any, any, 2);
  tell(Transfer::begin_receive, 2, 4, 3);
  tell(Transfer::begin_receive, 2, 6, 4);
  tell(Transfer::end_receive, 2, 4, 3);  // may be the first, second or third of its kind
  EXPECT_TRUE(received.empty());
  tell(Transfer::end_receive, 2, 4, 1);  // the first; the one above may still be the second or third
  ASSERT_EQ(received.size(), 1U);
  tell(Transfer::end_receive, 2, 4, 2);
  ASSERT_EQ(received.size(), 3U);
  tell(Transfer::receive, 2, 6, 0);  // after request 4, which ends without a message
  EXPECT_EQ(received.size(), 3U);
  tell(Transfer::no_receive, 2, 6, 4);
  ASSERT_EQ(received.size(), 4U);
  for (int i = 0; i < 2; ++i) tell(Transfer::send, 2, 4, 0);
  ASSERT_EQ(sent.size(), 2U);
  std::vector<std::uint64_t> all(sent);
  all.insert(all.end(), received.begin(), received.end());
  std::ranges::sort(all);
  EXPECT_EQ(std::ranges::adjacent_find(all), all.end());
}

/// Each of another tag, and the last one asked for is complete first: none must be looked for among the others.
TEST_F(Trace, ManyMessagesAreNumberedInTheOppositeOrder) {
  write(whole_file());
  const File file(path_);
  constexpr std::int32_t many = 200'000;
  std::size_t received = 0;
  Flows flows(file, [&](const FlowEnd&) { ++received; });
  const auto tell = [&](Transfer what, std::int32_t tag) {
    flows.take(0, 5, {what, 1, 2, tag, 8, static_cast<std::uint64_t>(tag), nullptr});
  };
  for (std::int32_t tag = 1; tag <= many; ++tag) tell(Transfer::begin_receive, tag);
  for (std::int32_t tag = many; tag >= 1; --tag) tell(Transfer::end_receive, tag);
  EXPECT_EQ(received, static_cast<std::size_t>(many));
}

/// In the order in which they were found, whenever they are received.
TEST_F(Trace, MessagesThatWereFoundAreNumberedWhereTheyWere) {
  write(whole_file());
  const File file(path_);
  std::vector<std::pair<std::uint64_t, std::uint64_t>> ends;  // flow, and mark
  Flows flows(file, [&](const FlowEnd& end) { ends.emplace_back(end.flow, end.mark); });
  const auto tell = [&](Transfer what, std::int32_t tag, std::uint64_t request, std::uint64_t mark) {
    flows.take(0, 5, {what, 1, 2, tag, 8, request, nullptr}, mark);
  };
  const auto flow_of_mark = [&](std::uint64_t mark) {
    const auto end = std::ranges::find(ends, mark, [](const auto& one) { return one.second; });
    return end == ends.end() ? 0 : end->first;
  };
  for (std::uint64_t mark = 1; mark <= 6; ++mark) tell(Transfer::send, 4, 0, mark);
  tell(Transfer::found, 4, 0, 0);  // MPI_Probe: it stays
  tell(Transfer::receive, 4, 0, 11);
  tell(Transfer::found, 4, 1, 0);  // the second one
  tell(Transfer::found, 4, 2, 0);  // the third one
  tell(Transfer::receive, 4, 0, 14);
  tell(Transfer::receive, 4, 2, 13);
  tell(Transfer::begin_receive, 4, 1, 0);  // MPI_Imrecv
  tell(Transfer::begin_receive, 0, 3, 0);  // of any tag: perhaps the fifth
  tell(Transfer::found, 4, 4, 0);          // the fifth, or the sixth
  tell(Transfer::end_receive, 4, 1, 12);
  tell(Transfer::receive, 4, 4, 16);
  EXPECT_EQ(flow_of_mark(16), 0U);
  tell(Transfer::end_receive, 4, 3, 15);
  ASSERT_EQ(ends.size(), 12U);
  const std::int32_t own = file.process().rank;
  for (std::uint64_t i = 1; i <= 6; ++i) {
    EXPECT_EQ(flow_of_mark(i), flow_of(file.definitions().objects.find(1)->identity, own, 7, 4, i));
    EXPECT_EQ(flow_of_mark(10 + i), flow_of(file.definitions().objects.find(1)->identity, 7, own, 4, i));
  }
}

/// "2(a 3(b))"
std::string text_of(const Loops& loops, const Loops::Body& body) {
  std::string text;
  for (const Loops::Item& item : body) {
    if (!text.empty()) text += ' ';
    if (item.times == 0) text += static_cast<char>(item.what);
    else text += std::to_string(item.times) + "(" + text_of(loops, loops.body(item)) + ")";
  }
  return text;
}
std::string loops_in(std::string_view sequence, std::size_t longest = 512) {
  Loops loops(longest);
  for (const char letter : sequence) loops.add(static_cast<std::uint32_t>(letter));
  return text_of(loops, loops.items());
}

/// They are counted, so one that is not known makes the numbers of all after it wrong.
TEST_F(Trace, NoMessageIsDrawnAfterAGap) {
  BlockWriter writer;
  std::string bytes = beginning(writer);
  for (const std::uint32_t first : {0U, 2U, 9U}) {
    RecordEncoder encoder;
    for (std::uint32_t i = first; i < first + 2; ++i) {
      Record send{};
      send.entry = 1'000'000 + i * 100;
      send.exit = send.entry + 10;
      send.object = 1;
      send.peer = 2;
      send.tag = 4;
      send.flags = page::has_peer | page::has_tag;
      encoder.add(send, i);
    }
    bytes += writer.block(BlockKind::records, encoder.take(), BlockHead{.count = 2, .first = first});
  }
  write(bytes);
  cli::RunTraces run;
  run.processes.push_back(std::make_unique<cli::ProcessTrace>(path_));
  where::Places places(nullptr);
  const std::string shown = path_ + ".json";
  cli::write_perfetto(run, places, shown);
  const std::string text = cairn::whole_file(shown).value_or("");
  std::remove(shown.c_str());
  std::size_t arrows = 0;
  for (std::size_t at = text.find("\"ph\":\"s\""); at != text.npos; at = text.find("\"ph\":\"s\"", at + 1)) ++arrows;
  EXPECT_EQ(arrows, 4U);
}

TEST(Loops, AreFoundOneWithinAnother) {
  EXPECT_EQ(loops_in(""), "");
  EXPECT_EQ(loops_in("abc"), "a b c");
  EXPECT_EQ(loops_in("aaaa"), "4(a)");
  EXPECT_EQ(loops_in("xabababy"), "x 3(a b) y");
  EXPECT_EQ(loops_in("abbbabbbabbbc"), "3(a 3(b)) c");
  EXPECT_EQ(loops_in("abbabbb"), "2(a 2(b)) b");
  EXPECT_EQ(loops_in("abcabc", 2), "a b c a b c");
}

TEST(Loops, TellTheWholeSequenceWhateverItIs) {
  std::mt19937 random(7);
  for (int round = 0; round < 200; ++round) {
    std::string sequence;
    for (int i = 0; i < 300; ++i)
      sequence += static_cast<char>('a' + random() % (1 + static_cast<unsigned>(round) % 4));
    Loops loops(20);
    for (const char letter : sequence) loops.add(static_cast<std::uint32_t>(letter));
    std::string told;
    const auto tell = [&](const auto& self, const Loops::Body& body) -> void {
      for (const Loops::Item& item : body)
        if (item.times == 0) told += static_cast<char>(item.what);
        else
          for (std::uint32_t i = 0; i < item.times; ++i) self(self, loops.body(item));
    };
    tell(tell, loops.items());
    ASSERT_EQ(told, sequence);
  }
}

TEST_F(Trace, RecordsComeBackAsTheyWere) {
  RecordEncoder encoder;
  for (const bool is_regular : {true, false})
    for (const std::size_t count : {1U, 2U, 3U, 1000U}) {
      const std::vector<Record> records = loop(count, is_regular);
      const std::string content = encoded(encoder, records, 7);
      EXPECT_TRUE(are_equal(decode_records(content, {.count = static_cast<std::uint32_t>(count), .first = 7}), records))
          << count << is_regular;
    }
}

TEST_F(Trace, ALoopTakesFewBytes) {
  RecordEncoder encoder;
  BlockWriter writer;
  const std::string content = encoded(encoder, loop(15'000, true), 0);
  EXPECT_LT(writer.block(BlockKind::records, content).size(), 15'000U * 2);
}

TEST_F(Trace, AFileTellsAllThatWasWritten) {
  write(whole_file());
  const File file(path_);
  EXPECT_TRUE(file.damages().empty());
  EXPECT_EQ(file.process().rank, 3);
  EXPECT_EQ(file.process().program, "/bin/app");
  EXPECT_EQ(file.process().functions.size(), 8U);
  EXPECT_EQ(file.definitions().objects.find(1)->members, (std::vector<std::int32_t>{5, 2, 7}));
  EXPECT_EQ(file.definitions().types.find(1)->name, "MPI_DOUBLE");
  EXPECT_EQ(file.definitions().objects.find(1)->name, "rows?[2J?");  // cannot steer the terminal
  EXPECT_EQ(file.definitions().threads, (std::vector<std::int32_t>{0, 4711}));
  ASSERT_NE(file.end(), nullptr);
  EXPECT_EQ(file.end()->how, "SIGTERM");
  EXPECT_EQ(file.nanoseconds(2'000'000), 5'500);
  EXPECT_EQ(file.nanoseconds(4'000'000), 6'500);
  Records records(file);
  EXPECT_EQ(records.number(), 41U);
  EXPECT_EQ(read_all(), 900U);
}

/// The clock of whole_file() is at 5,500 ns after 2,000,000 ticks.
TEST_F(Trace, MomentsAreThoseOfTheJobWhereItsClocksWereCompared) {
  const auto compared = [](std::uint64_t reference, std::int64_t at, std::int64_t offset) {
    return BlockWriter().block(BlockKind::comparison, content_of(Comparison{5, reference, 2, at, offset, 30, 7'000}));
  };
  const auto told = [&](const std::string& comparisons) {
    write(whole_file() + comparisons);
    return std::pair(File(path_).nanoseconds(2'000'000), File(path_).nanoseconds(4'000'000));
  };
  EXPECT_EQ(told(""), std::pair(5'500L, 6'500L));
  EXPECT_EQ(told(compared(9, 5'000, -2'000'000)), std::pair(-1'994'500L, -1'993'500L));
  EXPECT_EQ(File(path_).clock(), "compared 9");
  EXPECT_EQ(File(path_).time_of_day_ns(), 7'000);
  EXPECT_EQ(told(compared(9, 5'000, 100) + compared(9, 6'000, 160)), std::pair(5'630L, 6'660L));
  ASSERT_EQ(File(path_).comparisons().size(), 2U);
  EXPECT_EQ(File(path_).comparisons()[1].error_ns, 30);
  EXPECT_EQ(told(compared(9, 5'000, 100) + compared(8, 6'000, 160)), std::pair(5'600L, 6'600L));
  EXPECT_EQ(told(compared(9, 5'000, 100) + compared(9, 6'000, 201)), std::pair(5'600L, 6'600L));  // no clock drifts so
  EXPECT_EQ(told(compared(9, INT64_MAX, INT64_MIN)), std::pair(5'500L, 6'500L));
}

TEST_F(Trace, AProcessThatGoesOnAfterASignalHasNotEndedByIt) {
  const std::string going_on =
      whole_file() + BlockWriter().block(BlockKind::clock, content_of(Moment{4'000'000, 7'000, 9}));
  write(going_on);
  EXPECT_EQ(File(path_).end(), nullptr);
  write(going_on + BlockWriter().block(BlockKind::end, content_of(End{.records = 900, .how = ""})));
  const File whole(path_);
  ASSERT_NE(whole.end(), nullptr);
  EXPECT_EQ(whole.end()->how, "");
}

TEST_F(Trace, AFileThatIsCutIsReadUpToItsLastWholeBlock) {
  const std::string whole = whole_file(30);
  for (std::size_t size = 0; size < whole.size(); ++size) {
    write(whole.substr(0, size));
    const std::size_t count = read_all();
    EXPECT_TRUE(count == 0 || count == 30) << size;
  }
  write(whole.substr(0, whole.size() - 1));
  const File file(path_);
  EXPECT_EQ(file.end(), nullptr);
  EXPECT_TRUE(file.damages().empty());
  EXPECT_EQ(read_all(), 30U);
}

TEST_F(Trace, WhatIsNoTraceIsRefused) {
  const auto refusal = [&](const std::string& bytes) -> std::string {
    write(bytes);
    try {
      const File file(path_);
    } catch (const Problem& problem) {
      return std::string(problem.what()) + "|" + problem.remedy;
    }
    return "";
  };
  for (const char* bytes : {"", "CAIRNTRC", "something else altogether"})
    EXPECT_EQ(refusal(bytes), "'" + path_ + "' is not a trace of Cairn's|");
  EXPECT_EQ(refusal("CAIRNTRC" + std::string("\10\0\0\0", 4)),
            "'" + path_ +
                "' was written by another version of Cairn (layout 8, this one reads 7)|the 'cairn' that the job was "
                "started with");
  std::remove(path_.c_str());
  EXPECT_THROW(File{path_}, Problem);
}

TEST_F(Trace, RandomDamageIsSurvived) {
  const std::string whole = whole_file(60);
  std::mt19937_64 random(1);
  for (int round = 0; round < 3000; ++round) {
    std::string bad = whole;
    for (auto hits = 1 + random() % 8; hits > 0; --hits) bad[random() % bad.size()] = static_cast<char>(random());
    write(bad);
    read_all();
  }
}

/// Checksums find random damage; this is what gets past them.
TEST_F(Trace, ContentsOfAnyKindAreSurvived) {
  std::mt19937_64 random(2);
  RecordEncoder encoder;
  const std::string good = encoded(encoder, loop(50, false), 0);
  std::string definitions;
  define(definitions, 1, Object{.members_known = true, .members = {1, 2}, .name = "a"});
  int refused = 0;
  for (int round = 0; round < 20'000; ++round) {
    std::string bad = round % 2 == 0 ? good : definitions;
    for (auto hits = 1 + random() % 4; hits > 0; --hits) bad[random() % bad.size()] = static_cast<char>(random());
    try {
      Definitions into;
      Process process;
      if (round % 2 == 0) decode_records(bad, {.count = 50, .first = random()});
      else read(bad, into), read(bad, process);
    } catch (const Damaged&) {
      ++refused;
    }
  }
  EXPECT_GT(refused, 1000);
  EXPECT_THROW(decode_records("", {.count = 1}), Damaged);
  EXPECT_THROW(decode_records(good, {.count = most_records + 1}), Damaged);
}

TEST(Switches, AreKnownInTheirOrderAndThoseThatCameTooFastAreCounted) {
  Switches switches(true);
  const std::uint64_t before = ticks_now();
  switches.switch_to(true);
  switches.switch_to(false);
  const std::uint64_t between = ticks_now();
  switches.switch_to(true);
  switches.refresh();
  EXPECT_TRUE(switches.was_on(before));
  EXPECT_FALSE(switches.was_on(between));
  EXPECT_TRUE(switches.was_on(ticks_now()));
  EXPECT_EQ(switches.lost(), 0U);
  for (int i = 0; i < 20000; ++i) switches.switch_to(i % 2 != 0);
  switches.refresh();
  EXPECT_EQ(switches.lost(), 20000U - (1U << 14U));
  EXPECT_TRUE(switches.is_on());
}

TEST(Switches, OfSeveralThreadsEndAsTheLastOneSaid) {
  Switches switches(false);
  std::vector<std::thread> threads;
  for (int thread = 0; thread < 4; ++thread)
    threads.emplace_back([&switches, thread] {
      for (int i = 0; i < 2000; ++i) switches.switch_to((i + thread) % 2 != 0);
    });
  for (std::thread& thread : threads) thread.join();
  switches.refresh();
  EXPECT_EQ(switches.was_on(ticks_now()), switches.is_on());
}

TEST(Recent, NothingGoesAsLongAsAllIsYoung) {
  Recent recent(10, 1000);
  recent.add(BlockKind::records, 100, 1'000'000'000);
  recent.add(BlockKind::records, 100, 2'000'000'000);
  EXPECT_TRUE(recent.keeps_all(11'000'000'000));
  EXPECT_FALSE(recent.keeps_all(11'500'000'000));
  recent.add(BlockKind::records, 600, 2'000'000'000);
  EXPECT_FALSE(recent.keeps_all(11'000'000'000)) << "too many bytes";
}

}  // namespace
}  // namespace cairn::trace
