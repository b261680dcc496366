// SPDX-License-Identifier: BSD-3-Clause
// switch_thread.cc - the thread's wait, and signal handlers that only wake it.

#include "runtime/switch_thread.hpp"

#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <unistd.h>

#include <atomic>

#include "base/signal_action.hpp"

namespace cairn {

namespace {

/// What a handler may touch.
struct Signal {
  int number;
  bool taken;
  std::atomic<unsigned> came;
  struct sigaction before;
};
Signal signals[] = {{SIGUSR1, false, 0, {}}, {SIGUSR2, false, 0, {}}};
sem_t wakened;
pid_t owner = 0;
std::function<void()>* after_fork = nullptr;  // never destroyed: children are forked at exit too

void on_arrival(int number, siginfo_t* info, void* context) {
  const int error = errno;
  for (Signal& signal : signals) {
    if (signal.number != number) continue;
    const bool ours = owner == getpid();
    if (ours) {
      signal.came.fetch_add(1);
      sem_post(&wakened);
    }
    if (has_handler(signal.before)) call_handler(signal.before, number, info, context);
    else if (!ours) act_as_before(number, signal.before);
  }
  errno = error;
}

void child_after_fork() { (*after_fork)(); }

bool start_thread(void* (*entry)(void*), void* argument) {
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  pthread_t thread;
  const bool started = pthread_create(&thread, nullptr, entry, argument) == 0;
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  if (started) pthread_setname_np(thread, "cairn-switch");
  if (started) pthread_detach(thread);
  return started;
}

}  // namespace

bool SwitchThread::on_signal(int signal, std::function<void(int)> act) {
  on_signal_ = std::move(act);
  bool shared = false;
  for (Signal& known : signals) {
    if (known.number != signal || known.taken) continue;
    if (owner == 0) sem_init(&wakened, 0, 0);
    owner = getpid();
    sigaction(signal, nullptr, &known.before);
    shared = has_handler(known.before);
    const struct sigaction action = with_handler_before(known.before, on_arrival);
    known.taken = true;
    sigaction(signal, &action, nullptr);
  }
  return shared;
}

bool SwitchThread::start(std::function<void()> in_child) {
  begin_ = std::chrono::steady_clock::now();
  if (due_.empty() && !on_signal_) return true;
  if (owner == 0) sem_init(&wakened, 0, 0);
  owner = getpid();
  after_fork = new std::function<void()>(std::move(in_child));
  pthread_atfork(nullptr, nullptr, child_after_fork);
  return start_thread(run, this);
}

void* SwitchThread::run(void* self) {
  static_cast<SwitchThread*>(self)->work();
  return nullptr;
}

void SwitchThread::work() {
  while (!due_.empty() || on_signal_) {
    if (wait()) act_on_signals();
    while (!due_.empty() && begin_ + due_.begin()->first <= std::chrono::steady_clock::now()) {
      due_.begin()->second();
      due_.erase(due_.begin());
    }
  }
}

/// Until the next thing is due; true if a signal has come before.
bool SwitchThread::wait() {
  int result = 0;
  do {
    if (due_.empty()) {
      result = sem_wait(&wakened);
    } else {
      const auto when = (begin_ + due_.begin()->first).time_since_epoch();
      const auto seconds = std::chrono::floor<std::chrono::seconds>(when);
      const timespec until{seconds.count(), std::chrono::nanoseconds(when - seconds).count()};
      result = sem_clockwait(&wakened, CLOCK_MONOTONIC, &until);
    }
  } while (result != 0 && errno == EINTR);
  return result == 0;
}

void SwitchThread::act_on_signals() {
  for (Signal& signal : signals)
    for (unsigned left = signal.came.exchange(0); left > 0; --left) on_signal_(signal.number);
}

}  // namespace cairn
