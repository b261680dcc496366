// SPDX-License-Identifier: BSD-3-Clause
// where_findings_test.cc - what is told of calls and messages that do not fit

#include <elf.h>
#include <link.h>
#include <sched.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <thread>

#include "where/build_id.hpp"
#include "where/patience.hpp"
#include "where/threads.hpp"
#include "where_pages.hpp"

namespace cairn::where {
namespace {

/// The page's datatypes, from 1 on.
void add_type(auto& page, std::size_t index, std::uint64_t size, std::uint32_t kind, const char* name) {
  page::Datatype& type = page.file.template table<page::Datatype>(page.header().datatypes)[index];
  type.size = size;
  type.kind = kind;
  std::strcpy(type.name, name);
  type.handle = index;
}

page::Record& add_bcast(auto& page, std::uint64_t count, std::uint32_t type, int root = 0) {
  add_type(page, 1, 4, 9, "MPI_INT");
  add_type(page, 2, 4, 15, "MPI_FLOAT");
  add_type(page, 3, 4, 0, "pair");
  page::Record& record = page.add(bcast, root, 0, false);
  record.flags = page::has_root | page::has_count | page::same_for_all;
  record.count = count;
  record.type = type;
  return record;
}

void expect_first(const auto& found, std::size_t of, const std::string& kind, const std::string& text) {
  ASSERT_EQ(found.verdict.findings.size(), of) << found.text;
  EXPECT_EQ(found.verdict.findings[0].kind, kind);
  EXPECT_EQ(found.verdict.findings[0].text, text);
}

TEST_F(Where, AnotherAmountInOneRankIsTold) {
  for (int rank = 0; rank < 3; ++rank) make(rank, 3, [rank](Page& page) { add_bcast(page, rank == 1 ? 8 : 4, 1); });
  const Answer found = answer();
  expect_first(
      found, 1, "other count",
      "collective call 1 on MPI_COMM_WORLD, MPI_Bcast, does not have the same amount everywhere: rank 1 with 32 B, "
      "ranks 0,2 with 16 B");
}

TEST_F(Where, AnotherDatatypeOfTheSameSizeIsToldButExplainsNothing) {
  for (int rank = 0; rank < 2; ++rank) make(rank, 3, [rank](Page& page) { add_bcast(page, 4, rank == 1 ? 2 : 1); });
  make(2, 3, [](Page& page) { page.add(init, 0, 0, true); });
  const Answer found = answer();
  expect_first(
      found, 2, "other datatype",
      "collective call 1 on MPI_COMM_WORLD, MPI_Bcast, does not have the same datatype everywhere: rank 1 with "
      "MPI_FLOAT, rank 0 with MPI_INT");
  EXPECT_FALSE(found.verdict.is_certain());
  EXPECT_EQ(found.verdict.findings.at(1).kind, "busy");
}

TEST_F(Where, WhatADerivedDatatypeConsistsOfIsUnknown) {
  for (int rank = 0; rank < 2; ++rank) make(rank, 2, [rank](Page& page) { add_bcast(page, 4, rank == 1 ? 3 : 1); });
  EXPECT_TRUE(answer().verdict.findings.empty());
}

TEST_F(Where, CallsFromTwoPlacesWithTheSameRootFit) {
  for (int rank = 0; rank < 2; ++rank)
    make(rank, 2, [rank](Page& page) { add_bcast(page, 4, 1).site = rank == 0 ? 0x1008 : 0x2008; });
  EXPECT_TRUE(answer().verdict.findings.empty());
}

/// A duplicate of the world.
page::Record& on_copy(auto& page, page::Record& record) {
  page::Object& copy = page.file.template table<page::Object>(page.header().objects)[2];
  std::memcpy(static_cast<void*>(&copy), &page.world(), sizeof copy);
  copy.identity = 8;
  std::strcpy(copy.name, "copy");
  record.object = 2;
  return record;
}

TEST_F(Where, AMessageOnAnotherCommunicatorIsFound) {
  make(0, 2, [](Page& page) {
    on_copy(page, page.add(send, 1, 7, true));
    page.add(barrier, 0, 0, false);
  });
  make(1, 2, [](Page& page) { page.add(receive, 0, 7, false); });
  const Answer found = answer();
  ASSERT_FALSE(found.verdict.findings.empty());
  EXPECT_EQ(found.verdict.findings[0].kind, "other communicator");
  EXPECT_EQ(
      found.verdict.findings[0].text,
      "rank 1 waits in MPI_Recv for a message with tag 7 from rank 0 on MPI_COMM_WORLD; rank 0 has sent it one on "
      "'copy' that nobody receives: MPI_Ssend");
}

TEST_F(Where, AMessageToARankThatHasFinalizedIsFound) {
  make(0, 2, [](Page& page) { page.add(send, 1, 7, false); });
  make(1, 2, [](Page& page) { page.add(finalize, 0, 0, false); });
  const Answer found = answer();
  expect_first(found, 1, "ended",
               "rank 0 waits in MPI_Ssend for rank 1 to receive a message with tag 7; rank 1 is in MPI_Finalize");
}

TEST_F(Where, WhatIsOpenInFinalizeIsToldIfNothingElseExplains) {
  make(0, 2, [](Page& page) {
    add_request(page, 3, send, 1, 7);
    add_request(page, 4, receive, -1, 8);
    page.add(finalize, 0, 0, false);
  });
  make(1, 2, [](Page& page) { page.add(finalize, 0, 0, false); });
  const Answer found = answer();
  expect_first(found, 1, "pending",
               "rank 0 waits in MPI_Finalize with 2 incomplete messages: MPI_Ssend to rank 1, a message with tag 7, …");
  make(1, 2, [](Page& page) { page.add(receive, 0, 8, false); });
  EXPECT_EQ(answer().verdict.findings[0].kind, "ended");
}

/// With a tool that wants details of calls there are more records than calls.
TEST_F(Where, DetailsOfCallsDoNotMakeTheHistoryUnknown) {
  const auto add_detail = [](Page& page) {
    page::Record& record = page.add(init, 0, 0, true);
    record.function = page::moved;
    record.entry = record.exit = 1;
  };
  make(0, 2, [&](Page& page) {
    page.add(send, 1, 7, true);
    add_detail(page);
    page.add(barrier, 0, 0, false);
  });
  make(1, 2, [&](Page& page) {
    page.add(init, 0, 0, true);
    add_detail(page);
    page.add(receive, 0, 8, false);
  });
  const Answer found = answer();
  ASSERT_FALSE(found.verdict.findings.empty());
  EXPECT_EQ(found.verdict.findings[0].kind, "other tag") << found.text;
}

/// What MPI_Waitall has noted is still there.
TEST_F(Where, OnlyCallsThatWaitForRequestsHaveAny) {
  const auto fill = [](Page& page, Number now) {
    add_request(page, 3, receive, 0, 1);
    page.thread->waited_for[0] = 3;
    page.thread->waited_for_count = 1;
    page.add(now, 0, 0, false);
  };
  make(0, 1, [&](Page& page) { fill(page, barrier); });
  EXPECT_EQ(answer().text.find("not complete"), std::string::npos) << answer().text;
  make(0, 1, [&](Page& page) { fill(page, waitall); });
  EXPECT_NE(answer().text.find("MPI_Waitall on MPI_COMM_WORLD, 1 request not complete, for 10 s\n"), std::string::npos)
      << answer().text;
}

TEST_F(Where, WhatDidNotFitIsToldOfAJobThatDiedOfIt) {
  for (int rank = 0; rank < 2; ++rank)
    make(rank, 2, [rank](Page& page) {
      add_bcast(page, rank == 1 ? 8 : 4, 1);
      page.header().pid = 0;
      page.header().phase = page::Phase::ended;
      std::strcpy(page.header().end, "exit without MPI_Finalize");
    });
  const Answer found = answer();
  ASSERT_EQ(found.verdict.findings.size(), 2U) << found.text;
  EXPECT_EQ(found.verdict.findings[0].kind, "death");
  EXPECT_EQ(found.verdict.findings[1].kind, "other count");
}

/// Rank 1, whose MPI library has ended the job, is still on its way out.
TEST_F(Where, WhatDidNotFitIsToldWhileTheRankThatItEndedHasNotGone) {
  make(0, 2, [](Page& page) {
    add_bcast(page, 4, 1).exit = ticks_now();
    page.add(barrier, 0, 0, false);
    page.header().pid = 0;
  });
  make(1, 2, [](Page& page) { add_bcast(page, 8, 1).entry = page.just_now(); });
  const Answer found = answer();
  ASSERT_EQ(found.verdict.findings.size(), 2U) << found.text;
  EXPECT_EQ(found.verdict.findings[0].kind, "death");
  EXPECT_EQ(found.verdict.findings[1].kind, "other count");
}

// ------------------------------------------------------------ places

class WherePlaces : public Where {
 protected:
  /// The place of a call in this program, as the page of a process tells that had this build.
  std::string place_with(const std::string& build_id) {
    make(0, 1, [&](Page& page) {
      page::Mapped& mapped = page.file.table<page::Mapped>(page.header().mapped)[0];
      mapped.begin = 0x1000;
      mapped.end = 0x9000;
      std::strcpy(mapped.path, fs::read_symlink("/proc/self/exe").c_str());
      mapped.build_id_size = static_cast<std::uint32_t>(build_id.size());
      build_id.copy(reinterpret_cast<char*>(mapped.build_id), sizeof mapped.build_id);
      page.add(barrier, 0, 0, false).site = 0x2009;
    });
    const std::string text = answer().text;
    const std::size_t at = text.find(" at ");
    return at == text.npos ? text : text.substr(at + 4, text.find(", for") - at - 4);
  }
};

TEST_F(WherePlaces, OfAFileThatHasChangedNoNamesAreGiven) {
  const std::string own = build_id_of("/proc/self/exe");
  EXPECT_GE(own.size(), 8U);
  EXPECT_EQ(place_with(own), "unit_tests+0x2008");
  EXPECT_EQ(place_with(""), "unit_tests+0x2008") << "unknown";
  EXPECT_EQ(place_with("another"), "unit_tests (which has changed)+0x2008");
}

/// Of a file as small as it can be: its last character is the line.
const Symbols last_character{[](const char* path, std::uint64_t, SourcePlace* place) {
                               std::string text;
                               std::getline(std::ifstream(path, std::ios::binary), text, '\n');
                               *place = {"f", "app.c", text.back() - '0'};
                               return 0;
                             },
                             nullptr, nullptr};

std::string program_with(const std::string& build_id, int line) {
  ElfW(Ehdr) head{};
  std::memcpy(head.e_ident, ELFMAG, SELFMAG);
  head.e_phoff = sizeof head;
  head.e_phnum = 1;
  ElfW(Nhdr) note{4, static_cast<ElfW(Word)>(build_id.size()), NT_GNU_BUILD_ID};
  ElfW(Phdr) part{};
  part.p_type = PT_NOTE;
  part.p_offset = sizeof head + sizeof part;
  part.p_filesz = sizeof note + 4 + build_id.size();
  const auto bytes = [](const auto& one) { return std::string(reinterpret_cast<const char*>(&one), sizeof one); };
  return bytes(head) + bytes(part) + bytes(note) + std::string("GNU\0", 4) + build_id +
         std::string(static_cast<std::size_t>(line), ' ') + std::to_string(line);  // a later one has another size
}

TEST_F(WherePlaces, AfterAProgramHasBeenCompiledAgainItsNewPlacesAreGiven) {
  const std::string path = folder_ + "/app";
  Places places(&last_character);
  const auto line = [&](const std::string& build_id) {
    return places.of({{0x1000, 0x9000, 0, path, build_id}}, 0x2009).line;
  };
  write(path, program_with("aaaa", 1));
  EXPECT_EQ(line("aaaa"), 1);
  EXPECT_EQ(line(""), 1);
  write(path, program_with("bbbb", 2));
  EXPECT_EQ(line("bbbb"), 2);
  EXPECT_EQ(line(""), 2) << "it has none, or it is unknown";
  EXPECT_EQ(line("aaaa"), 1) << "of a job that still runs";
  EXPECT_EQ(places.of({{0x1000, 0x9000, 0, path, "aaaa"}}, 0x3009).line, 0) << "it cannot be known any more";
}

TEST_F(WherePlaces, WhatIsNoProgramHasNoBuild) {
  write(folder_ + "/cut", read("/proc/self/exe").substr(0, 200));
  write(folder_ + "/text", "text");
  for (const char* const file : {"/cut", "/text", "/missing"}) EXPECT_EQ(build_id_of(folder_ + file), "");
}

// ------------------------------------------------------------ when a job tells by itself

TEST_F(Where, AJobIsStuckAtOnceOnlyIfThereIsACause) {
  make(0, 2, [](Page& page) { page.add(receive, 1, 3, false); });
  make(1, 2, [](Page& page) { page.add(receive, 0, 3, false); });
  const Verdict caught = answer().verdict;
  EXPECT_TRUE(is_to_tell(look_at_job(jobs_.front().all()), caught, 9)) << "for 10 s";
  for (int rank = 0; rank < 2; ++rank) make(rank, 2, [](Page& page) { page.add(barrier, 0, 0, false); });
  const Verdict slow = answer().verdict;  // all have come
  EXPECT_EQ(slow.state, State::stuck);
  const Job job = look_at_job(jobs_.front().all());
  EXPECT_FALSE(is_to_tell(job, slow, 9));
  EXPECT_TRUE(is_to_tell(job, slow, 0.9));
  Job delayed = job;
  delayed.delayed_s = 5;  // no processor was free
  EXPECT_FALSE(is_to_tell(delayed, slow, 0.9));
  EXPECT_TRUE(is_to_tell(delayed, slow, 0.4));
  delayed.delayed_s = 10;  // as always of ranks that ask all the time
  EXPECT_TRUE(is_to_tell(delayed, slow, 0.3));
  Verdict other = slow;
  other.is_hopeless = false;  // it is told only
  EXPECT_TRUE(is_to_tell(delayed, other, 0.9));
  delayed.stopped_s = 5;
  EXPECT_FALSE(is_to_tell(delayed, other, 0.9));
  EXPECT_TRUE(is_to_tell(delayed, other, 0.4));
}

TEST(Stops, AreKnownToWhoLooks) {
  Stops stops(0.5);
  double now = 100;
  const auto look = [&](double asleep_s, double looks_s) {
    now += asleep_s;
    const bool is_stop = stops.begin_look(now);
    now += looks_s;
    stops.end_look(now);
    return is_stop;
  };
  EXPECT_FALSE(look(0, 0.9)) << "the first one";
  EXPECT_FALSE(look(0.5, 0.9));
  EXPECT_FALSE(look(0.9, 1.8)) << "a busy machine";
  EXPECT_EQ(stops.sum_s(), 0);
  EXPECT_TRUE(look(60.5, 1));
  EXPECT_FALSE(look(0.5, 0));
  EXPECT_TRUE(look(2.5, 0));
  EXPECT_DOUBLE_EQ(stops.sum_s(), 62);
  stops.forget();
  EXPECT_EQ(stops.sum_s(), 0);
}

TEST(Stops, AreKnownInTheMiddleOfALook) {
  Stops stops(0.5);
  double now = 100;
  const auto look = [&](double looks_s, double asks_s) {
    now += 0.5;
    EXPECT_FALSE(stops.begin_look(now));
    now += asks_s;
    stops.set_aside(asks_s);
    now += looks_s;
    const bool is_known_then = stops.is_in_look(now);
    EXPECT_EQ(stops.end_look(now), is_known_then);
    return is_known_then;
  };
  EXPECT_FALSE(look(0.25, 0));
  EXPECT_FALSE(look(0.25, 30)) << "other nodes may take long to answer";
  EXPECT_FALSE(look(1, 0)) << "a busy machine";
  EXPECT_EQ(stops.sum_s(), 0);
  EXPECT_TRUE(look(61, 0));
  EXPECT_DOUBLE_EQ(stops.sum_s(), 60);
  EXPECT_FALSE(look(1, 0));
  EXPECT_TRUE(look(61, 7)) << "again";
  EXPECT_DOUBLE_EQ(stops.sum_s(), 60 + 60);
  for (int i = 0; i < 10; ++i) EXPECT_FALSE(look(20, 0)) << "all take long: a hang must be told at some time";
}

TEST_F(Where, ARankThatIsBusyIsToldAfterTenTimesTheTimeIfAllAreSeen) {
  for (const int size : {2, 3}) {
    make(0, size, [](Page& page) { page.add(barrier, 0, 0, false); });
    make(1, size, [](Page& page) { page.add(init, 0, 0, true); });
    const Verdict verdict = answer().verdict;
    const Job job = look_at_job(jobs_.front().all());
    EXPECT_FALSE(is_to_tell(job, verdict, 9));
    EXPECT_EQ(is_to_tell(job, verdict, 0.9), size == 2);
  }
}

/// Never seen asleep, as one that has to wait for a processor.
class ThreadThatRuns {
 public:
  ~ThreadThatRuns() {
    stop_ = true;
    thread_.join();
  }

 private:
  std::atomic<bool> stop_ = false;
  std::thread thread_{[this] {
    while (!stop_) continue;
  }};
};

TEST_F(Where, AThreadThatOnlyRunsAtTheMomentIsToldAfterTenTimesTheTimeAndNotTakenForOneThatWorks) {
  make(0, 2, [](Page& page) { page.add(receive, 1, 3, false); });
  make(1, 2, [](Page& page) { page.add(receive, 0, 3, false); });
  answer();
  Job job = look_at_job(jobs_.front().all());
  Places places(nullptr);
  const ThreadThatRuns other;
  const Verdict seen = judge(job, places, 1);
  EXPECT_EQ(seen.state, State::waiting);
  EXPECT_TRUE(seen.rests_on_moment);
  EXPECT_FALSE(is_to_tell(job, seen, 9));
  EXPECT_TRUE(is_to_tell(job, seen, 0.9));
  for (const Process* const process : job.processes) job.working.insert(process);
  EXPECT_FALSE(judge(job, places, 1).rests_on_moment);
}

TEST(ProcessorTimes, WhatThreadsUseIsNotKnownBeforeTheyHaveBeenLookedAtForSoLong) {
  Process own;
  own.pid = getpid();
  own.is_alive = own.is_here = true;
  ProcessorTimes times;
  EXPECT_EQ(times.has_worked(own, 10, 0.3), std::nullopt);
  times.look(own, 10);
  EXPECT_EQ(times.has_worked(own, 10.2, 0.3), std::nullopt);
  EXPECT_EQ(times.has_worked(own, 10.3, 0.3), false);
  own.is_here = false;
  EXPECT_EQ(times.has_worked(own, 10, 0.3), false) << "what cannot be looked at";
}

/// Two that share a processor.
TEST(ProcessorTimes, TellForHowLongAThreadThatCallsMpiGotNoProcessor) {
  if (access("/proc/self/schedstat", R_OK) != 0) GTEST_SKIP() << "this system does not tell";
  cpu_set_t allowed;
  ASSERT_EQ(sched_getaffinity(0, sizeof allowed, &allowed), 0);
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(sched_getcpu(), &one);
  ASSERT_EQ(sched_setaffinity(0, sizeof one, &one), 0);
  Process own;
  own.pid = getpid();
  own.is_alive = own.is_here = true;
  own.threads.emplace_back();
  own.threads.back().in_use = true;
  own.threads.back().id = gettid();
  ProcessorTimes times;
  times.look(own, 10);
  {
    const ThreadThatRuns other;
    const auto begin = std::chrono::steady_clock::now();
    while (times.delayed_s(own) < 0.01 && std::chrono::steady_clock::now() - begin < std::chrono::seconds(20)) continue;
  }
  EXPECT_GE(times.delayed_s(own), 0.01);
  times.forget();
  EXPECT_EQ(times.delayed_s(own), 0);
  sched_setaffinity(0, sizeof allowed, &allowed);
}

}  // namespace
}  // namespace cairn::where
