// SPDX-License-Identifier: BSD-3-Clause
// snapshots.cc - the thread that writes snapshots

#include "snapshots.hpp"

#include <cerrno>
#include <csignal>
#include <ctime>
#include <utility>

#include "cairn/kit/quiet_thread.hpp"

namespace comm {

const char* Snapshots::start(double every, unsigned signal, std::function<void()> write) {
  if (every <= 0 && signal == 0) return nullptr;
  write_ = std::move(write);
  every_ = every;
  sem_init(&wake_, 0, 0);
  running_ = true;
  const bool begun = cairn::start_quiet_thread(thread_, run, this);
  running_ = begun;
  if (!begun) return "the system cannot create a thread for snapshots";
  if (signal == 0) return nullptr;
  struct sigaction action = {};
  action.sa_handler = on_signal;
  action.sa_flags = SA_RESTART;
  return sigaction(static_cast<int>(signal), &action, nullptr) == 0 ? nullptr : "the signal cannot be handled";
}

void Snapshots::stop() {
  if (!running_.exchange(false)) return;
  sem_post(&wake_);
  pthread_join(thread_, nullptr);
}

void Snapshots::on_signal(int /*signal*/) {
  const int before = errno;
  sem_post(&wake_);
  errno = before;
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
