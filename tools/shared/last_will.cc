// SPDX-License-Identifier: BSD-3-Clause
// last_will.cc - a thread that waits for the worst, and signal handlers that wake it

#include "last_will.hpp"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <iterator>

#include "shared/quiet_thread.hpp"

namespace shared {

namespace {

struct Fatal {
  int number;
  const char* name;
  bool is_fault;  // of an instruction, which is tried again; the others are sent
  bool ours = false;
  struct sigaction before = {};
};
Fatal fatal[] = {{SIGSEGV, "SIGSEGV", true},  {SIGBUS, "SIGBUS", true},    {SIGFPE, "SIGFPE", true},
                 {SIGILL, "SIGILL", true},    {SIGABRT, "SIGABRT", false}, {SIGTERM, "SIGTERM", false},
                 {SIGINT, "SIGINT", false},   {SIGHUP, "SIGHUP", false},   {SIGXCPU, "SIGXCPU", false},
                 {SIGQUIT, "SIGQUIT", false}, {SIGUSR1, "SIGUSR1", false}, {SIGUSR2, "SIGUSR2", false}};
constexpr int patience_ms = 3000;

std::function<void(const std::string&)> write_results;
std::atomic<bool> open{false};     // whether there is still something to write
std::atomic<bool> waiting{false};  // for the thread to have done so
std::atomic<pid_t> owner{0};
pthread_t thread{};
int to_thread[2] = {-1, -1};    // one byte: the place of the signal in `fatal`
int from_thread[2] = {-1, -1};  // closed when everything is written

void write_once(const std::string& end) {
  if (owner == getpid() && open.exchange(false)) write_results(end);
}

void* wait_for_signal(void* /*unused*/) {
  unsigned char place = 0;
  ssize_t got = 0;
  while ((got = read(to_thread[0], &place, 1)) < 0 && errno == EINTR) {
  }
  if (got == 1) write_once(fatal[place].name);
  waiting = false;
  close(from_thread[1]);
  return nullptr;
}

void on_signal(int number, siginfo_t* info, void* /*context*/) {
  const int error = errno;
  if (owner == getpid() && pthread_equal(thread, pthread_self()) != 0)
    for (;;) pause();  // our own writing failed: the thread that waits for it goes on without
  for (unsigned char i = 0; i < std::size(fatal); ++i) {
    if (fatal[i].number != number) continue;
    if (owner == getpid() && waiting && write(to_thread[1], &i, 1) == 1) {
      pollfd written = {from_thread[0], POLLIN, 0};
      while (poll(&written, 1, patience_ms) < 0 && errno == EINTR) {
      }
    }
    sigaction(number, &fatal[i].before, nullptr);
    if (!fatal[i].is_fault || info->si_code <= 0) raise(number);
  }
  errno = error;
}

bool is_free(const struct sigaction& action) {
  return (action.sa_flags & SA_SIGINFO) == 0 && action.sa_handler == SIG_DFL;
}

/// A signal that the program or the MPI library takes is theirs, but for faults, where they come after us.
void take_signals() {
  for (Fatal& signal : fatal) {
    if (sigaction(signal.number, nullptr, &signal.before) != 0) continue;
    const bool ignored = (signal.before.sa_flags & SA_SIGINFO) == 0 && signal.before.sa_handler == SIG_IGN;
    if (ignored || !(signal.is_fault || signal.number == SIGABRT || is_free(signal.before))) continue;
    struct sigaction action = {};
    action.sa_sigaction = on_signal;
    action.sa_flags = SA_SIGINFO | (signal.before.sa_flags & SA_ONSTACK);
    signal.ours = sigaction(signal.number, &action, nullptr) == 0;
  }
}

void give_signals_back() {
  for (Fatal& signal : fatal) {
    struct sigaction now = {};
    if (!signal.ours || sigaction(signal.number, nullptr, &now) != 0) continue;
    if ((now.sa_flags & SA_SIGINFO) != 0 && now.sa_sigaction == on_signal)
      sigaction(signal.number, &signal.before, nullptr);
    signal.ours = false;
  }
}

bool start_thread() {
  if (pipe2(to_thread, O_CLOEXEC) != 0 || pipe2(from_thread, O_CLOEXEC) != 0) return false;
  const bool started = start_quiet_thread(thread, wait_for_signal, nullptr);
  if (started) pthread_detach(thread);
  return started;
}

}  // namespace

void LastWill::begin(std::function<void(const std::string& end)> write) {
  if (owner != 0) return;
  write_results = std::move(write);
  owner = getpid();
  open = true;
  std::atexit([] { write_once("exit without MPI_Finalize"); });
  waiting = start_thread();
  if (waiting) take_signals();
}

void LastWill::end() {
  if (!open.exchange(false)) return;
  give_signals_back();
  close(to_thread[1]);
  to_thread[1] = -1;
}

}  // namespace shared
