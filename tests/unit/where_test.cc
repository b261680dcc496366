// SPDX-License-Identifier: BSD-3-Clause
// where_test.cc - reading pages, whole, cut and damaged, and judging what they show

#include <atomic>
#include <random>
#include <thread>

#include "base/message.hpp"
#include "where_pages.hpp"

namespace cairn::where {
namespace {

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

TEST_F(Where, NamesThatTheProgramGivesCannotSteerTheTerminal) {
  make(0, 1, [](Page& page) {
    std::strcpy(page.world().name,
                "rows\033[2J\n\x7f"
                "b");
    std::strcpy(page.header().program, "/bin/app\033c");
    page.add(barrier, 0, 0, false);
  });
  const std::string text = answer().text;
  EXPECT_NE(text.find("MPI_Barrier on 'rows?[2J??b', for 10 s\n"), std::string::npos) << text;
  EXPECT_EQ(text.find('\033'), std::string::npos) << text;
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
    record.exit = page.just_now();
    record.flags |= page::in_vain;
  });
  make(1, 2, [](Page& page) { page.add(receive, 0, 5, false); });
  const Answer found = answer();
  EXPECT_EQ(found.verdict.state, State::stuck);
  ASSERT_FALSE(found.verdict.findings.empty());
  EXPECT_EQ(found.verdict.findings[0].kind, "deadlock");
}

/// The records of tests in turn are in the order in which they were made first.
TEST_F(Where, ARankThatAsksForSomethingNoLongerStillAsksForTheOther) {
  make(0, 2, [](Page& page) {
    page::Record& record = page.add(probe, 1, 5, true);
    record.exit = page.just_now();
    record.flags |= page::in_vain;
    page::Record& earlier = page.add(probe, 1, 6, true);
    earlier.flags |= page::in_vain;
    earlier.exit = earlier.entry + 1;
  });
  make(1, 2, [](Page& page) { page.add(receive, 0, 5, false); });
  const Answer found = answer();
  EXPECT_EQ(found.verdict.state, State::stuck);
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
            "rank 0 waits in MPI_Barrier, collective call 1 on MPI_COMM_WORLD, which rank 1 never reaches: rank 1 "
            "is in MPI_Finalize");
}

/// What it does there cannot be seen, and a large job takes its time.
TEST_F(Where, AJobInWhichAllAreInMpiInitIsNotSaidToBeStuck) {
  for (int rank = 0; rank < 2; ++rank) make(rank, 2, [](Page& page) { page.add(init, 0, 0, false); });
  const Answer found = answer();
  EXPECT_EQ(found.verdict.state, State::waiting);
  EXPECT_NE(found.text.find(", but all ranks are in MPI_Init, which takes its time on a busy or large machine\n"),
            std::string::npos)
      << found.text;
  ASSERT_EQ(found.verdict.findings.size(), 1U);
  EXPECT_EQ(found.verdict.findings[0].text,
            "ranks 0-1 wait in MPI_Init, which all ranks have reached: check the launcher and the network");
  EXPECT_TRUE(found.verdict.is_hopeless);  // who wants such a job to end, after ten times the time, has it ended
  const std::string title = title_text(look_at_job(jobs_.front().all()), found.verdict);
  EXPECT_TRUE(title.starts_with("nothing has happened in this job for ")) << title;
}

/// Together they are more than the file has bytes.
TEST_F(Where, ObjectsOfATableThatHasGrownAreReadWithTheMembersThatTheyShare) {
  constexpr std::uint32_t places = recorder::Entries<page::Object>::part_size;
  const std::vector<std::int32_t> members(3000, 1);
  make(0, 2, [&](Page& page) {
    recorder::PageFile::Room room;
    ASSERT_TRUE(page.file.write_numbers(room, members));
    while (page.file.grow_objects()) continue;
    EXPECT_EQ(page.file.objects().count(), 16 * places);
    for (std::uint32_t i = 2; i < page.file.objects().count(); ++i) {
      page::Object& object = page.file.objects()[i];
      object.identity = i;
      object.peers = 3000;
      object.members_known = 1;
      object.members_at = room.at;
      object.state = page::Object::present;
    }
  });
  const Process read = PageReader().read(folder_ + "/0.page", 1);
  ASSERT_EQ(read.objects.size(), 16 * places);
  for (std::uint32_t i = 2; i < read.objects.size(); ++i) {
    EXPECT_EQ(read.objects[i]->identity, i);
    ASSERT_TRUE(read.objects[i]->members_known) << i;
    EXPECT_EQ(read.objects[i]->members, members);
  }
  EXPECT_FALSE(read.lacks_objects);
}

// ------------------------------------------------------------ threads, and other jobs

page::Thread* add_thread(auto& page) {
  page::Thread* const thread = page.file.add_thread();
  thread->in_use = 1;
  return thread;
}

TEST_F(Where, ARankIsNamedOnceWithTheNumberOfItsThreadsThatDoTheSame) {
  make(0, 2, [](Page& page) {
    page.add(receive, 1, 3, false);
    for (int i = 0; i < 2; ++i)
      std::memcpy(static_cast<void*>(add_thread(page)), page.thread,
                  page::thread_head + page.file.header()->ring_size * sizeof(page::Record));
  });
  make(1, 2, [](Page& page) { page.add(receive, 0, 3, false); });
  const Answer found = answer();
  EXPECT_NE(found.text.find("ranks 0-1  MPI_Recv on MPI_COMM_WORLD, 4 threads, for "), std::string::npos) << found.text;
  EXPECT_NE(found.json.find("\"ranks\": \"0-1\",\n      \"threads\": 4,"), std::string::npos) << found.json;
}

/// Two that receive from each other; a thread of rank 0 that has called MPI is outside.
TEST_F(Where, AThreadThatHasCalledMpiAndSleepsMayBeWoken) {
  std::atomic<bool> is_over{false};
  std::atomic<int> sleeper{0};
  std::thread sleeping([&] {
    sleeper = gettid();
    is_over.wait(false);
  });
  while (sleeper == 0) std::this_thread::yield();
  make(0, 2, [&](Page& page) {
    page.add(receive, 1, 3, false);
    add_thread(page)->id = sleeper;
  });
  make(1, 2, [](Page& page) { page.add(receive, 0, 3, false); });
  const Answer found = answer();
  is_over = true;
  is_over.notify_all();
  sleeping.join();
  EXPECT_EQ(found.verdict.state, State::waiting);
  EXPECT_FALSE(found.verdict.is_certain()) << found.text;
  EXPECT_FALSE(found.verdict.is_hopeless);
}

TEST_F(Where, AThreadThatNeverCalledMpiAndWorksMayKeepTheJobMoving) {
  std::atomic<bool> is_over{false};
  std::atomic<bool> has_begun{false};
  std::thread working([&] {
    has_begun = true;
    while (!is_over) {
    }
  });
  while (!has_begun) std::this_thread::yield();
  make(0, 2, [&](Page& page) { page.add(receive, 1, 3, false); });
  make(1, 2, [](Page& page) { page.add(receive, 0, 3, false); });
  const Answer found = answer();
  is_over = true;
  working.join();
  EXPECT_EQ(found.verdict.state, State::waiting);
  EXPECT_FALSE(found.verdict.is_hopeless);
  ASSERT_EQ(found.verdict.findings.size(), 2U) << found.text;
  EXPECT_EQ(found.verdict.findings[0].text,
            "rank 0 is in MPI_Recv, but a thread of it that never called MPI is working");
  EXPECT_EQ(answer().verdict.state, State::stuck) << "as it has ended";
}

TEST_F(Where, ARankThatWaitsForAnotherJobIsNotKnownToBeStuck) {
  make(0, 2, [](Page& page) {
    page.world().remote_size = 1;
    page.world().members_known = 0;
    std::strcpy(page.world().name, "");
    page.add(receive, 0, 3, false);
  });
  make(1, 2, [](Page& page) { page.add(barrier, 0, 0, false); });
  const Answer found = answer();
  EXPECT_EQ(found.verdict.state, State::waiting);
  EXPECT_FALSE(found.verdict.is_hopeless);
  ASSERT_FALSE(found.verdict.findings.empty());
  EXPECT_EQ(found.verdict.findings.back().text, "rank 0 waits in MPI_Recv for processes of another job");
  EXPECT_NE(found.text.find(", but ranks wait for processes of another job\n"), std::string::npos) << found.text;
}

TEST_F(Where, OnlyAJobThatCannotMoveIsHopeless) {
  make(0, 2, [](Page& page) { page.add(receive, 1, 3, false); });
  make(1, 2, [](Page& page) { page.add(init, 0, 0, true); });
  const Answer waits = answer();
  EXPECT_FALSE(waits.verdict.is_hopeless);
  const std::string title = title_text(look_at_job(jobs_.front().all()), waits.verdict);
  EXPECT_TRUE(title.starts_with("ranks wait for rank 1, which has been outside MPI for ")) << title;
  make(1, 2, [](Page& page) { page.add(receive, 0, 3, false); });
  const Answer stuck = answer();
  EXPECT_TRUE(stuck.verdict.is_hopeless);
  EXPECT_EQ(title_text(look_at_job(jobs_.front().all()), stuck.verdict), "this job does not move");
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
  make(0, 2, [](Page& page) { page.add(receive, 1, 1, false).entry = page.just_now(); });
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

TEST_F(Where, CallsMeanNoObjectThatWasMadeLater) {
  make(0, 1, [](Page& page) {
    page.add(send, 0, 1, true).entry = 1000;
    page.add(send, 0, 2, true).entry = 1001;
    page.world().made_at = 1001;
  });
  const Process process = PageReader().read(folder_ + "/0.page");
  ASSERT_EQ(process.threads.front().calls.size(), 2U);
  EXPECT_NE(process.threads.front().calls[0].object, nullptr);
  EXPECT_EQ(process.threads.front().calls[1].object, nullptr);
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

TEST_F(Where, ACutPageOfTheDeadIsToldAsDamaged) {
  make(0, 2, [](Page& page) {
    page.add(receive, 1, 3, false);
    page.header().pid = 0;
  });
  const std::string path = folder_ + "/0.page";
  const std::string bytes = read(path);
  write(path, bytes.substr(0, bytes.size() - 1));
  std::vector<std::string> damaged;
  EXPECT_TRUE(read_jobs({path}, damaged).empty());
  EXPECT_EQ(damaged, std::vector{"'" + path + "' is damaged: it has " + std::to_string(bytes.size() - 1) + " of " +
                                 std::to_string(bytes.size()) + " bytes"});
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

TEST_F(Where, ARankThatNoJobHasIsDamage) {
  for (const int wrong : {-2, 0x7fffffff}) {
    make(0, 1, [wrong](Page& page) { page.header().rank = wrong; });
    EXPECT_THROW(PageReader().read(folder_ + "/0.page"), Problem);
    make(0, wrong, [](Page&) {});
    EXPECT_THROW(PageReader().read(folder_ + "/0.page"), Problem);
  }
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

TEST_F(Where, WithWhomAnEpochIsIsUnknownSoNobodyIsPickedOut) {
  make(0, 4, [](Page& page) { page.add(complete, 0, 0, false); });
  for (int rank = 1; rank < 4; ++rank) make(rank, 4, [](Page& page) { page.add(barrier, 0, 0, false); });
  const Answer found = answer();
  ASSERT_EQ(found.verdict.findings.size(), 1U);
  EXPECT_EQ(found.verdict.findings[0].ranks, (std::vector{0, 1, 2, 3}));
  EXPECT_EQ(found.verdict.findings[0].text,
            "ranks 0-3 wait for each other: rank 0 waits in MPI_Win_complete for some of ranks 1-3; rank 1 waits in "
            "MPI_Barrier for rank 0");
}

}  // namespace
}  // namespace cairn::where
