// SPDX-License-Identifier: BSD-3-Clause
// where_nodes_test.cc - pages on their way from other nodes, and asking these

#include <random>

#include "base/message.hpp"
#include "cairn/board.hpp"
#include "where/followed_nodes.hpp"
#include "where/other_nodes.hpp"
#include "where/sent_pages.hpp"
#include "where_pages.hpp"

namespace cairn::where {
namespace {

std::vector<SentPage> pages_of(const std::string& host, const std::string& bytes) {
  std::vector<SentPage> pages;
  SentPages::for_each_page(host, bytes, [&](const SentPage& page) { pages.push_back(page); });
  return pages;
}

std::vector<Process> processes_of(const FollowedNodes& nodes) {
  std::vector<std::string> damaged;
  std::vector<Process> processes = nodes.processes(damaged);
  EXPECT_EQ(damaged, std::vector<std::string>());
  return processes;
}

TEST_F(Where, APageFromAnotherNodeIsReadAsItWasThere) {
  make(0, 2, [](Page& page) { page.add(receive, 1, 3, false); });
  make(1, 2, [](Page& page) {
    page.add(receive, 0, 3, false);
    std::strcpy(page.header().boot, "another");
  });
  const std::string lines = PageSender("far", 4096).lines(pages_in(folder_));
  SentPages sent;
  for (std::size_t at = 0; at < lines.size(); at += 1000) sent.add(lines.substr(at, 1000));
  ASSERT_EQ(sent.senders().at("far").times, 1U);
  const std::vector<SentPage> pages = pages_of("far", sent.senders().at("far").bytes);
  ASSERT_EQ(pages.size(), 2U);
  EXPECT_EQ(pages[0].bytes->text(), read(folder_ + "/0.page"));
  EXPECT_TRUE(pages[0].seen.is_alive);
  std::vector<std::string> damaged;
  std::vector<Process> processes;
  for (const SentPage& page : pages) processes.push_back(PageReader().read(page));
  jobs_ = read_jobs({folder_ + "/0.page"}, damaged, 4096, std::move(processes));
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
  const std::string lines = PageSender("far", 64).lines(pages_in(folder_));
  EXPECT_LT(lines.size(), 140'000U);
  sent.add(lines);
  const std::vector<SentPage> pages = pages_of("far", sent.senders().at("far").bytes);
  const Process process = PageReader().read(pages.at(0));
  ASSERT_EQ(process.threads.at(0).calls.size(), 64U);
  EXPECT_EQ(process.threads[0].calls.front().tag, 4999);
  EXPECT_EQ(process.threads[0].calls.back().tag, 4936);
}

TEST_F(Where, OnlyWhatHasChangedIsSentAgain) {
  make(0, 2, [](Page& page) { page.add(receive, 1, 3, false); });
  make(1, 2, [](Page& page) { page.add(receive, 0, 3, false); });
  write(folder_ + "/1.traffic", std::string(50'000, 'x'));
  PageSender sender("far", 4096, {board::traffic});
  SentPages sent(true);
  const std::string first = sender.lines(pages_in(folder_));
  sent.add(first);
  make(0, 2, [](Page& page) { page.add(receive, 1, 4, false); });
  write(folder_ + "/1.traffic", std::string(50'000, 'x') + std::string(50'000, 'y'));
  const std::string second = sender.lines(pages_in(folder_));
  sent.add(second);
  EXPECT_LT(second.size(), first.size());
  const std::vector<SentPage>* pages = &sent.senders().at("far").pages;
  ASSERT_EQ(pages->size(), 2U);
  EXPECT_EQ(pages->at(0).bytes->text(), read(folder_ + "/0.page"));
  EXPECT_EQ(PageReader().read(pages->at(1)).boards.at(".traffic")->text(), read(folder_ + "/1.traffic"));
  fs::remove(folder_ + "/0.page");
  const std::string third = sender.lines(pages_in(folder_));
  EXPECT_LT(third.size(), 1000U);
  sent.add(third);
  ASSERT_EQ(sent.senders().at("far").pages.size(), 1U);
  EXPECT_EQ(sent.senders().at("far").pages[0].name, "far/1.page");
  EXPECT_EQ(sent.senders().at("far").times, 3U);
}

TEST_F(Where, WhatIsMissingOnTheWayEndsWhatIsKnownOfANode) {
  make(0, 2, [](Page& page) { page.add(receive, 1, 3, false); });
  PageSender sender("far", 4096);
  const std::string lines = sender.lines(pages_in(folder_));
  SentPages sent(true);
  sent.add(lines.substr(lines.find('\n') + 1));
  sent.add(sender.lines(pages_in(folder_)));
  EXPECT_TRUE(sent.senders().at("far").is_damaged);
  EXPECT_EQ(sent.senders().at("far").pages.size(), 0U);
}

TEST_F(Where, WhatIsDamagedOnTheWayDoesNoHarm) {
  make(0, 2, [](Page& page) { page.add(receive, 1, 3, false); });
  const std::string lines = PageSender("far", 4096).lines(pages_in(folder_));
  std::mt19937 random(2);
  for (int i = 0; i < 50; ++i) {
    std::string damaged = lines.substr(0, i < 10 ? random() % lines.size() : lines.size());
    for (int j = 0; j < 4 && !damaged.empty(); ++j) damaged[random() % damaged.size()] = static_cast<char>(random());
    SentPages sent(i % 2 == 0);
    sent.add("Welcome to this node\n" + damaged);
    for (const auto& [host, sender] : sent.senders())
      for (const SentPage& page : i % 2 == 0 ? sender.pages : pages_of(host, sender.bytes)) try {
          PageReader().read(page);
        } catch (const Problem&) {
        }
  }
}

TEST_F(Where, ANodeThatDoesNotAnswerIsToldWithItsReason) {
  make(0, 1, [](Page& page) { page.add(receive, 1, 3, false); });
  write(folder_ + "/lines", PageSender("near", 4096).lines(pages_in(folder_)));
  write(folder_ + "/agent", "#!/bin/sh\ncase $1 in\n  near) cat " + folder_ + "/lines ;;\n  slow) sleep 60 ;;\n" +
                                "  cut) head -n 3 " + folder_ + "/lines ;;\n" +
                                "  *) echo no such host: $1 >&2; exit 1 ;;\nesac\n");
  fs::permissions(folder_ + "/agent", fs::perms::owner_all);
  Question question;
  question.launcher = "agent " + folder_ + "/agent";
  question.nodes = {{"near", {}}, {"slow", {}}, {"gone", {}}, {"cut", {}}};
  question.limit_s = 1;
  const NodeAnswers answers = ask_nodes(question);
  EXPECT_EQ(answers.processes.size(), 1U);
  EXPECT_EQ(answers.silent, (std::map<std::string, std::string>{{"cut", "it has not sent all of its pages"},
                                                                {"gone", "no such host: gone"},
                                                                {"slow", "no answer within 1 s"}}));
  question.launcher = "agent /nowhere/agent";
  question.nodes = {{"near", {}}};
  EXPECT_EQ(ask_nodes(question).silent.at("near"), "'/nowhere/agent' cannot be started: No such file or directory");
}

/// The agent sends one page, and a second time when it is told to; then it ends.
TEST_F(Where, NodesAreFollowedUntilTheyEnd) {
  make(0, 1, [](Page& page) { page.add(receive, 1, 3, false); });
  PageSender sender("near", 4096);
  write(folder_ + "/lines", sender.lines(pages_in(folder_)));
  write(folder_ + "/more", sender.lines({}));
  write(folder_ + "/agent", "#!/bin/sh\necho \"$*\" >>" + folder_ +
                                "/asked\n[ $1 = gone ] && { echo no such host >&2; exit 1; }\n" + "cat " + folder_ +
                                "/lines\nwhile [ ! -e " + folder_ + "/go ]; do sleep 0.01; done\n" + "[ -s " + folder_ +
                                "/go ] || cat " + folder_ + "/more\n");
  fs::permissions(folder_ + "/agent", fs::perms::owner_all);
  Question question;
  question.launcher = "agent " + folder_ + "/agent";
  question.nodes = {{"near", {}}, {"gone", {}}};
  question.command = "/bin/cairn";
  question.every_s = 0.25;
  FollowedNodes nodes;
  nodes.ask(question);
  nodes.ask(question);
  const auto wait_until = [&](auto is_there) {
    for (int i = 0; i < 500 && !is_there(); ++i) nodes.wait(0.02);
    return is_there();
  };
  EXPECT_TRUE(wait_until([&] { return processes_of(nodes).size() == 1 && nodes.silent().size() == 1; }));
  EXPECT_EQ(nodes.silent(), (std::map<std::string, std::string>{{"gone", "no such host"}}));
  write(folder_ + "/go", "");
  EXPECT_TRUE(wait_until([&] { return processes_of(nodes).empty(); }));
  EXPECT_EQ(nodes.silent().size(), 1U) << "a job that has gone leaves nothing to tell";
  const std::string asked = read(folder_ + "/asked");
  EXPECT_NE(asked.find("near env CAIRN_PAGES=" + folder_ + " /bin/cairn where --pages 4096 --watch --every 0.250000\n"),
            asked.npos)
      << asked;
  EXPECT_EQ(std::ranges::count(asked, '\n'), 2) << "each once";
}

TEST_F(Where, OfTooManyNodesTheRestIsCountedAndHoldsNothingUp) {
  write(folder_ + "/agent", "#!/bin/sh\necho \"$1\" >>" + folder_ + "/asked\nexec cat " + folder_ + "/lines\n");
  fs::permissions(folder_ + "/agent", fs::perms::owner_all);
  write(folder_ + "/lines", PageSender("any", 4096).lines({}));
  Question question;
  question.launcher = "agent " + folder_ + "/agent";
  question.nodes = {{"a", {0}}, {"b", {1, 2}}, {"c", {3, 4, 5}}};
  question.every_s = 1;
  FollowedNodes nodes({.most_nodes = 2});
  EXPECT_EQ(nodes.left_out(), "");
  nodes.ask(question);
  EXPECT_EQ(nodes.left_out(), "1 node with 3 ranks is not seen: no more than 2 nodes are followed");
  for (int i = 0; i < 500 && !nodes.all_have_answered(); ++i) nodes.wait(0.02);
  EXPECT_TRUE(nodes.all_have_answered());
  EXPECT_EQ(nodes.silent().size(), 0U);
  const std::string asked = read(folder_ + "/asked");
  EXPECT_TRUE(asked == "a\nb\n" || asked == "b\na\n") << asked;
  question.nodes = {{"c", {}}, {"d", {}}, {"e", {6}}, {"f", {}}};
  FollowedNodes others({.most_nodes = 2});
  others.ask(question);
  EXPECT_EQ(others.left_out(), "2 nodes with 1 rank are not seen: no more than 2 nodes are followed");
}

/// Each agent sends for all that it is to ask, but that nothing comes from `e`.
TEST_F(Where, ManyNodesAreAskedThroughOthers) {
  make(0, 1, [](Page& page) { page.add(receive, 1, 3, false); });
  for (const char* host : {"a", "b", "c", "d", "e"})
    write(folder_ + "/" + host, PageSender(host, 4096).lines(pages_in(folder_)));
  write(folder_ + "/through-e", line_of_silence("e", "no such node"));
  write(folder_ + "/agent", "#!/bin/sh\necho \"$*\" >>" + folder_ + "/asked\ncd " + folder_ +
                                "\ncase \"$1 $*\" in\n  a*) cat a b ;;\n  c*) cat c d through-e ;;\n"
                                "  e*) echo not even from here >&2; exit 1 ;;\nesac\nexec sleep 60\n");
  fs::permissions(folder_ + "/agent", fs::perms::owner_all);
  Question question;
  question.launcher = "agent " + folder_ + "/agent";
  question.nodes = {{"a", {0}}, {"b", {1}}, {"c", {2}}, {"d", {3}}, {"e", {4}}};
  question.command = "/bin/cairn";
  question.every_s = 0.02;
  question.fan_out = 2;
  FollowedNodes nodes({.patience_s = 30});
  nodes.ask(question);
  for (int i = 0; i < 500 && processes_of(nodes).size() < 4; ++i) nodes.wait(0.02);
  EXPECT_EQ(processes_of(nodes).size(), 4U);
  const std::string rest = " --through '" + question.launcher + "' --nodes ";
  const std::string asked = read(folder_ + "/asked");
  EXPECT_EQ(std::ranges::count(asked, '\n'), 2) << asked;
  EXPECT_NE(asked.find(rest + "b --fan-out 2\n"), std::string::npos) << asked;
  EXPECT_NE(asked.find(rest + "d,e --fan-out 2\n"), std::string::npos) << asked;
  EXPECT_FALSE(nodes.all_have_answered());
  const std::map<std::string, std::string> silent = {{"e", "not even from here"}};
  for (int i = 0; i < 500 && nodes.silent() != silent; ++i) {
    nodes.ask(question);
    nodes.wait(0.02);
  }
  EXPECT_EQ(std::ranges::count(read(folder_ + "/asked"), '\n'), 3) << "once from here, what cannot be reached there";
  EXPECT_EQ(nodes.silent(), silent);
  EXPECT_EQ(processes_of(nodes).size(), 4U);
}

TEST_F(Where, WhereANodeCannotPassOnAnotherOneDoes) {
  make(0, 1, [](Page& page) { page.add(receive, 1, 3, false); });
  for (const char* host : {"a", "b"}) write(folder_ + "/" + host, PageSender(host, 4096).lines(pages_in(folder_)));
  write(folder_ + "/agent",
        "#!/bin/sh\ncd " + folder_ + "\necho $1 >>asked\n[ $1 = a ] && exit 1\ncat b a\nexec sleep 60\n");
  fs::permissions(folder_ + "/agent", fs::perms::owner_all);
  Question question;
  question.launcher = "agent " + folder_ + "/agent";
  question.nodes = {{"a", {0}}, {"b", {1}}};
  question.every_s = 0.02;
  question.fan_out = 1;
  FollowedNodes nodes({.patience_s = 2});
  nodes.ask(question);
  EXPECT_FALSE(nodes.all_have_answered());
  for (int i = 0; i < 500 && !nodes.all_have_answered(); ++i) {
    nodes.wait(0.02);
    nodes.ask(question);
  }
  EXPECT_EQ(processes_of(nodes).size(), 2U);
  const std::string asked = read(folder_ + "/asked");
  EXPECT_TRUE(asked.starts_with("a\nb\n")) << asked;  // again where a busy machine has kept b from answering so soon
}

TEST_F(Where, LinesArePassedOnAsTheyCame) {
  make(0, 1, [](Page& page) { page.add(receive, 1, 3, false); });
  const std::string lines = PageSender("far", 4096).lines(pages_in(folder_));
  std::string passed;
  SentPages sent(true, [&](std::string_view line) { passed += std::string(line) + "\n"; });
  sent.add("welcome to far\n" + lines + line_of_silence("gone", "why\x1b"));
  EXPECT_EQ(passed, lines);
  EXPECT_TRUE(sent.senders().at("far").has_pages && sent.senders().at("far").pages.empty());
  EXPECT_EQ(sent.senders().at("far").times, 1U);
  EXPECT_EQ(sent.senders().at("gone").silence, "why?");
}

/// The first agent writes down what it is given; the second one reads nothing, and the third one has ended.
TEST_F(Where, WhatSendsTakesTextUnlessItHasEnded) {
  make(0, 1, [](Page& page) { page.add(receive, 1, 3, false); });
  for (const char* host : {"near", "deaf", "gone"})
    write(folder_ + "/" + host, PageSender(host, 4096).lines(pages_in(folder_)));
  write(folder_ + "/agent", "#!/bin/sh\necho \"$*\" >>" + folder_ + "/asked\ncat " + folder_ +
                                "/$1\ncase $1 in\n  near) cat >" + folder_ +
                                "/given ;;\n  deaf) exec sleep 60 ;;\nesac\n");
  fs::permissions(folder_ + "/agent", fs::perms::owner_all);
  Question question;
  question.launcher = "agent " + folder_ + "/agent";
  question.nodes = {{"near", {}}, {"deaf", {}}, {"gone", {}}};
  question.command = "/bin/cairn";
  question.every_s = 1;
  question.takes_orders = true;
  FollowedNodes nodes;
  nodes.ask(question);
  for (int i = 0; i < 500 && (nodes.silent().empty() || processes_of(nodes).size() < 2); ++i) nodes.wait(0.02);
  ASSERT_EQ(processes_of(nodes).size(), 2U);
  const std::string large(1'000'000, 'x');  // more than is taken at once
  for (const char* host : {"near", "deaf", "gone", "unknown"}) nodes.give(host, large + "\n");
  for (int i = 0; i < 5000 && read(folder_ + "/given").size() <= large.size(); ++i) {
    nodes.wait(0.002);
    for (const char* host : {"deaf", "gone"}) nodes.give(host, "and more\n");
    nodes.give("near", "");
  }
  EXPECT_EQ(read(folder_ + "/given"), large + "\n");
  EXPECT_NE(read(folder_ + "/asked").find(" --every 1.000000 --orders\n"), std::string::npos);
}

/// What an agent does after it has sent a page, and what is told of it.
struct Lost {
  const char* what;
  const char* reason;
};
class WhereLost : public Where, public testing::WithParamInterface<Lost> {};

TEST_P(WhereLost, PagesOfANodeThatSendsNoMoreAreNotShownAsIfTheyWereNew) {
  make(0, 1, [](Page& page) { page.add(receive, 1, 3, false); });
  write(folder_ + "/lines", PageSender("near", 4096).lines(pages_in(folder_)));
  write(folder_ + "/agent",
        "#!/bin/sh\necho >>" + folder_ + "/asked\ncat " + folder_ + "/lines\nsleep 0.3\n" + GetParam().what + "\n");
  fs::permissions(folder_ + "/agent", fs::perms::owner_all);
  Question question;
  question.launcher = "agent " + folder_ + "/agent";
  question.nodes = {{"near", {}}};
  question.every_s = 0.02;
  FollowedNodes nodes({.patience_s = 1});
  nodes.ask(question);
  EXPECT_FALSE(nodes.all_have_answered());
  const auto wait_until = [&](auto is_there) {
    for (int i = 0; i < 500 && !is_there(); ++i) nodes.wait(0.02);
    return is_there();
  };
  EXPECT_TRUE(wait_until([&] { return processes_of(nodes).size() == 1; }));
  EXPECT_TRUE(nodes.all_have_answered());
  EXPECT_TRUE(wait_until([&] { return !nodes.silent().empty(); }));
  EXPECT_EQ(nodes.silent(), (std::map<std::string, std::string>{{"near", GetParam().reason}}));
  EXPECT_EQ(processes_of(nodes).size(), 0U);
  EXPECT_FALSE(nodes.all_have_answered());
  EXPECT_TRUE(wait_until([&] {
    nodes.ask(question);
    return processes_of(nodes).size() == 1;
  })) << "it is asked again";
  EXPECT_EQ(read(folder_ + "/asked"), "\n\n");
}

INSTANTIATE_TEST_SUITE_P(Agent, WhereLost,
                         testing::Values(Lost{"echo connection lost >&2", "connection lost"},
                                         Lost{"sleep 60 >/dev/null & exit 1", "it has not sent all of its pages"},
                                         Lost{"exec sleep 60", "no answer within 1 s"},
                                         Lost{"echo cairn-pages 1 near . 7; exec sleep 60",
                                              "what it sends is damaged"}));

TEST_F(Where, SlurmIsAskedForAllNodesAtOnce) {
  make(0, 1, [](Page& page) { page.add(receive, 1, 3, false); });
  write(folder_ + "/lines", PageSender("near", 4096).lines(pages_in(folder_)));
  write(folder_ + "/squeue", "#!/bin/sh\n[ \"$*\" = '--noheader --jobs=7 --format=%D' ] && echo 3\n");
  write(folder_ + "/srun", "#!/bin/sh\necho \"$*\" >" + folder_ + "/asked\ncat " + folder_ +
                               "/lines\necho srun: error: far: no such node >&2\n");
  for (const char* program : {"/squeue", "/srun"}) fs::permissions(folder_ + program, fs::perms::owner_all);
  const std::string path = std::getenv("PATH");
  setenv("PATH", (folder_ + ":" + path).c_str(), 1);
  const NodeAnswers answers = ask_nodes({"slurm 7", {{"far", {}}}, "/bin/cairn", "abc", 4096, 5});
  EXPECT_EQ(read(folder_ + "/asked"),
            "--jobid=7 --overlap --nodes=3 --ntasks=3 --no-kill --quiet --mpi=none --input=none env CAIRN_PAGES=" +
                folder_ + " /bin/cairn where abc --pages 4096\n");
  EXPECT_EQ(answers.processes.size(), 1U);
  EXPECT_EQ(answers.silent, (std::map<std::string, std::string>{{"far", "srun: error: far: no such node"}}));

  FollowedNodes nodes;
  nodes.ask({"slurm 7", {{"far", {}}}, "/bin/cairn", "abc", 4096, 5, 0.5, true});
  const auto has_input = [&] { return read(folder_ + "/asked").find(" --input=all env ") != std::string::npos; };
  for (int i = 0; i < 500 && !has_input(); ++i) nodes.wait(0.02);
  EXPECT_TRUE(has_input()) << "every task gets the orders";
  EXPECT_TRUE(read(folder_ + "/asked").ends_with(" --watch --every 0.500000 --orders\n"));
  setenv("PATH", path.c_str(), 1);
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
