// SPDX-License-Identifier: BSD-3-Clause
// where_nodes_test.cc - pages on their way from other nodes, and asking these

#include <random>

#include "base/message.hpp"
#include "where/other_nodes.hpp"
#include "where/sent_pages.hpp"
#include "where_pages.hpp"

namespace cairn::where {
namespace {

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
  question.nodes = {{"near", {}}, {"slow", {}}, {"gone", {}}, {"cut", {}}};
  question.limit_s = 1;
  const NodeAnswers answers = ask_nodes(question);
  EXPECT_EQ(answers.pages.size(), 1U);
  EXPECT_EQ(answers.silent, (std::map<std::string, std::string>{{"cut", "it has not sent all of its pages"},
                                                                {"gone", "no such host: gone"},
                                                                {"slow", "no answer within 1 s"}}));
  question.launcher = "agent /nowhere/agent";
  question.nodes = {{"near", {}}};
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
  const NodeAnswers answers = ask_nodes({"slurm 7", {{"far", {}}}, "/bin/cairn", "abc", 4096, 5});
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
  EXPECT_EQ(question.nodes, (std::map<std::string, std::vector<int>>{{"b", {1, 2}}, {"c", {3}}}));
  EXPECT_EQ(question.launcher, "slurm 7");
  EXPECT_EQ(question.job, "abc");
}

}  // namespace
}  // namespace cairn::where
