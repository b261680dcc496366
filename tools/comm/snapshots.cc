// SPDX-License-Identifier: BSD-3-Clause
// snapshots.cc - the thread that writes snapshots

#include "snapshots.hpp"

#include <unistd.h>

#include <cerrno>
#include <ctime>
#include <utility>

#include "base/signal_action.hpp"
#include "cairn/kit/quiet_thread.hpp"

namespace comm {

namespace {

bool is_own(const struct sigaction& action, void (*handler)(int, siginfo_t*, void*)) {
  return (action.sa_flags & SA_SIGINFO) != 0 && action.sa_sigaction == handler;
}

}  // namespace

bool Snapshots::can_ask(unsigned signal) {
  const int number = signal > static_cast<unsigned>(SIGRTMAX) ? 0 : static_cast<int>(signal);
  return number == SIGUSR1 || number == SIGUSR2 || number >= SIGRTMIN;
}

const char* Snapshots::start(double every, unsigned signal, std::function<void()> write) {
  if (every <= 0 && signal == 0) return nullptr;
  write_ = std::move(write);
  every_ = every;
  sem_init(&wake_, 0, 0);
  running_ = true;
  const bool begun = cairn::start_quiet_thread(thread_, run, this);
  running_ = begun;
  if (!begun) return "the system cannot create a thread for snapshots";
  return signal == 0 || take_signal(static_cast<int>(signal)) ? nullptr : "the signal cannot be handled";
}

bool Snapshots::stop() {
  const bool kept = give_signal_back();
  if (!running_.exchange(false)) return kept;
  sem_post(&wake_);
  pthread_join(thread_, nullptr);
  return kept;
}

bool Snapshots::take_signal(int signal) {
  owner_ = getpid();
  if (sigaction(signal, nullptr, &before_) != 0) return false;
  struct sigaction action = cairn::with_handler_before(before_, on_signal);
  action.sa_flags &= ~static_cast<int>(SA_RESETHAND);
  if (sigaction(signal, &action, nullptr) != 0) return false;
  signal_ = signal;
  return true;
}

bool Snapshots::give_signal_back() {
  const int signal = std::exchange(signal_, 0);
  if (signal == 0) return true;
  struct sigaction now = {};
  if (sigaction(signal, nullptr, &now) != 0 || !is_own(now, on_signal)) return false;
  sigaction(signal, &before_, nullptr);
  return true;
}

void Snapshots::on_signal(int signal, siginfo_t* info, void* context) {
  const int error = errno;
  const bool is_child = owner_ != getpid();
  if (!is_child) sem_post(&wake_);
  if (cairn::has_handler(before_)) cairn::call_handler(before_, signal, info, context);
  else if (is_child) cairn::act_as_before(signal, before_);
  errno = error;
}

void* Snapshots::run(void* self) {
  auto* const me = static_cast<Snapshots*>(self);
  while (me->running_) me->wait_and_write();
  return nullptr;
}

void Snapshots::wait_and_write() {
  timespec until{};
  clock_gettime(CLOCK_REALTIME, &until);
  const auto nanoseconds = until.tv_nsec + static_cast<long>(every_ * 1e9);
  until.tv_sec += nanoseconds / 1'000'000'000;
  until.tv_nsec = nanoseconds % 1'000'000'000;
  while ((every_ > 0 ? sem_timedwait(&wake_, &until) : sem_wait(&wake_)) != 0 && errno == EINTR) {
  }
  while (sem_trywait(&wake_) == 0) {
  }
  if (running_) write_();
}

}  // namespace comm
