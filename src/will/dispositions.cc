// SPDX-License-Identifier: BSD-3-Clause
// dispositions.cc - handlers in place of deadly defaults, and the program's view of them

#include "will/dispositions.hpp"

#include <errno.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>

#include "base/signal_action.hpp"
#include "will/handler_stack.hpp"
#include "will/signal_list.hpp"

extern "C" {
void cairn_handler_entry(int number, siginfo_t* info, void* context);  // handler.S
__attribute__((visibility("hidden"))) void* cairn_prepare_handler(int number, siginfo_t* info, void* context);
}

namespace cairn {

namespace {

/// What the program wants of a signal whose place ours takes.
struct sigaction behind[_NSIG];

SetAction* real_set_action = nullptr;
DeathHooks death;
std::atomic<pid_t> owner{0};
std::atomic<bool> watching{false};
EndHooks end_hooks;

/// One change at a time, also in handlers: no signal comes to the thread that is at it.
class Change {
 public:
  Change() {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &mask_);
    while (busy_.test_and_set(std::memory_order_acquire)) {
    }
  }
  ~Change() {
    busy_.clear(std::memory_order_release);
    pthread_sigmask(SIG_SETMASK, &mask_, nullptr);
  }
  Change(const Change&) = delete;
  Change& operator=(const Change&) = delete;

 private:
  static inline std::atomic_flag busy_;
  sigset_t mask_;
};

bool is_own_process() { return owner.load(std::memory_order_relaxed) == getpid(); }

/// The signal comes again when the handler that is running has returned, with all that is known of it.
void send_again(int number, siginfo_t* info) {
  if (syscall(SYS_rt_tgsigqueueinfo, getpid(), gettid(), number, info) != 0) raise(number);
}

void on_death(int number, siginfo_t* info, void* /*context*/) {
  const int error = errno;
  if (is_own_process()) {
    death.leave_own_thread();
    death.dies(number);
  }
  real_set_action(number, &behind[number], nullptr);
  send_again(number, info);
  errno = error;
}

enum class Ours { no, for_default, before_handler };

Ours ours_in(const struct sigaction& action) {
  if ((action.sa_flags & SA_SIGINFO) == 0) return Ours::no;
  if (action.sa_sigaction == on_death) return Ours::for_default;
  return action.sa_sigaction == cairn_handler_entry ? Ours::before_handler : Ours::no;
}

bool is_default(const struct sigaction& action) {
  return (action.sa_flags & SA_SIGINFO) == 0 && action.sa_handler == SIG_DFL;
}

/// The program's action, when the kernel's is `kernels`.
struct sigaction as_program_sees(int number, const struct sigaction& kernels) {
  return ours_in(kernels) == Ours::no ? kernels : behind[number];
}

void take_default(int number, const struct sigaction& programs) {
  struct sigaction action = {};
  action.sa_sigaction = on_death;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  sigfillset(&action.sa_mask);
  behind[number] = programs;
  real_set_action(number, &action, nullptr);
}

void come_before(int number, const struct sigaction& programs) {
  struct sigaction action = programs;
  action.sa_sigaction = cairn_handler_entry;
  action.sa_flags = (programs.sa_flags & ~static_cast<int>(SA_RESETHAND)) | SA_SIGINFO;
  if (number == SIGSEGV || number == SIGBUS) action.sa_flags |= SA_ONSTACK;
  behind[number] = programs;
  real_set_action(number, &action, nullptr);
}

/// Takes our place before what the program wants of the signal. Within a Change. `any`: whatever that is.
void stand_before(int number, bool any) {
  struct sigaction now = {};
  if (real_set_action(number, nullptr, &now) != 0 || ours_in(now) != Ours::no) return;
  if (has_handler(now)) {
    if (any || number == SIGABRT || (now.sa_flags & static_cast<int>(SA_RESETHAND)) != 0) come_before(number, now);
  } else if (any || is_default(now)) {
    take_default(number, now);
  }
}

void step_aside(int number) {
  struct sigaction now = {};
  if (real_set_action(number, nullptr, &now) == 0 && ours_in(now) != Ours::no)
    real_set_action(number, &behind[number], nullptr);
}

// ------------------------------------------------------------ the program's calls

int set_action(int number, const struct sigaction* action, struct sigaction* before) noexcept {
  if (!is_deadly(number)) return real_set_action(number, action, before);
  const auto set = [&] {
    struct sigaction was = {};
    const int result = real_set_action(number, action, &was);
    if (result == 0) was = as_program_sees(number, was);
    if (result == 0 && before != nullptr) *before = was;
    return result;
  };
  if (!is_own_process()) return set();  // a child's own table in the kernel, but perhaps the parent's memory
  const Change change;
  const int result = set();
  if (result == 0 && action != nullptr && watching) stand_before(number, false);
  return result;
}

SignalHandler* set_handler(SetHandler* real, int number, SignalHandler* handler) noexcept {
  if (!is_deadly(number)) return real(number, handler);
  const auto set = [&] {
    struct sigaction was = {};
    real_set_action(number, nullptr, &was);
    SignalHandler* const before = real(number, handler);
    return ours_in(was) == Ours::no || before == SIG_ERR ? before : behind[number].sa_handler;
  };
  if (!is_own_process()) return set();
  const Change change;
  SignalHandler* const before = set();
  if (before != SIG_ERR && watching) stand_before(number, false);
  return before;
}

}  // namespace

/// The program's handler, and what the kernel would have done before it. In a handler.
void* prepare(int number, const void* context) {
  const struct sigaction programs = behind[number];
  const bool once = (programs.sa_flags & static_cast<int>(SA_RESETHAND)) != 0;
  if (is_own_process()) {
    death.leave_own_thread();
    if ((programs.sa_flags & SA_ONSTACK) == 0 && !fits_on_interrupted_stack(context)) {
      behind[number].sa_handler = SIG_DFL;  // the kernel ends a process whose handler has no room
      behind[number].sa_flags = 0;
      return reinterpret_cast<void*>(on_death);
    }
    if (number == SIGABRT) death.may_die(number);
  }
  if (once) {
    struct sigaction past = programs;
    past.sa_handler = SIG_DFL;
    past.sa_flags &= ~SA_SIGINFO;
    const Change change;
    take_default(number, past);
  }
  return reinterpret_cast<void*>(programs.sa_handler);
}

void watch_signals(Ends& ends, const DeathHooks& hooks) {
  real_set_action = ends.real_set_action;
  death = hooks;
  owner = getpid();
  use_handler_stack();
  {
    const Change change;
    watching = true;
    for (int number = 1; number < _NSIG; ++number)
      if (is_deadly(number)) stand_before(number, false);
  }
  end_hooks = {set_action, set_handler, hooks.leaves};
  __atomic_store_n(&ends.hooks, &end_hooks, __ATOMIC_RELEASE);
}

void stop_watching_signals() {
  const Change change;
  watching = false;
  for (int number = 1; number < _NSIG; ++number)
    if (is_deadly(number)) step_aside(number);
}

CrashWatch::CrashWatch() {
  const Change change;
  for (const int number : crash_signals) stand_before(number, true);
}

CrashWatch::~CrashWatch() {
  const Change change;
  for (const int number : crash_signals) {
    step_aside(number);
    if (watching) stand_before(number, false);
  }
}

}  // namespace cairn

void* cairn_prepare_handler(int number, siginfo_t* /*info*/, void* context) {
  const int error = errno;
  void* const handler = cairn::prepare(number, context);
  errno = error;
  return handler;
}
