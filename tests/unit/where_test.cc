// SPDX-License-Identifier: BSD-3-Clause
// where_test.cc - reading pages, whole, cut and damaged, and judging what they show

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <random>

#include "base/message.hpp"
#include "cairn/kit/clock.hpp"
#include "recorder/page_file.hpp"
#include "where/jobs.hpp"
#include "where/other_nodes.hpp"
#include "where/report.hpp"
#include "where/sent_pages.hpp"

namespace cairn::where {
namespace {

namespace fs = std::filesystem;

enum Number : std::uint16_t { init, receive, send, barrier, finalize, probe, bcast, lock, unlock, complete };
constexpr struct {
  Kind kind;
  const char* name;
} functions[] = {{Kind::init, "MPI_Init"},          {Kind::receive, "MPI_Recv"},      {Kind::send, "MPI_Ssend"},
                 {Kind::collective, "MPI_Barrier"}, {Kind::finalize, "MPI_Finalize"}, {Kind::test, "MPI_Iprobe"},
                 {Kind::collective, "MPI_Bcast"},   {Kind::sync, "MPI_Win_lock"},     {Kind::sync, "MPI_Win_unlock"},
                 {Kind::sync, "MPI_Win_complete"}};

/// Pages of a job whose processes are all this one; each is what the recorder would have written.
class Where : public testing::Test {
 protected:
  Where() {
    char pattern[] = "/tmp/cairn-where-test.XXXXXX";
    folder_ = mkdtemp(pattern);
    setenv("CAIRN_PAGES", folder_.c_str(), 1);
  }
  ~Where() override {
    unsetenv("CAIRN_PAGES");
    fs::remove_all(folder_);
  }

  struct Page {
    recorder::PageFile file;
    page::Thread* thread = nullptr;
    page::Record* ring = nullptr;

    page::PageHeader& header() { return *file.header(); }
    page::Object& world() { return file.table<page::Object>(header().objects)[1]; }
    page::Record& add(Number function, int peer, int tag, bool is_over) {
      const std::uint64_t index = thread->count.load();
      page::Record& record = ring[index % header().ring_size];
      record = {};
      record.entry = ticks_now() - ticks_in(10);
      record.exit = is_over ? record.entry + 1 : 0;
      record.object = 1;
      record.function = function;
      record.peer = peer;
      record.tag = tag;
      if (function == lock || function == unlock) record.flags = page::has_peer;
      if (function == receive || function == send || function == probe) record.flags = page::has_peer | page::has_tag;
      if (function == barrier || function == bcast) record.number = ++world().collectives;
      if (!is_over) thread->inside = index + 1;
      thread->count = index + 1;
      return record;
    }
    std::uint64_t ticks_in(double seconds) {
      static const double per_second = [] {
        Clock clock;
        clock.anchor();
        return 1 / clock.seconds_per_tick();
      }();
      return static_cast<std::uint64_t>(seconds * per_second);
    }
  };

  /// A rank that has begun a minute ago; it lies under its own name when it is done.
  void make(int rank, int size, const std::function<void(Page&)>& fill, std::uint32_t ring_size = 16) {
    Page made;
    made.file.create(ring_size);
    page::PageHeader& header = made.header();
    char* text = made.file.table<char>(header.functions);
    for (const auto& function : functions) {
      *text++ = static_cast<char>(function.kind);
      text = stpcpy(text, function.name) + 1;
    }
    header.functions.count = static_cast<std::uint64_t>(text - made.file.table<char>(header.functions));
    header.rank = rank;
    header.size = size;
    header.any_source = header.any_tag = -1;
    header.proc_null = -2;
    header.first.ticks -= made.ticks_in(60);
    header.first.nanoseconds -= 60'000'000'000U;
    header.phase = page::Phase::running;
    std::strcpy(header.run, "abc");
    std::strcpy(header.program, "/bin/app");
    made.world().handle = 99;
    made.world().identity = 7;
    made.world().rank = rank;
    made.world().size = made.world().peers = size;
    made.world().members_known = 1;
    std::strcpy(made.world().name, "MPI_COMM_WORLD");
    made.world().state = page::Object::present;
    made.thread = made.file.add_thread();
    made.ring = reinterpret_cast<page::Record*>(reinterpret_cast<char*>(made.thread) + page::thread_head);
    made.thread->in_use = 1;
    fill(made);
    fs::rename(made.file.path(), folder_ + "/" + std::to_string(rank) + ".page");
  }

  struct Answer {
    Verdict verdict;
    std::string text;
    std::string json;
  };
  Answer answer() {
    std::vector<std::string> damaged;
    jobs_ = read_jobs(pages_in(folder_), damaged);
    EXPECT_EQ(damaged.size(), 0U);
    EXPECT_EQ(jobs_.size(), 1U);
    const Job job = look_at_job(jobs_.front().all());
    Places places(nullptr);
    const Verdict verdict = judge(job, places, 1);
    return {verdict, report_text(job, verdict, places), report_json(job, verdict, places)};
  }

  std::string read(const std::string& path) {
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  void write(const std::string& path, const std::string& bytes) { std::ofstream(path, std::ios::binary) << bytes; }

  std::string folder_;
  std::vector<JobPages> jobs_;
};

TEST_F(Where, RanksThatReceiveFromEachOtherAreADeadlock) {
  make(0, 2, [](Page& page) { page.add(receive, 1, 3, false); });
  make(1, 2, [](Page& page) { page.add(receive, 0, 3, false); });
  const Answer found = answer();
  EXPECT_EQ(found.verdict.state, State::stuck);
  ASSERT_EQ(found.verdict.findings.size(), 1U);
  EXPECT_EQ(found.verdict.findings[0].text,
            "ranks 0-1 wait for each other: rank 0 waits in MPI_Recv for a message with tag 3 from rank 1; rank 1 "
            "waits in MPI_Recv for a message with tag 3 from rank 0");
  EXPECT_NE(found.text.find("  ranks 0-1  MPI_Recv on MPI_COMM_WORLD, for 10 s\n"), std::string::npos) << found.text;
}

TEST_F(Where, ARankThatComputesIsBlamedAndTheJobIsNotStuck) {
  make(0, 2, [](Page& page) { page.add(barrier, 0, 0, false); });
  make(1, 2, [](Page& page) { page.add(init, 0, 0, true); });
  const Answer found = answer();
  EXPECT_EQ(found.verdict.state, State::waiting);
  ASSERT_EQ(found.verdict.findings.size(), 1U);
  EXPECT_EQ(found.verdict.findings[0].kind, "busy");
  EXPECT_EQ(found.verdict.findings[0].ranks, std::vector{1});
}

TEST_F(Where, ARankThatAsksAgainAndAgainWaits) {
  make(0, 2, [](Page& page) {
    page::Record& record = page.add(probe, 1, 5, true);
    record.exit = ticks_now();
    record.flags |= page::in_vain;
  });
  make(1, 2, [](Page& page) { page.add(receive, 0, 5, false); });
  const Answer found = answer();
  EXPECT_EQ(found.verdict.state, State::stuck);
  ASSERT_FALSE(found.verdict.findings.empty());
  EXPECT_EQ(found.verdict.findings[0].kind, "deadlock");
}

TEST_F(Where, ARankThatAsksBetweenOtherWorkMayMove) {
  make(0, 2, [](Page& page) {
    page::Record& record = page.add(probe, 1, 5, true);
    record.exit = ticks_now();
    record.count = page.ticks_in(8);
    record.flags |= page::in_vain;
  });
  make(1, 2, [](Page& page) { page.add(receive, 0, 5, false); });
  const Answer found = answer();
  EXPECT_EQ(found.verdict.state, State::waiting);
  EXPECT_FALSE(found.verdict.is_certain());
}

TEST_F(Where, NoTagIsBlamedAsLongAsTheMessageMayStillBeSent) {
  make(0, 2, [](Page& page) { page.add(send, 1, 7, true); });
  make(1, 2, [](Page& page) { page.add(receive, 0, 8, false); });
  const Answer found = answer();
  EXPECT_EQ(found.verdict.state, State::waiting);
  EXPECT_FALSE(found.verdict.is_certain());
}

TEST_F(Where, ProcessesOfAnotherContainerAreNotTakenForDead) {
  make(0, 1, [](Page& page) {
    page.add(receive, 0, 8, false);
    page.header().pid_space = 1;
  });
  EXPECT_NE(answer().verdict.state, State::died);
  clear_dead_jobs();
  EXPECT_EQ(pages_in(folder_).size(), 1U);
}

TEST_F(Where, AFolderThatOthersCanOpenIsLeftAlone) {
  make(0, 1, [](Page& page) { page.header().pid = 0; });
  fs::permissions(folder_, fs::perms::owner_all | fs::perms::others_read);
  clear_dead_jobs();
  EXPECT_EQ(pages_in(folder_).size(), 1U);
}

TEST_F(Where, AMessageWithAnotherTagIsFound) {
  make(0, 2, [](Page& page) {
    page.add(send, 1, 7, true);
    page.add(barrier, 0, 0, false);
  });
  make(1, 2, [](Page& page) { page.add(receive, 0, 8, false); });
  ASSERT_FALSE(answer().verdict.findings.empty());
  EXPECT_EQ(answer().verdict.findings[0].text,
            "rank 1 waits in MPI_Recv for a message with tag 8 from rank 0; rank 0 has sent it one with tag 7 that "
            "nobody receives: "
            "MPI_Ssend");
}

TEST_F(Where, NoTagIsBlamedIfTheHistoryIsNotWhole) {
  make(0, 2, [](Page& page) {
    for (int i = 0; i < 40; ++i) page.add(send, 1, 7, true);
    page.add(receive, 1, 1, false);
  });
  make(1, 2, [](Page& page) { page.add(receive, 0, 8, false); });
  for (const Finding& finding : answer().verdict.findings) EXPECT_EQ(finding.kind, "deadlock");
}

TEST_F(Where, DifferentCollectiveCallsAreToldByRank) {
  make(0, 3, [](Page& page) { page.add(barrier, 0, 0, false); });
  make(1, 3, [](Page& page) { page.add(barrier, 0, 0, false); });
  make(2, 3, [](Page& page) { page.add(bcast, 0, 0, false); });
  const Answer found = answer();
  EXPECT_EQ(found.verdict.state, State::stuck);
  ASSERT_EQ(found.verdict.findings.size(), 1U);
  EXPECT_EQ(found.verdict.findings[0].text,
            "collective call 1 on MPI_COMM_WORLD is not the same function everywhere: rank 2 in MPI_Bcast, ranks 0-1 "
            "in MPI_Barrier");
}

TEST_F(Where, ARankInFinalizeIsMissedInACollectiveCall) {
  make(0, 2, [](Page& page) { page.add(barrier, 0, 0, false); });
  make(1, 2, [](Page& page) { page.add(finalize, 0, 0, false); });
  ASSERT_EQ(answer().verdict.findings.size(), 1U);
  EXPECT_EQ(answer().verdict.findings[0].text,
            "rank 0 waits in MPI_Barrier, collective call 1 on MPI_COMM_WORLD, to which rank 1 does not come: rank 1 "
            "is in MPI_Finalize");
}

TEST_F(Where, ADeadRankIsToldWithItsEnd) {
  make(0, 2, [](Page& page) { page.add(barrier, 0, 0, false); });
  make(1, 2, [](Page& page) {
    page.add(receive, 0, 1, false);
    page.header().pid = 0;
    page.header().phase = page::Phase::ended;
    std::strcpy(page.header().end, "SIGSEGV");
  });
  const Answer found = answer();
  EXPECT_EQ(found.verdict.state, State::died);
  EXPECT_EQ(found.verdict.findings[0].text, "rank 1 ended by SIGSEGV, in MPI_Recv");
}

TEST_F(Where, OfTheDeadOnlyThoseThatWereKilledMayHaveBeenTheFirst) {
  for (int rank = 0; rank < 3; ++rank)
    make(rank, 3, [rank](Page& page) {
      page.add(barrier, 0, 0, false);
      page.header().pid = 0;
      if (rank == 1) page.header().phase = page::Phase::ended, std::strcpy(page.header().end, "SIGTERM");
    });
  EXPECT_EQ(answer().verdict.findings[0].text,
            "ranks 0,2 were killed without warning (SIGKILL: by hand, the scheduler, or for want of memory); which "
            "was first is unknown");
}

TEST_F(Where, AJobIsNotStuckAsLongAsThereAreRanksElsewhere) {
  make(0, 3, [](Page& page) { page.add(receive, 2, 3, false); });
  make(1, 3, [](Page& page) { page.add(receive, 2, 3, false); });
  const Answer found = answer();
  EXPECT_EQ(found.verdict.state, State::waiting);
  EXPECT_FALSE(found.verdict.is_certain());
  EXPECT_NE(found.text.find("  rank 2     not seen: on another node, or not recorded\n"), std::string::npos)
      << found.text;
}

TEST_F(Where, AJobThatMovesHasNoFindings) {
  make(0, 2, [](Page& page) { page.add(receive, 1, 1, false).entry = ticks_now(); });
  make(1, 2, [](Page& page) { page.add(send, 0, 1, true); });
  EXPECT_EQ(answer().verdict.state, State::moving);
  EXPECT_TRUE(answer().verdict.findings.empty());
}

TEST_F(Where, TheRingKeepsTheLatestCalls) {
  make(0, 1, [](Page& page) {
    for (int i = 0; i < 100; ++i) page.add(send, 0, i, true);
  });
  answer();
  const std::vector<Call>& calls = jobs_.front().processes.front().threads.front().calls;
  ASSERT_EQ(calls.size(), 15U);  // the oldest may just be overwritten
  EXPECT_EQ(calls.front().tag, 99);
  EXPECT_EQ(calls.back().tag, 85);
}

TEST_F(Where, AnotherVersionIsRefused) {
  make(0, 1, [](Page& page) { page.header().version = 77; });
  const std::string path = folder_ + "/0.page";
  try {
    PageReader().read(path);
    FAIL();
  } catch (const Problem& problem) {
    EXPECT_EQ(problem.what(), "'" + path + "' was written by another version of Cairn (layout 77, this one reads " +
                                  std::to_string(cairn::page::version) + ")");
    EXPECT_EQ(problem.remedy, "the 'cairn' that the job was started with");
  }
}

/// Whatever is in it: an answer or a Problem.
void read_and_judge(const std::string& path) try {
  const Process process = PageReader().read(path);
  const Job job = look_at_job({&process});
  Places places(nullptr);
  const Verdict verdict = judge(job, places, 0);
  report_text(job, verdict, places);
  report_json(job, verdict, places);
} catch (const Problem&) {
}

TEST_F(Where, CutPagesDoNoHarm) {
  make(0, 2, [](Page& page) { page.add(receive, 1, 3, false); });
  const std::string bytes = read(folder_ + "/0.page");
  for (std::size_t size = 0; size < bytes.size(); size += 4093) {
    write(folder_ + "/cut", bytes.substr(0, size));
    read_and_judge(folder_ + "/cut");
  }
}

TEST_F(Where, DamagedPagesDoNoHarm) {
  make(0, 2, [](Page& page) {
    page.add(bcast, 0, 0, true);
    page.add(receive, 1, 3, false);
  });
  const std::string bytes = read(folder_ + "/0.page");
  std::mt19937 random(1);
  const std::size_t ring = bytes.size() - 16 * sizeof(page::Record) - page::thread_head;
  const std::pair<std::size_t, std::size_t> parts[] = {{8, sizeof(page::PageHeader)},
                                                       {page::header_room, ring},
                                                       {ring, bytes.size()},
                                                       {24576, 24576 + 512},
                                                       {ring, ring + 128}};
  for (int i = 0; i < 400; ++i) {
    std::string damaged = bytes;
    const auto [from, to] = parts[random() % std::size(parts)];
    for (int j = 0; j < 8; ++j) damaged[from + random() % (to - from)] = static_cast<char>(random());
    write(folder_ + "/damaged", damaged);
    read_and_judge(folder_ + "/damaged");
  }
}

TEST_F(Where, PagesOfTheDeadGoIntoTheirRunsFolder) {
  const std::string folder = folder_ + "/results";
  fs::create_directory(folder);
  write(folder + "/run.json", R"({"run": "abc"})");
  make(0, 1, [&](Page& page) {
    page.add(receive, 1, 3, false);
    page.header().pid = 0;
    std::strcpy(page.header().folder, folder.c_str());
  });
  clear_dead_jobs();
  EXPECT_TRUE(pages_in(folder_).empty());
  ASSERT_EQ(pages_in(folder + "/pages").size(), 1U);
  EXPECT_FALSE(PageReader().read(pages_in(folder + "/pages").front()).is_alive);
}

TEST_F(Where, PagesOfTheLivingStay) {
  make(0, 1, [](Page& page) { page.add(init, 0, 0, true); });
  clear_dead_jobs();
  EXPECT_EQ(pages_in(folder_).size(), 1U);
}

// ------------------------------------------------------------ windows

TEST_F(Where, WhoHoldsALockIsWaitedForNotTheTarget) {
  make(0, 4, [](Page& page) { page.add(barrier, 0, 0, false); });
  make(1, 4, [](Page& page) {
    page.add(lock, 0, 0, true);
    page.add(unlock, 0, 0, false);
  });
  make(2, 4, [](Page& page) { page.add(lock, 0, 0, true); });
  make(3, 4, [](Page& page) {
    page.add(lock, 0, 0, true);
    page.add(unlock, 0, 0, false);
  });
  const Answer found = answer();
  EXPECT_EQ(found.verdict.state, State::waiting);
  ASSERT_EQ(found.verdict.findings.size(), 1U) << found.text;
  EXPECT_EQ(found.verdict.findings[0].kind, "busy");
  EXPECT_EQ(found.verdict.findings[0].ranks, std::vector{2});
}

TEST_F(Where, WhereEverybodyWaitsForALockNobodyIsBlamed) {
  for (int rank = 0; rank < 2; ++rank)
    make(rank, 2, [](Page& page) {
      page.add(lock, 0, 0, true);
      page.add(unlock, 0, 0, false);
    });
  const Answer found = answer();
  EXPECT_EQ(found.verdict.state, State::stuck);
  EXPECT_TRUE(found.verdict.findings.empty()) << found.text;
}

TEST_F(Where, AnEpochThatNobodyOpensIsADeadlockWithWhoWaitsElsewhere) {
  make(0, 2, [](Page& page) { page.add(complete, 0, 0, false); });
  make(1, 2, [](Page& page) { page.add(barrier, 0, 0, false); });
  const Answer found = answer();
  EXPECT_EQ(found.verdict.state, State::stuck);
  ASSERT_EQ(found.verdict.findings.size(), 1U);
  EXPECT_EQ(
      found.verdict.findings[0].text,
      "ranks 0-1 wait for each other: rank 0 waits in MPI_Win_complete for rank 1; rank 1 waits in MPI_Barrier for "
      "rank 0");
}

// ------------------------------------------------------------ other nodes

TEST_F(Where, APageFromAnotherNodeIsReadAsItWasThere) {
  make(0, 2, [](Page& page) { page.add(receive, 1, 3, false); });
  make(1, 2, [](Page& page) {
    page.add(receive, 0, 3, false);
    std::strcpy(page.header().boot, "another");
  });
  const std::string lines = lines_of_pages(pages_in(folder_), "far", 4096);
  SentPages sent;
  for (std::size_t at = 0; at < lines.size(); at += 1000) sent.add(lines.substr(at, 1000));
  ASSERT_TRUE(sent.senders().at("far").is_complete);
  const std::vector<SentPage> pages = SentPages::pages_of("far", sent.senders().at("far").bytes);
  ASSERT_EQ(pages.size(), 2U);
  EXPECT_EQ(pages[0].bytes, read(folder_ + "/0.page"));
  EXPECT_TRUE(pages[0].seen.is_alive);
  std::vector<std::string> damaged;
  jobs_ = read_jobs({folder_ + "/0.page"}, damaged, 4096, pages);
  ASSERT_EQ(jobs_.size(), 1U);
  ASSERT_EQ(jobs_.front().processes.size(), 2U) << "one that is here too is not taken twice";
  EXPECT_TRUE(jobs_.front().processes[0].is_here);
  EXPECT_FALSE(jobs_.front().processes[1].is_here);
  EXPECT_NEAR(look_at_job(jobs_.front().all()).last_event_s, 10, 2);
}

TEST_F(Where, OfManyCallsOnlyTheLatestAreSent) {
  make(
      0, 1,
      [](Page& page) {
        for (int i = 0; i < 5000; ++i) page.add(send, 0, i, true);
      },
      4096);
  SentPages sent;
  sent.add(lines_of_pages(pages_in(folder_), "far", 64));
  EXPECT_LT(sent.senders().at("far").bytes.size(), 100'000U);
  const std::vector<SentPage> pages = SentPages::pages_of("far", sent.senders().at("far").bytes);
  const Process process = PageReader().read(pages.at(0));
  ASSERT_EQ(process.threads.at(0).calls.size(), 64U);
  EXPECT_EQ(process.threads[0].calls.front().tag, 4999);
  EXPECT_EQ(process.threads[0].calls.back().tag, 4936);
}

TEST_F(Where, WhatIsDamagedOnTheWayDoesNoHarm) {
  make(0, 2, [](Page& page) { page.add(receive, 1, 3, false); });
  const std::string lines = lines_of_pages(pages_in(folder_), "far", 4096);
  std::mt19937 random(2);
  for (int i = 0; i < 50; ++i) {
    std::string damaged = lines.substr(0, i < 10 ? random() % lines.size() : lines.size());
    for (int j = 0; j < 4 && !damaged.empty(); ++j) damaged[random() % damaged.size()] = static_cast<char>(random());
    SentPages sent;
    sent.add("Welcome to this node\n" + damaged);
    for (const auto& [host, sender] : sent.senders())
      for (const SentPage& page : SentPages::pages_of(host, sender.bytes)) try {
          PageReader().read(page);
        } catch (const Problem&) {
        }
  }
}

TEST_F(Where, ANodeThatDoesNotAnswerIsToldWithItsReason) {
  make(0, 1, [](Page& page) { page.add(receive, 1, 3, false); });
  write(folder_ + "/lines", lines_of_pages(pages_in(folder_), "near", 4096));
  write(folder_ + "/agent", "#!/bin/sh\ncase $1 in\n  near) cat " + folder_ + "/lines ;;\n  slow) sleep 60 ;;\n" +
                                "  cut) head -n 3 " + folder_ + "/lines ;;\n" +
                                "  *) echo no such host: $1 >&2; exit 1 ;;\nesac\n");
  fs::permissions(folder_ + "/agent", fs::perms::owner_all);
  Question question;
  question.launcher = "agent " + folder_ + "/agent";
  question.hosts = {"near", "slow", "gone", "cut"};
  question.limit_s = 1;
  const NodeAnswers answers = ask_nodes(question);
  EXPECT_EQ(answers.pages.size(), 1U);
  EXPECT_EQ(answers.silent, (std::map<std::string, std::string>{{"cut", "it has not sent all of its pages"},
                                                                {"gone", "no such host: gone"},
                                                                {"slow", "no answer within 1 s"}}));
  question.launcher = "agent /nowhere/agent";
  question.hosts = {"near"};
  EXPECT_EQ(ask_nodes(question).silent.at("near"), "'/nowhere/agent' cannot be started: No such file or directory");
}

TEST_F(Where, SlurmIsAskedForAllNodesAtOnce) {
  make(0, 1, [](Page& page) { page.add(receive, 1, 3, false); });
  write(folder_ + "/lines", lines_of_pages(pages_in(folder_), "near", 4096));
  write(folder_ + "/squeue", "#!/bin/sh\n[ \"$*\" = '--noheader --jobs=7 --format=%D' ] && echo 3\n");
  write(folder_ + "/srun", "#!/bin/sh\necho \"$*\" >" + folder_ + "/asked\ncat " + folder_ +
                               "/lines\necho srun: error: far: no such node >&2\n");
  for (const char* program : {"/squeue", "/srun"}) fs::permissions(folder_ + program, fs::perms::owner_all);
  const std::string path = std::getenv("PATH");
  setenv("PATH", (folder_ + ":" + path).c_str(), 1);
  const NodeAnswers answers = ask_nodes({"slurm 7", {"far"}, "/bin/cairn", "abc", 4096, 5});
  setenv("PATH", path.c_str(), 1);
  EXPECT_EQ(read(folder_ + "/asked"),
            "--jobid=7 --overlap --nodes=3 --ntasks=3 --no-kill --quiet --mpi=none --input=none env CAIRN_PAGES=" +
                folder_ + " /bin/cairn where abc --pages 4096\n");
  EXPECT_EQ(answers.pages.size(), 1U);
  EXPECT_EQ(answers.silent, (std::map<std::string, std::string>{{"far", "srun: error: far: no such node"}}));
}

TEST_F(Where, TheNodesOfAJobAreThoseOfItsRanksWithoutPages) {
  make(0, 4, [](Page& page) { page.add(receive, 1, 3, false); });
  std::vector<std::string> damaged;
  JobPages job = std::move(read_jobs(pages_in(folder_), damaged).front());
  job.processes.front().nodes = "a 0\nb 1-2\nc 3\n-x 4\n";
  job.processes.front().launcher = "slurm 7";
  const Question question = question_about(job);
  EXPECT_EQ(question.hosts, (std::vector<std::string>{"b", "c"}));
  EXPECT_EQ(question.launcher, "slurm 7");
  EXPECT_EQ(question.job, "abc");
}

}  // namespace
}  // namespace cairn::where
