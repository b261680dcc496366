// SPDX-License-Identifier: BSD-3-Clause
// writers.cc - the threads, each with a word that says how far its task is

#include "will/writers.hpp"

#include <pthread.h>
#include <signal.h>

#include <cstdlib>
#include <new>

#include "will/futex.hpp"
#include "will/signal_list.hpp"

namespace cairn {

namespace {

constexpr long patience_ms = 3000;  // for one task
constexpr long calm_ms = 1000;

enum State : std::uint32_t { idle, doubtful, asked, done, failed };

struct Writer {
  Futex state{idle};
  std::atomic<pid_t> thread{0};
  Task task{};
  Writer* earlier = nullptr;
};

std::atomic<Writer*> ready{nullptr};
std::atomic<Writer*> newest{nullptr};  // of all there ever were
void (*on_calm)() = nullptr;

void wait_for_task(Writer& own) {
  for (std::uint32_t state = own.state; state != asked; state = own.state)
    if (!wait_while(own.state, state, state == doubtful ? calm_ms : 0) &&
        own.state.compare_exchange_strong(state, idle))
      on_calm();
}

Writer* start();

void* work(void* data) {
  auto& own = *static_cast<Writer*>(data);
  own.thread = gettid();
  Writer* next = nullptr;
  for (;;) {
    wait_for_task(own);
    if (next == nullptr) next = start();
    ready = next;
    own.task.run(own.task.data, own.task.end);
    ready = &own;
    own.state = done;
    wake(own.state);
    wait_while(own.state, done, 0);
  }
}

/// It gets no signals but those of its own crash: blocked, they would end the process.
bool start_thread(Writer& writer) {
  sigset_t mask;
  sigset_t before;
  sigfillset(&mask);
  for (const int crash : crash_signals) sigdelset(&mask, crash);
  pthread_sigmask(SIG_SETMASK, &mask, &before);
  pthread_t thread{};
  const bool started = pthread_create(&thread, nullptr, work, &writer) == 0;
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  if (started) pthread_setname_np(thread, "cairn-will");
  if (started) pthread_detach(thread);
  return started;
}

Writer* start() {
  void* const memory = std::malloc(sizeof(Writer));  // new would throw, which needs memory of its own in a new thread
  if (memory == nullptr) return nullptr;
  auto* const writer = new (memory) Writer;
  writer->earlier = newest;
  newest = writer;
  return start_thread(*writer) ? writer : nullptr;
}

}  // namespace

bool start_writers(void (*calm)()) {
  on_calm = calm;
  if (ready == nullptr) ready = start();
  return ready != nullptr;
}

bool has_writers() { return ready != nullptr; }

void run_on_writer(const Task& task) {
  Writer* const writer = ready;
  writer->task = task;
  writer->state = asked;
  wake(writer->state);
  wait_while(writer->state, asked, patience_ms);
  std::uint32_t well = done;
  if (writer->state.compare_exchange_strong(well, idle)) wake(writer->state);
}

void expect_life() {
  Writer* const writer = ready;
  if (writer == nullptr) return;
  writer->state = doubtful;
  wake(writer->state);
}

void leave_if_writer() {
  const pid_t thread = gettid();
  Writer* own = newest;
  while (own != nullptr && own->thread != thread) own = own->earlier;
  if (own == nullptr) return;
  own->state = failed;
  wake(own->state);
  sigset_t all;
  sigfillset(&all);
  for (;;) sigsuspend(&all);
}

}  // namespace cairn
