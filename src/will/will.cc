// SPDX-License-Identifier: BSD-3-Clause
// will.cc - which tools take part, and the ways in which a process ends
//
// An end is either certain, and nothing follows, or it may be survived: what has been written then is written anew at
// the next end, and withdrawn when the process turns out to live.

#include "will/will.hpp"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include <cstdlib>
#include <mutex>
#include <new>

#include "loader/private_files.hpp"
#include "will/companions.hpp"
#include "will/dispositions.hpp"
#include "will/futex.hpp"
#include "will/signal_list.hpp"
#include "will/writers.hpp"

namespace cairn {

namespace {

enum class Part { none, open, doubtful, written };

/// One tool's; stays where it is.
struct Heir {
  const cairn_tool_instance* self;
  void (*write)(void* data, const char* end) = nullptr;
  void (*withdraw)(void* data) = nullptr;
  void* data = nullptr;
  std::atomic<Part> part{Part::none};
  std::atomic<Heir*> inner{nullptr};
};

Ends* ends = nullptr;
bool (*is_outside)(const cairn_tool_instance*, const cairn_tool_instance*) = nullptr;
void (*watch_aborts)(void (*told)()) = nullptr;
std::mutex changing;  // who takes part; handlers read without it
std::atomic<Heir*> outermost{nullptr};
std::atomic<pid_t> registered_in{0};
Futex executing{0};
std::atomic<const char*> under_way{nullptr};  // how the process ends, while executing

constexpr long others_patience_ms = 10000;

template <class Visit>
void for_each_heir(Visit visit) {
  for (Heir* heir = outermost; heir != nullptr; heir = heir->inner) visit(*heir);
}

bool any_open() {
  bool any = false;
  for_each_heir([&](const Heir& heir) { any = any || heir.part != Part::none; });
  return any;
}

// ------------------------------------------------------------ ends

/// `perhaps_of_all`: certain, and the job's other ranks may be ending, too, by the same signal or for the same reason.
enum class End { certain, perhaps_of_all, survivable };

void write_parts(const char* how, End end, bool in_handler) {
  for_each_heir([&](Heir& heir) {
    if (heir.part != Part::open && heir.part != Part::doubtful) return;
    heir.part = end == End::survivable ? Part::doubtful : Part::written;
    if (has_writers()) run_on_writer({heir.write, heir.data, how});
    else if (!in_handler) heir.write(heir.data, how);
  });
}

/// No signal comes to the thread meanwhile and nobody can cancel it, which would keep it from dying: where it waits in a
/// function of the C library, also in the midst of a signal handler. A second dying thread waits for the first.
void execute(const char* how, End end, bool in_handler) {
  if (registered_in != getpid()) return;
  leave_if_writer();
  const bool goes_on = end == End::survivable || !in_handler;  // else this thread ends the process now
  const int error = errno;
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  int cancellable = 0;
  pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancellable);
  std::uint32_t nobody = 0;
  if (executing.compare_exchange_strong(nobody, 1)) {
    if (any_open()) {
      const CrashWatch crashes;
      under_way = how;
      if (end != End::survivable) tell_companions(CAIRN_PART_BEGUN);
      write_parts(how, end, in_handler);
      if (!goes_on) remove_private_files();  // the ranks are to go at once then
      if (end != End::survivable) tell_companions(CAIRN_PART_LEFT);
      under_way = nullptr;
      if (end == End::perhaps_of_all) wait_for_companions();
      if (end == End::survivable) expect_life();
    }
    if (goes_on) {  // else others wait on, who would end the process with another code
      executing = 0;
      wake(executing);
    }
  } else {
    wait_while(executing, 1, others_patience_ms);
  }
  if (goes_on) pthread_setcancelstate(cancellable, nullptr);
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  errno = error;
}

void at_exit() { execute("exit without MPI_Finalize", End::perhaps_of_all, false); }
void at_quick_end() { execute("quick_exit without MPI_Finalize", End::perhaps_of_all, false); }

/// The last that is done: tools may need their files for what they write.
void end(const char* way) {
  execute(way, End::perhaps_of_all, true);
  remove_private_files();
}

constexpr DeathHooks deaths = {
    .dies = [](int signal) { end(name_of_signal(signal)); },
    .may_die = [](int signal) { execute(name_of_signal(signal), End::survivable, true); },
    .leaves = [] { end("_exit without MPI_Finalize"); },
    .leave_own_thread = leave_if_writer,
};

/// A second after a signal that might have ended the process.
void take_back() {
  for_each_heir([](Heir& heir) {
    Part expected = Part::doubtful;
    if (heir.part.compare_exchange_strong(expected, Part::open)) heir.withdraw(heir.data);
  });
}

// ------------------------------------------------------------ the service

Heir* heir_of(const cairn_tool_instance* self) {
  Heir* found = nullptr;
  for_each_heir([&](Heir& heir) { found = heir.self == self ? &heir : found; });
  return found;
}

/// In its place: the outermost comes first.
Heir* add_heir(const cairn_tool_instance* self) {
  auto* const added = new (std::nothrow) Heir{self};
  if (added == nullptr) return nullptr;
  std::atomic<Heir*>* place = &outermost;
  while (*place != nullptr && is_outside((*place).load()->self, self)) place = &(*place).load()->inner;
  added->inner = place->load();
  *place = added;
  return added;
}

bool watch_ends() {
  if (registered_in == 0) {
    std::atexit(at_exit);
    at_quick_exit(at_quick_end);
  }
  watch_aborts(at_exit);
  registered_in = getpid();
  const bool started = start_writers(take_back);
  if (started) watch_signals(*ends, deaths);
  return started;
}

int begin(const cairn_tool_instance* self, void (*write)(void*, const char*), void (*withdraw)(void*), void* data) {
  const std::lock_guard lock(changing);
  const bool first = !any_open();
  Heir* heir = heir_of(self);
  if (heir == nullptr) heir = add_heir(self);
  if (heir == nullptr) return 1;
  heir->part = Part::none;
  heir->write = write;
  heir->withdraw = withdraw;
  heir->data = data;
  heir->part = Part::open;
  tell_companions(CAIRN_PART_AHEAD);
  return !first || watch_ends() ? 0 : 1;
}

/// A process that is about to end does not get past this.
void end(const cairn_tool_instance* self) {
  wait_while(executing, 1, others_patience_ms);
  const std::lock_guard lock(changing);
  Heir* const heir = heir_of(self);
  if (heir == nullptr) return;
  const Part part = heir->part.exchange(Part::none);
  if (part == Part::doubtful || part == Part::written) heir->withdraw(heir->data);
  if (any_open()) return;
  stop_watching_signals();
  tell_companions(CAIRN_PART_NONE);
}

void execute_for_tool(const char* how) { execute(how, End::certain, false); }

void leave_parts(const char* how) {
  for_each_heir([&](Heir& heir) {
    if (heir.part == Part::none) return;
    heir.part = Part::written;
    heir.write(heir.data, how);
  });
}

}  // namespace

const char* end_under_way() { return under_way; }

const Will& make_will(Ends& of_process, bool (*order)(const cairn_tool_instance*, const cairn_tool_instance*),
                      void (*of_libraries)(void (*told)())) {
  static constexpr Will will = {begin, end, execute_for_tool, leave_parts};
  ends = &of_process;
  is_outside = order;
  watch_aborts = of_libraries;
  return will;
}

}  // namespace cairn
