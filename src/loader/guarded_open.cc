// SPDX-License-Identifier: BSD-3-Clause
// guarded_open.cc - signal handlers around dlopen, and the way back from a crashed constructor into the dynamic loader.
//
// Leaving dlopen by a jump would keep the loader's lock for ever and stop every other thread at its next dlopen. So the
// handler unwinds the constructor's frames only, down to the dynamic loader's own, and lets that go on.

#include "loader/guarded_open.hpp"

#include <dlfcn.h>
#include <link.h>
#include <setjmp.h>
#include <signal.h>
#include <string.h>
#include <sys/auxv.h>
#include <unwind.h>

#include <array>
#include <cstdint>
#include <memory>

#include "loader/loaded_object.hpp"
#include "loader/registers.hpp"

namespace cairn {

void* plain_open(void* (*open)(const char*, int), const char* path, int mode);  // plain_open.cc

namespace {

constexpr std::array guarded_signals = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP, SIGABRT};

struct Guard {
  const LoadedObject* dynamic_loader = nullptr;
  int signal = 0;
  sigjmp_buf way_out;  // for a crash in the dynamic loader itself
  std::array<struct sigaction, guarded_signals.size()> before;
};

thread_local Guard* active = nullptr;

/// The dynamic loader's frame, once the unwinder has come to it.
struct Resume {
  bool found = false;
  FrameRegisters registers;
};

_Unwind_Reason_Code look_at_frame(_Unwind_Context* frame, void* data) {
  auto& resume = *static_cast<Resume*>(data);
  int before_instruction = 0;
  const std::uintptr_t instruction = _Unwind_GetIPInfo(frame, &before_instruction);
  if (!active->dynamic_loader->contains(reinterpret_cast<void*>(instruction))) return _URC_NO_REASON;
  resume.registers.instruction = instruction;
  resume.registers.stack = _Unwind_GetCFA(frame);
  const std::span<const int> numbers = callee_saved_registers();
  for (std::size_t i = 0; i < numbers.size(); ++i) resume.registers.callee_saved[i] = _Unwind_GetGR(frame, numbers[i]);
  resume.found = true;
  return _URC_END_OF_STACK;
}

bool called_no_code(int signal, const siginfo_t& info, const ucontext_t& context) {
  return (signal == SIGSEGV || signal == SIGBUS) &&
         reinterpret_cast<std::uintptr_t>(info.si_addr) == interrupted_at(context);
}

void on_crash(int signal, siginfo_t* info, void* data) {
  Guard* guard = active;
  if (guard == nullptr) {  // another thread's crash is not ours to mend
    ::signal(signal, SIG_DFL);
    raise(signal);
    return;
  }
  guard->signal = signal;
  auto& context = *static_cast<ucontext_t*>(data);
  const auto in_loader = [&] {
    return guard->dynamic_loader->contains(reinterpret_cast<void*>(interrupted_at(context)));
  };
  if (called_no_code(signal, *info, context)) {  // the unwinder would know no frame there
    return_at_once(context);
    if (in_loader()) return;
  }
  if (!in_loader()) {
    Resume frame;
    _Unwind_Backtrace(look_at_frame, &frame);
    if (frame.found) return resume_at(context, frame.registers);
  }
  siglongjmp(guard->way_out, 1);
}

const LoadedObject& dynamic_loader() {
  static const LoadedObject object = [] {
    LoadedObject found(_r_debug.r_map);
    dl_iterate_phdr(
        [](dl_phdr_info* info, std::size_t /*size*/, void* data) {
          if (info->dlpi_addr != getauxval(AT_BASE)) return 0;
          *static_cast<LoadedObject*>(data) = LoadedObject(*info);
          return 1;
        },
        &found);
    return found;
  }();
  return object;
}

void install(Guard& guard) {
  struct sigaction action {};
  action.sa_sigaction = on_crash;
  action.sa_flags = SA_SIGINFO | SA_NODEFER | SA_ONSTACK;
  sigemptyset(&action.sa_mask);
  for (std::size_t i = 0; i < guarded_signals.size(); ++i) sigaction(guarded_signals[i], &action, &guard.before[i]);
}

void remove(Guard& guard) {
  for (std::size_t i = 0; i < guarded_signals.size(); ++i) sigaction(guarded_signals[i], &guard.before[i], nullptr);
}

/// A stack of its own for the handler: a constructor may have used up the ordinary one.
class HandlerStack {
 public:
  HandlerStack() : memory_(std::make_unique_for_overwrite<char[]>(size)) {
    stack_t stack{};
    stack.ss_sp = memory_.get();
    stack.ss_size = size;
    sigaltstack(&stack, &before_);
  }
  ~HandlerStack() { sigaltstack(&before_, nullptr); }
  HandlerStack(const HandlerStack&) = delete;
  HandlerStack& operator=(const HandlerStack&) = delete;

 private:
  static constexpr std::size_t size = std::size_t{64} * 1024;
  std::unique_ptr<char[]> memory_;
  stack_t before_{};
};

std::string describe(int signal) {
  const char* name = sigabbrev_np(signal);
  return std::string("its constructor crashed (SIG") + (name != nullptr ? name : "?") + ")";
}

}  // namespace

OpenResult guarded_open(void* (*open)(const char*, int), const std::string& path, int mode) {
  const HandlerStack stack;
  Guard guard;
  guard.dynamic_loader = &dynamic_loader();
  OpenResult result;
  active = &guard;
  install(guard);
  if (sigsetjmp(guard.way_out, 1) == 0) result.handle = plain_open(open, path.c_str(), mode);
  remove(guard);
  active = nullptr;
  if (guard.signal != 0) {
    result.error = describe(guard.signal);
  } else if (result.handle == nullptr) {
    const char* text = dlerror();
    result.error = text != nullptr ? text : "the dynamic loader gave no reason";
  }
  return result;
}

}  // namespace cairn
