// SPDX-License-Identifier: BSD-3-Clause
// trial.cc - starts a command in a process group of its own, waits for it, and ends it where that is due

#include "cli/trial.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>

#include "base/message.hpp"
#include "base/text.hpp"
#include "cli/command.hpp"
#include "cli/program.hpp"

namespace cairn::cli {

namespace {

using Clock = std::chrono::steady_clock;

volatile sig_atomic_t interruption = 0;
sigset_t signals_before;

constexpr int ending_signals[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};

double since(Clock::time_point begin) { return std::chrono::duration<double>(Clock::now() - begin).count(); }

/// Open only as long as needed.
class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}
  ~Descriptor() {
    if (number_ >= 0) close(number_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int get() const { return number_; }

 private:
  int number_;
};

[[noreturn]] void become(std::vector<std::string> command,
                         const std::vector<std::pair<std::string, std::string>>& environment, int output) {
  setpgid(0, 0);
  sigprocmask(SIG_SETMASK, &signals_before, nullptr);
  for (const int number : ending_signals) signal(number, SIG_DFL);
  dup2(open("/dev/null", O_RDONLY), STDIN_FILENO);
  dup2(output, STDOUT_FILENO);
  dup2(output, STDERR_FILENO);
  for (const auto& [name, value] : environment) setenv(name.c_str(), value.c_str(), 1);
  execvp(command.front().c_str(), exec_arguments(command).data());
  const std::string why = "'" + command.front() + "' cannot be run: " + std::strerror(errno) + "\n";
  _exit(write(STDERR_FILENO, why.data(), why.size()) < 0 ? exit_failure : exit_cannot_run);
}

/// True if the process has ended; signals come only in here.
bool wait_for(int process, double seconds) {
  constexpr double longest = 1e9;  // thirty years; a timespec does not hold any double
  seconds = std::min(seconds, longest);
  const timespec patience = {static_cast<time_t>(seconds),
                             static_cast<long>((seconds - static_cast<double>(static_cast<time_t>(seconds))) * 1e9)};
  pollfd ended = {process, POLLIN, 0};
  return ppoll(&ended, 1, &patience, &signals_before) > 0;
}

void end_group(pid_t group, int process) {
  constexpr double grace_s = 5;
  interruption = 0;
  kill(-group, SIGTERM);
  if (!wait_for(process, grace_s)) kill(-group, SIGKILL);
}

std::string content_of(int file) {
  std::string text;
  char buffer[4096];
  lseek(file, 0, SEEK_SET);
  for (ssize_t got = 0; (got = read(file, buffer, sizeof buffer)) > 0;)
    text.append(buffer, static_cast<std::size_t>(got));
  return text;
}

/// The last line in which there is a letter.
std::string last_words(const std::string& output) {
  std::string last;
  for (const std::string_view line : split(output, '\n'))
    if (line.find_first_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ") != std::string_view::npos)
      last = line;
  return last;
}

}  // namespace

std::string Trial::why_failed() const {
  if (exceeded_s > 0) return fmt::format("it did not end within {} s", exceeded_s);
  const std::string words = last_words(output);
  const std::string end = words.empty() ? "" : ": " + words;
  if (WIFSIGNALED(status)) return std::string("ended by signal ") + strsignal(WTERMSIG(status)) + end;
  return WEXITSTATUS(status) == 0 ? "" : fmt::format("exit code {}{}", WEXITSTATUS(status), end);
}

Interruptible::Interruptible() {
  struct sigaction action {};
  sigset_t blocked;
  action.sa_handler = [](int number) { interruption = number; };
  sigemptyset(&blocked);
  for (const int number : ending_signals) {
    sigaddset(&blocked, number);
    sigaction(number, &action, nullptr);
  }
  sigprocmask(SIG_BLOCK, &blocked, &signals_before);
}

Interruptible::~Interruptible() {
  for (const int number : ending_signals) signal(number, SIG_DFL);
  sigprocmask(SIG_SETMASK, &signals_before, nullptr);
}

Trial run_trial(const std::vector<std::string>& command,
                const std::vector<std::pair<std::string, std::string>>& environment, double limit_s) {
  Trial trial;
  const Descriptor output(memfd_create("cairn-trial", MFD_CLOEXEC));
  const auto begin = Clock::now();
  const pid_t child = output.get() < 0 ? -1 : fork();
  if (child < 0) throw Problem(std::string("no process can be started: ") + std::strerror(errno));
  if (child == 0) become(command, environment, output.get());
  setpgid(child, child);
  const Descriptor process(
      static_cast<int>(syscall(SYS_pidfd_open, child, 0)));  // not every C library has a name for it
  if (process.get() < 0) {
    kill(-child, SIGKILL);
    waitpid(child, nullptr, 0);
    throw Problem("a run cannot be waited for: the kernel has no pidfd_open", "Linux 5.3 or newer");
  }
  while (!wait_for(process.get(), std::max(limit_s - since(begin), 0.0))) {
    trial.interrupted = interruption != 0;
    if (!trial.interrupted && since(begin) >= limit_s) trial.exceeded_s = limit_s;
    if (!trial.interrupted && trial.exceeded_s == 0) continue;
    end_group(child, process.get());
    break;
  }
  trial.seconds = since(begin);
  kill(-child,
       SIGKILL);  // what it left behind would disturb the next run; until it is waited for, the group is its own
  waitpid(child, &trial.status, 0);
  trial.output = content_of(output.get());
  return trial;
}

}  // namespace cairn::cli
