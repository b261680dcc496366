// SPDX-License-Identifier: BSD-3-Clause
// processes_test.cc - what the system tells of a process, also of one whose first thread has ended

#include "base/processes.hpp"

#include <gtest/gtest.h>
#include <pthread.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <string>

#include "base/own_files.hpp"
#include "base/program_path.hpp"

namespace cairn {
namespace {

/// What the process says of itself, "." if it still knows its program and its files.
void* tell(void* to) {
  while (facts_of_task(std::to_string(getpid())).state != 'Z') usleep(1000);
  const bool knows =
      program_path().front() == '/' && access(own_file("fd").c_str(), X_OK) == 0 && space_of_process_numbers() != 0;
  if (write(*static_cast<int*>(to), knows ? "." : "?", 1) != 1) _exit(1);
  for (;;) pause();
}

TEST(Processes, GoOnWhenTheirFirstThreadHasEnded) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  const pid_t child = fork();
  if (child == 0) {
    pthread_t thread;
    if (pthread_create(&thread, nullptr, tell, &ends[1]) != 0) _exit(1);
    syscall(SYS_exit, 0);  // pthread_exit would unwind what catches all in GoogleTest
  }
  close(ends[1]);
  char said = 0;
  ASSERT_EQ(read(ends[0], &said, 1), 1);
  EXPECT_EQ(said, '.');
  EXPECT_EQ(facts_of_task(std::to_string(child)).state, 'Z');
  EXPECT_FALSE(facts_of_process(child).has_ended());
  EXPECT_FALSE(is_ending(child));
  kill(child, SIGKILL);
  siginfo_t info{};
  waitid(P_PID, static_cast<id_t>(child), &info, WEXITED | WNOWAIT);
  EXPECT_TRUE(facts_of_process(child).has_ended());
  waitpid(child, nullptr, 0);
  EXPECT_TRUE(facts_of_process(child).has_ended());
  close(ends[0]);
}

}  // namespace
}  // namespace cairn
