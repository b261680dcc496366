// SPDX-License-Identifier: BSD-3-Clause
// result_file_test.cc - files that are there whole or not at all, under limits and on a disk without room.

#include "cairn/kit/result_file.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

namespace {

bool refuses_chmod = false;
bool refuses_new_names = false;

}  // namespace

/// As on a file system that has one mode for all of its files.
extern "C" int chmod(const char* path, mode_t mode) noexcept {
  if (!refuses_chmod) return fchmodat(AT_FDCWD, path, mode, 0);
  errno = EPERM;
  return -1;
}

/// As on NFS, where a file cannot be given a name unless another has it.
extern "C" int renameat2(int from_in, const char* from, int to_in, const char* to, unsigned flags) noexcept {
  if (!refuses_new_names) return static_cast<int>(syscall(SYS_renameat2, from_in, from, to_in, to, flags));
  errno = EINVAL;
  return -1;
}

namespace {

class Folder {
 public:
  Folder() {
    char name[] = "/tmp/result_file_XXXXXX";
    path_ = mkdtemp(name);
  }
  ~Folder() { std::filesystem::remove_all(path_); }
  std::string file(const std::string& name) const { return path_ + "/" + name; }
  std::vector<std::string> names() const {
    std::vector<std::string> all;
    for (const auto& entry : std::filesystem::directory_iterator(path_)) all.push_back(entry.path().filename());
    std::ranges::sort(all);
    return all;
  }

 private:
  std::string path_;
};

std::string text_of(const std::string& path) {
  std::stringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

/// What `act` gives, in a process of its own with a limit; 200 if a signal has ended it.
template <class Act>
int under_limit(int limit, rlim_t value, Act act) {
  const pid_t child = fork();
  if (child == 0) {
    const rlimit both = {value, value};
    setrlimit(static_cast<__rlimit_resource>(limit), &both);
    _exit(act());
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 200;
}

using Names = std::vector<std::string>;

TEST(ResultFile, HasItsNameOnlyWhenItIsWhole) {
  const Folder folder;
  cairn::ResultFile file(folder.file("new"));
  file.add("one ");
  EXPECT_EQ(folder.names(), Names());
  file.add("two");
  EXPECT_TRUE(file.keep());
  EXPECT_EQ(text_of(folder.file("new")), "one two");
  EXPECT_EQ(folder.names(), Names{"new"});
}

TEST(ResultFile, TakesThePlaceOfAnEarlierOneAtOnce) {
  const Folder folder;
  ASSERT_TRUE(cairn::write_file(folder.file("x"), "earlier"));
  std::ofstream(folder.file("x.new")) << "left by a process that was killed";
  cairn::ResultFile file(folder.file("x"));
  file.add("later");
  EXPECT_EQ(text_of(folder.file("x")), "earlier");
  EXPECT_TRUE(file.keep());
  EXPECT_EQ(text_of(folder.file("x")), "later");
  EXPECT_EQ(folder.names(), Names{"x"});
}

TEST(ResultFile, OneThatIsNotKeptLeavesNothing) {
  const Folder folder;
  cairn::ResultFile(folder.file("x")).add("half");
  EXPECT_EQ(folder.names(), Names());
}

TEST(ResultFile, WhatIsNoRegularFileIsWrittenAsItIs) {
  EXPECT_FALSE(cairn::write_file("/dev/full", "text"));
  EXPECT_EQ(errno, ENOSPC);
  EXPECT_TRUE(cairn::write_file("/dev/null", "text"));
  EXPECT_FALSE(std::filesystem::is_regular_file("/dev/null"));
}

TEST(ResultFile, SaysWhyItCannotBeWritten) {
  const Folder folder;
  EXPECT_FALSE(cairn::write_file(folder.file("missing/x"), "text"));
  EXPECT_EQ(errno, ENOENT);
  EXPECT_FALSE(cairn::write_file("/proc/x", "text"));
  EXPECT_NE(errno, 0);
  std::filesystem::create_directory(folder.file("taken"));
  EXPECT_FALSE(cairn::write_file(folder.file("taken"), "text"));
  EXPECT_EQ(errno, EISDIR);
}

TEST(ResultFile, ALimitOfFileSizesIsAnErrorAndNoSignal) {
  const Folder folder;
  ASSERT_TRUE(cairn::write_file(folder.file("x"), "earlier"));
  EXPECT_EQ(under_limit(RLIMIT_FSIZE, 4, [&] { return cairn::write_file(folder.file("x"), "longer") ? 0 : errno; }),
            EFBIG);
  EXPECT_EQ(text_of(folder.file("x")), "earlier");
  EXPECT_EQ(folder.names(), Names{"x"});
}

TEST(ResultFile, TooManyOpenFilesAreAnError) {
  const Folder folder;
  EXPECT_EQ(under_limit(RLIMIT_NOFILE, 0, [&] { return cairn::write_file(folder.file("x"), "text") ? 0 : errno; }),
            EMFILE);
}

/// A folder must not take the place of one that another rank is about to write into, however empty that is.
TEST(ResultFolder, RanksThatMakeItAtOnceAllWriteIntoIt) {
  constexpr int ranks = 4;
  for (int round = 0; round < 500; ++round) {
    const Folder folder;
    const std::string made = folder.file("made");
    std::atomic<int> ready{0};
    std::atomic<int> written{0};
    std::vector<std::thread> all;
    for (int rank = 0; rank < ranks; ++rank)
      all.emplace_back([&, rank] {
        for (++ready; ready < ranks;) std::this_thread::yield();
        if (cairn::make_result_folder(made) && cairn::write_file(made + "/" + std::to_string(rank), "text")) ++written;
      });
    for (std::thread& one : all) one.join();
    ASSERT_EQ(written, ranks) << "in round " << round;
    ASSERT_EQ(folder.names(), Names{"made"});
  }
}

TEST(ResultFolder, IsOpenToWhomTheOneAroundIsWhoeverComesFirst) {
  const Folder folder;
  ASSERT_EQ(chmod(folder.file("").c_str(), 0777), 0);
  std::vector<std::thread> ranks;
  std::atomic<int> made = 0;
  for (int rank = 0; rank < 8; ++rank)
    ranks.emplace_back([&, rank] {
      const std::string path = folder.file("comm");
      struct stat facts = {};
      if (cairn::make_result_folder(path) && stat(path.c_str(), &facts) == 0 && (facts.st_mode & 07777U) == 0777 &&
          cairn::write_file(path + "/" + std::to_string(rank), "part"))
        ++made;
    });
  for (std::thread& rank : ranks) rank.join();
  EXPECT_EQ(made, 8);
  EXPECT_TRUE(cairn::make_result_folder(folder.file("comm")));
  EXPECT_EQ(folder.names(), (Names{"comm"}));
}

TEST(ResultFolder, IsMadeWhereNoModeCanBeSet) {
  const Folder folder;
  refuses_chmod = true;
  EXPECT_TRUE(cairn::make_result_folder(folder.file("comm")));
  EXPECT_FALSE(cairn::make_result_folder(folder.file("missing/x")));
  refuses_chmod = false;
  EXPECT_TRUE(cairn::write_file(folder.file("comm/part"), "text"));
  EXPECT_EQ(folder.names(), Names{"comm"});
}

TEST(ResultFolder, IsMadeAndOpenedWhereNoNameIsGivenUnlessAnotherHasIt) {
  const Folder folder;
  ASSERT_EQ(chmod(folder.file("").c_str(), 0777), 0);
  ASSERT_TRUE(cairn::write_file(folder.file("file"), "text"));
  refuses_new_names = true;
  EXPECT_TRUE(cairn::make_result_folder(folder.file("comm")));
  EXPECT_FALSE(cairn::make_result_folder(folder.file("file")));
  EXPECT_EQ(errno, ENOTDIR);
  refuses_new_names = false;
  struct stat facts = {};
  ASSERT_EQ(stat(folder.file("comm").c_str(), &facts), 0);
  EXPECT_EQ(facts.st_mode & 07777U, 0777U);
  EXPECT_EQ(folder.names(), (Names{"comm", "file"}));
}

TEST(ResultFolder, MayBeALinkToOneButNotToNothing) {
  const Folder folder;
  std::filesystem::create_directory(folder.file("elsewhere"));
  std::filesystem::create_symlink("elsewhere", folder.file("comm"));
  std::filesystem::create_symlink("nothing", folder.file("trace"));
  EXPECT_TRUE(cairn::make_result_folder(folder.file("comm")));
  EXPECT_TRUE(std::filesystem::is_symlink(folder.file("comm")));
  EXPECT_FALSE(cairn::make_result_folder(folder.file("trace")));
  EXPECT_EQ(errno, ENOTDIR);
  EXPECT_EQ(folder.names().size(), 3U);
}

TEST(ResultFolder, SaysWhyItCannotBeMade) {
  const Folder folder;
  ASSERT_TRUE(cairn::write_file(folder.file("file"), "text"));
  EXPECT_FALSE(cairn::make_result_folder(folder.file("file")));
  EXPECT_EQ(errno, ENOTDIR);
  EXPECT_FALSE(cairn::make_result_folder(folder.file("missing/x")));
  EXPECT_EQ(errno, ENOENT);
  EXPECT_FALSE(cairn::make_result_folder("/proc/x"));
  EXPECT_NE(errno, 0);
  EXPECT_EQ(folder.names(), Names{"file"});
}

TEST(AddToFile, AddsAllOrNothing) {
  const Folder folder;
  EXPECT_TRUE(cairn::add_to_file(folder.file("x"), "one\n"));
  EXPECT_TRUE(cairn::add_to_file(folder.file("x"), "two\n"));
  EXPECT_EQ(text_of(folder.file("x")), "one\ntwo\n");
  EXPECT_EQ(under_limit(RLIMIT_FSIZE, 10, [&] { return cairn::add_to_file(folder.file("x"), "three\n") ? 0 : errno; }),
            EFBIG);
  EXPECT_EQ(text_of(folder.file("x")), "one\ntwo\n");
}

TEST(HeldSignals, LeaveThoseOfTheProgramAlone) {
  EXPECT_EQ(under_limit(RLIMIT_CORE, 0,
                        [] {
                          sigset_t pipe;
                          sigset_t pending;
                          sigemptyset(&pipe);
                          sigaddset(&pipe, SIGPIPE);
                          sigprocmask(SIG_BLOCK, &pipe, nullptr);
                          raise(SIGPIPE);
                          { const cairn::HeldSignals held; }
                          sigpending(&pending);
                          return sigismember(&pending, SIGPIPE) == 1 ? 0 : 1;
                        }),
            0);
}

}  // namespace
