// SPDX-License-Identifier: BSD-3-Clause
// where_dead_pages_test.cc - what becomes of the pages of the dead when the next job starts

#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <ctime>

#include "cairn/board.hpp"
#include "where_pages.hpp"

namespace cairn::where {
namespace {

class DeadPages : public Where {
 protected:
  void leave(const std::string& folder, const std::string& run = "abc", int rank = 0) {
    make(rank, 2, [&](Page& page) {
      page.add(receive, 1, 3, false);
      page.header().pid = 0;
      std::strcpy(page.header().host, "node7");
      std::strcpy(page.header().folder, folder.c_str());
      std::strcpy(page.header().run, run.c_str());
    });
  }
  void make_dead(const std::string& folder) {
    leave(folder);
    clear_dead_jobs();
  }
  /// As the run's processes and this command would have left it.
  void mark(std::uint32_t has_folder, std::int64_t stays_since = 0) {
    std::string bytes(sizeof(page::RunFile), '\0');
    std::memcpy(bytes.data() + offsetof(page::RunFile, has_folder), &has_folder, sizeof has_folder);
    std::memcpy(bytes.data() + offsetof(page::RunFile, stays_since), &stays_since, sizeof stays_since);
    write(folder_ + "/abc.run", bytes);
  }
  std::string told_while_clearing() {
    testing::internal::CaptureStderr();
    clear_dead_jobs();
    return testing::internal::GetCapturedStderr();
  }
  static std::vector<std::string> names_in(const std::string& folder) {
    std::vector<std::string> names;
    for (const auto& entry : fs::directory_iterator(folder)) names.push_back(entry.path().filename().string());
    std::ranges::sort(names);
    return names;
  }
  std::string results_ = folder_ + "/some/results";
};

TEST_F(DeadPages, AFolderThatTheRunHadNotMadeYetIsMade) {
  fs::create_directory(folder_ + "/some");
  make_dead(results_);
  EXPECT_TRUE(pages_in(folder_).empty());
  ASSERT_EQ(pages_in(results_ + "/pages"), std::vector{results_ + "/pages/node7-0.page"});
  EXPECT_NE(read(results_ + "/run.json").find("\"run\": \"abc\""), std::string::npos);
  EXPECT_EQ(PageReader().read(pages_in(results_ + "/pages").front()).rank, 0);
}

TEST_F(DeadPages, AFolderThatSomebodyHasRemovedIsNotMadeAgain) {
  fs::create_directory(folder_ + "/some");
  mark(1);
  make_dead(results_);
  EXPECT_FALSE(fs::exists(results_));
  EXPECT_TRUE(pages_in(folder_).empty());
  EXPECT_FALSE(fs::exists(folder_ + "/abc.run"));
}

TEST_F(DeadPages, NoFolderIsMadeInOneThatAnotherRunHasMadeInItsPlace) {
  fs::create_directories(results_);
  write(results_ + "/run.json", R"({"run": "later"})");
  mark(1);
  make_dead(results_);
  EXPECT_FALSE(fs::exists(results_ + "/run-abc"));
  EXPECT_TRUE(pages_in(folder_).empty());
}

TEST_F(DeadPages, FoldersAboveAreNotMade) {
  make_dead(results_);
  EXPECT_FALSE(fs::exists(folder_ + "/some"));
  EXPECT_EQ(pages_in(folder_).size(), 1U);
}

TEST_F(DeadPages, InAFolderThatAnotherRunHasNowTheyGetOneOfTheirOwn) {
  fs::create_directories(results_);
  write(results_ + "/run.json", R"({"run": "later"})");
  make_dead(results_);
  EXPECT_TRUE(pages_in(folder_).empty());
  EXPECT_EQ(pages_in(results_ + "/run-abc/pages").size(), 1U);
  EXPECT_FALSE(fs::exists(results_ + "/pages"));
}

TEST_F(DeadPages, WhereTheyCannotBeMovedTheyStayForAWeekWhichIsToldOnce) {
  fs::create_directory(folder_ + "/some");
  write(results_, "a file");
  leave(results_);
  EXPECT_EQ(told_while_clearing(),
            "cairn: warning: what ranks of an earlier run recorded before they died cannot be moved to '" + results_ +
                "': Not a directory\ncairn:   try: 'cairn where abc', which shows it; it is removed in 7 days\n");
  EXPECT_EQ(told_while_clearing(), "");
  EXPECT_EQ(pages_in(folder_).size(), 1U);
  constexpr std::int64_t day = 24 * 3600;
  mark(0, std::time(nullptr) - 6 * day);
  clear_dead_jobs();
  EXPECT_EQ(pages_in(folder_).size(), 1U);
  mark(0, std::time(nullptr) - 8 * day);
  EXPECT_EQ(told_while_clearing(), "");
  EXPECT_TRUE(pages_in(folder_).empty());
  EXPECT_FALSE(fs::exists(folder_ + "/abc.run"));
}

TEST_F(DeadPages, WhatStayedIsMovedAsSoonAsItCanBe) {
  fs::create_directories(results_);
  write(results_ + "/run.json", R"({"run": "abc"})");
  write(results_ + "/pages", "a file");
  make_dead(results_);
  EXPECT_EQ(pages_in(folder_).size(), 1U);
  fs::remove(results_ + "/pages");
  clear_dead_jobs();
  EXPECT_TRUE(pages_in(folder_).empty());
  EXPECT_EQ(pages_in(results_ + "/pages").size(), 1U);
}

TEST_F(DeadPages, ACopyOfTheSamePageIsNotMadeTwice) {
  fs::create_directories(results_ + "/pages");
  write(results_ + "/run.json", R"({"run": "abc"})");
  leave(results_);
  fs::copy_file(folder_ + "/0.page", results_ + "/pages/node7-0.page");  // by one that was killed then
  clear_dead_jobs();
  EXPECT_TRUE(pages_in(folder_).empty());
  EXPECT_EQ(pages_in(results_ + "/pages").size(), 1U);
}

/// Two nodes that have the same name, and pages with the same name, at once.
class DeadPagesAtOnce : public DeadPages {
 protected:
  void leave_on(const std::string& node, const std::string& run, int rank) {
    fs::create_directory(folder_ + "/" + node);
    fs::permissions(folder_ + "/" + node, fs::perms::owner_all);
    leave(results_, run, rank);
    fs::rename(folder_ + "/" + std::to_string(rank) + ".page", folder_ + "/" + node + "/1.page");
    write(folder_ + "/" + node + "/1.traffic", std::to_string(rank));
  }
  void clear_on_both() {
    int gate[2];
    ASSERT_EQ(pipe(gate), 0);
    for (const char* const node : {"a", "b"})
      if (fork() == 0) {
        setenv("CAIRN_PAGES", (folder_ + "/" + node).c_str(), 1);
        char go = 0;
        close(gate[1]);
        if (::read(gate[0], &go, 1) == 0) clear_dead_jobs();  // when both have come
        _exit(0);
      }
    close(gate[0]);
    close(gate[1]);
    while (wait(nullptr) > 0) {
    }
  }
  void begin_again() {
    fs::remove_all(folder_ + "/some");
    fs::create_directory(folder_ + "/some");
  }
};

TEST_F(DeadPagesAtOnce, NeitherTakesTheOthersName) {
  for (int i = 0; i < 50; ++i) {
    begin_again();
    leave_on("a", "abc", 0);
    leave_on("b", "abc", 1);
    clear_on_both();
    const std::vector<std::string> pages = pages_in(results_ + "/pages");
    ASSERT_EQ(pages.size(), 2U) << i;
    std::vector<int> ranks;
    for (const std::string& page : pages) {
      ranks.push_back(PageReader().read(page).rank);
      EXPECT_EQ(read(board::beside(page, board::traffic)), std::to_string(ranks.back()));
    }
    std::ranges::sort(ranks);
    ASSERT_EQ(ranks, (std::vector{0, 1})) << i;
  }
}

TEST_F(DeadPagesAtOnce, OnlyOneRunGetsTheFolderThatBothWouldHaveHad) {
  for (int i = 0; i < 50; ++i) {
    begin_again();
    leave_on("a", "abc", 0);
    leave_on("b", "def", 1);
    clear_on_both();
    const bool is_first = read(results_ + "/run.json").find("\"abc\"") != std::string::npos;
    const std::string other = results_ + (is_first ? "/run-def/pages" : "/run-abc/pages");
    ASSERT_EQ(pages_in(results_ + "/pages").size(), 1U) << i;
    ASSERT_EQ(pages_in(other).size(), 1U) << i;
    EXPECT_EQ(PageReader().read(pages_in(results_ + "/pages").front()).run, is_first ? "abc" : "def");
    EXPECT_EQ(PageReader().read(pages_in(other).front()).run, is_first ? "def" : "abc");
  }
}

TEST_F(DeadPages, AFolderThatOthersCanOpenIsLeftAlone) {
  make(0, 1, [](Page& page) { page.header().pid = 0; });
  fs::permissions(folder_, fs::perms::owner_all | fs::perms::others_read);
  clear_dead_jobs();
  EXPECT_EQ(pages_in(folder_).size(), 1U);
}

TEST_F(DeadPages, PagesOfTheDeadGoIntoTheirRunsFolder) {
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

TEST_F(DeadPages, FilesWhosePagesAreGoneGo) {
  make(0, 1, [](Page& page) {
    page.add(init, 0, 0, true);
    std::strcpy(page.header().run, "0123456789abcdef");
    std::strcpy(page.header().job, "7");
  });
  const std::string page = folder_ + "/12-34.page";
  fs::rename(pages_in(folder_).front(), page);
  const std::string run(sizeof(page::RunFile), '\0');
  const std::vector<std::string> needed = {folder_ + "/0123456789abcdef.run", folder_ + "/" + page::watch_name("7"),
                                           board::beside(page, board::sites)};
  const std::vector<std::string> left = {folder_ + "/fedcba9876543210.run", folder_ + "/" + page::watch_name("8"),
                                         folder_ + "/1-1.traffic"};
  const std::vector<std::string> others = {
      folder_ + "/mine.txt",     folder_ + "/installer.run", folder_ + "/fedcba9876543211.run",
      folder_ + "/city.traffic", folder_ + "/12-.sites",     folder_ + "/-1.sites",
      folder_ + "/x8.watch"};
  for (const auto* const files : {&needed, &left})
    for (const std::string& file : *files) write(file, run);
  for (const std::string& file : others) write(file, "the user's own");
  write(folder_ + "/2-2.page", "of another version");
  clear_dead_jobs();
  for (const std::string& file : left)
    EXPECT_TRUE(fs::exists(file)) << file << " may be needed by the page that cannot be read";
  fs::remove(folder_ + "/2-2.page");
  clear_dead_jobs();
  for (const std::string& file : needed) EXPECT_TRUE(fs::exists(file)) << file;
  for (const std::string& file : left) EXPECT_FALSE(fs::exists(file)) << file;
  for (const std::string& file : others) EXPECT_TRUE(fs::exists(file)) << file;
}

TEST_F(DeadPages, PagesThatNobodyCanReadStayFor60DaysAndEmptyOnesForAMinute) {
  constexpr int day = 24 * 3600;
  const auto age = [&](const std::string& name, int seconds) {
    const auto then = fs::file_time_type::clock::now() - std::chrono::seconds(seconds);
    fs::last_write_time(folder_ + "/" + name, then);
  };
  const std::string gone = "4194305";  // more than the system has
  const std::string own = std::to_string(getpid());
  const std::string left = folder_ + "/1-1.traffic";
  for (const std::string& name : {gone + "-1.page", gone + "-2.page", own + "-3.page", std::string("mine.page")}) {
    write(folder_ + "/" + name, "of another version");
    age(name, name == gone + "-1.page" ? 59 * day : 61 * day);
  }
  for (const std::string& name : {gone + "-4.page", gone + "-5.page"}) write(folder_ + "/" + name, "");
  age(gone + "-4.page", 70);
  write(folder_ + "/" + gone + "-2.traffic", "");
  write(left, "");
  clear_dead_jobs();
  std::vector<std::string> stay = {"1-1.traffic", gone + "-1.page", gone + "-5.page", own + "-3.page", "mine.page"};
  std::ranges::sort(stay);
  EXPECT_EQ(names_in(folder_), stay);
  for (const std::string& name : {gone + "-1.page", gone + "-5.page", own + "-3.page", std::string("mine.page")})
    fs::remove(folder_ + "/" + name);
  clear_dead_jobs();
  EXPECT_FALSE(fs::exists(left));
}

TEST_F(DeadPages, AWatchOfALaunchersJobStaysWhileAnotherRunOfItGoesOn) {
  const std::string folder = folder_ + "/results";
  fs::create_directory(folder);
  write(folder + "/run.json", R"({"run": "abc"})");
  const auto leave = [&](int rank, const char* run, bool is_dead) {
    make(rank, 1, [&](Page& page) {
      page.add(init, 0, 0, true);
      if (is_dead) page.header().pid = 0;
      std::strcpy(page.header().run, run);
      std::strcpy(page.header().job, "7");
      std::strcpy(page.header().folder, folder.c_str());
    });
  };
  const std::string watch = folder_ + "/" + page::watch_name("7");
  write(watch, "");
  leave(0, "abc", true);
  leave(1, "def", false);
  clear_dead_jobs();
  EXPECT_EQ(pages_in(folder_).size(), 1U);
  EXPECT_TRUE(fs::exists(watch));
  fs::remove(pages_in(folder_).front());
  leave(0, "abc", true);
  clear_dead_jobs();
  EXPECT_FALSE(fs::exists(watch));
}

TEST_F(DeadPages, PagesOfTheLivingStay) {
  make(0, 1, [](Page& page) { page.add(init, 0, 0, true); });
  clear_dead_jobs();
  EXPECT_EQ(pages_in(folder_).size(), 1U);
}

}  // namespace
}  // namespace cairn::where
