// SPDX-License-Identifier: BSD-3-Clause
// binder.cc - what libcairn.so does at the first MPI call: has the stack built, or gives every stub its native
// function.
//
// Runs on the thread of the first MPI call, before MPI_Init as a rule; needs the C library alone. The file is compiled
// without sibling calls: the C library reads the return address of dlsym(RTLD_NEXT, …) to see that it is ours.

#include "cairn/services/call_notes.hpp"
#include "contracts/preload.hpp"

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstring>

#include "base/job.hpp"
#include "base/sanitizer_options.hpp"
#include "preload/parts.hpp"

namespace {

constexpr const char* function_names[] = {
#define CAIRN_NAME(name) #name,
#include "generated/names.inc"
#undef CAIRN_NAME
};
constexpr std::size_t function_count = sizeof function_names / sizeof *function_names;

constexpr const char* shifted_names[] = {
#define CAIRN_SHIFTED_NAME(name) #name,
#include "contracts/shifted_names.inc"
#undef CAIRN_SHIFTED_NAME
};
constexpr std::size_t shifted_count = sizeof shifted_names / sizeof *shifted_names;

constexpr const char* qmpi_names[] = {
#define CAIRN_QMPI_NAME(name) #name,
#include "contracts/qmpi_names.inc"
#undef CAIRN_QMPI_NAME
};
constexpr std::size_t first_qmpi_stub = function_count + shifted_count;
constexpr std::size_t qmpi_count = sizeof qmpi_names / sizeof *qmpi_names;
constexpr std::size_t stub_count = first_qmpi_stub + qmpi_count;

using DlsymHook = std::uintptr_t(void*, const char*, const void*);
using GlueHook = bool(const void*);

}  // namespace

extern "C" {
extern void* cairn_slots[stub_count];  // those of MPI_X, then those of shifted_names and of qmpi_names
extern void* const cairn_stubs[stub_count];
extern const char cairn_lazy_begin[];
extern const char cairn_lazy_end[];
void* cairn_bind(std::size_t stub, const void* caller);
std::uintptr_t cairn_dlsym_answer(void* handle, const char* name, const void* caller);
void* cairn_open_deep(const char* file, int mode);
__attribute__((visibility("default"))) void cairn_bind_in_loader();
}

namespace {

pthread_mutex_t binding_mutex = PTHREAD_MUTEX_INITIALIZER;
std::atomic<bool> bound{false};
std::atomic<bool> binding{false};
pthread_t binding_thread;
DlsymHook* dlsym_hook = nullptr;
GlueHook* glue_hook = nullptr;

std::size_t find_function(const char* name) {
  std::size_t low = 0;
  std::size_t high = function_count;
  while (low < high) {
    const std::size_t middle = (low + high) / 2;
    const int order = std::strcmp(function_names[middle], name);
    if (order == 0) return middle;
    if (order < 0) low = middle + 1;
    else high = middle;
  }
  return function_count;
}

/// Number of the stub with that name, or stub_count.
std::size_t find_stub(const char* name) {
  if (const std::size_t function = find_function(name); function != function_count) return function;
  for (std::size_t i = 0; i < shifted_count; ++i)
    if (std::strcmp(shifted_names[i], name) == 0) return function_count + i;
  return stub_count;
}

const char* stub_name(std::size_t stub) {
  if (stub >= first_qmpi_stub) return qmpi_names[stub - first_qmpi_stub];
  return stub < function_count ? function_names[stub] : shifted_names[stub - function_count];
}

/// What the program would have reached by that name were we not here; null where nothing defines it.
void* native(std::size_t stub) { return cairn_native(stub_name(stub)); }

void fill_native(std::size_t first, std::size_t end) {
  for (std::size_t i = first; i < end; ++i)
    if (void* function = native(i)) __atomic_store_n(&cairn_slots[i], function, __ATOMIC_RELEASE);
}

/// QMPI tools that made themselves known before the first MPI call, on the thread that loads libraries.
cairn::QmpiRegistration registrations[64];
std::size_t registration_count = 0;

int register_qmpi_tool(const char* name, void (*init)(int)) {
  if (registration_count == sizeof registrations / sizeof *registrations || name == nullptr || init == nullptr)
    return 1;
  registrations[registration_count++] = {name, init};
  return 0;
}

/// Without a stack they are the MPI library's affair, if it has QMPI.
using QmpiRegister = decltype(&register_qmpi_tool);
QmpiRegister find_own_registration() {
  return reinterpret_cast<QmpiRegister>(cairn_real_dlsym(RTLD_NEXT, "QMPI_Register_tool_name"));
}
void pass_on_registrations(QmpiRegister pass) {
  for (std::size_t i = 0; i < registration_count && pass != nullptr; ++i)
    pass(registrations[i].name, registrations[i].init);
}

/// Here, because this library is there from the start: what is reached from the thread pointer costs nothing to find.
__attribute__((tls_model("initial-exec"))) thread_local int tool_calls = 0;
__attribute__((tls_model("initial-exec"))) thread_local cairn::ThreadNotes call_notes{};
__attribute__((tls_model("initial-exec"))) thread_local cairn::ProgramCall program_call{};
__attribute__((tls_model("initial-exec"))) thread_local void* thread_slots[cairn::thread_slot_count] = {};

std::ptrdiff_t place_of(const void* of_thread) {
  return static_cast<const char*>(of_thread) - static_cast<const char*>(__builtin_thread_pointer());
}

void tell_broken_installation(const char* path, const char* why) {
  if (!cairn_is_sites() && cairn::speaks_for_job() && cairn_standard_error.is_still_there())
    cairn_say(STDERR_FILENO,
              "cairn: error: no tool loaded: '%s' could not be used: %s\n"
              "cairn:   asked for by: %s\n"
              "cairn:   try: installing Cairn again; libcairn.so needs the folder 'cairn' beside it\n",
              path, why, cairn_asked_by());
}

/// The path of a library in the folder beside ours.
struct OwnPath {
  char text[4096] = "";

  explicit OwnPath(const char* name) {
    Dl_info self;
    if (dladdr(reinterpret_cast<void*>(&cairn_bind), &self) == 0) return;
    const char* slash = std::strrchr(self.dli_fname, '/');
    const int folder = slash == nullptr ? 0 : static_cast<int>(slash - self.dli_fname + 1);
    std::snprintf(text, sizeof text, "%.*scairn/%s", folder, self.dli_fname, name);
  }
  void* open() const { return *text == '\0' ? nullptr : cairn_real_dlopen(text, RTLD_NOW | RTLD_LOCAL); }
};

/// A function of libcairn-stack.so; null if it could not be used.
template <class Function>
Function* stack_function(const char* name, void (*tell)(const char* path, const char* why)) {
  const OwnPath path("libcairn-stack.so");
  void* library = path.open();
  void* function = library == nullptr ? nullptr : cairn_real_dlsym(library, name);
  if (function == nullptr) tell(path.text, dlerror());
  return reinterpret_cast<Function*>(function);
}

cairn::Preload preload() {
  return {cairn::preload_abi,
          function_count,
          function_names,
          cairn_stubs,
          cairn_slots,
          &cairn_dlopen_slot,
          &dlsym_hook,
          cairn_standard_error,
          &glue_hook,
          cairn_real_dlopen,
          cairn_real_dlsym,
          native,
          qmpi_count,
          qmpi_names,
          cairn_slots + first_qmpi_stub,
          registrations,
          registration_count,
          &cairn_ends,
          place_of(&tool_calls),
          place_of(&call_notes),
          place_of(thread_slots),
          &cairn_annotation_hook,
          place_of(&program_call)};
}

bool start_stack() {
  auto* const start = stack_function<cairn::StackStart>("cairn_stack_start", tell_broken_installation);
  const cairn::Preload ours = preload();
  return start != nullptr && start(&ours);
}

/// `cairn run` has put it last.
void leave_sanitizer_options() {
  char* const value = std::getenv(cairn::sanitizer_variable);
  const std::size_t length = std::strlen(cairn::sanitizer_options);
  if (value == nullptr || std::strlen(value) < length) return;
  char* const place = value + std::strlen(value) - length;
  if (std::strcmp(place, cairn::sanitizer_options) != 0) return;
  if (place == value) unsetenv(cairn::sanitizer_variable);
  else place[-1] = '\0';
}

/// What the program starts from now on is its own affair: neither a helper nor another MPI program inherits us.
void leave_environment() {
  leave_sanitizer_options();
  char* value = std::getenv("LD_PRELOAD");
  if (value == nullptr) return;
  char* out = value;
  for (char* entry = value; *entry != '\0';) {
    const std::size_t length = std::strcspn(entry, " :");
    char* next = entry + length + (entry[length] != '\0');
    const char* slash = static_cast<const char*>(memrchr(entry, '/', length));
    const char* file = slash == nullptr ? entry : slash + 1;
    const bool ours =
        static_cast<std::size_t>(entry + length - file) == 11 && std::memcmp(file, "libcairn.so", 11) == 0;
    if (!ours) {
      std::memmove(out, entry, static_cast<std::size_t>(next - entry));
      out += next - entry;
    }
    entry = next;
  }
  if (out > value && *(out - 1) != '\0' && std::strchr(" :", *(out - 1)) != nullptr) --out;
  *out = '\0';
  if (*value == '\0') unsetenv("LD_PRELOAD");
}

/// The native functions are in the slots.
void leave_process(QmpiRegister pass) {
  pass_on_registrations(pass);
  __atomic_store_n(&cairn_dlopen_slot, reinterpret_cast<void*>(cairn_real_dlopen), __ATOMIC_RELEASE);
}

void bind_with_tools() {
  const bool stacked = start_stack();
  if (!stacked && !cairn_is_sites() && cairn::setting_on("CAIRN_STRICT")) _exit(125);
  fill_native(stacked ? function_count : 0, stacked ? first_qmpi_stub : stub_count);
  if (!stacked) leave_process(find_own_registration());
}

/// Runs `work` if the process is not bound yet.
template <class Work>
void bind_once(Work work) {
  pthread_mutex_lock(&binding_mutex);
  if (!bound.load(std::memory_order_relaxed)) {
    binding_thread = pthread_self();
    binding.store(true, std::memory_order_release);
    work();
    leave_environment();
    cairn_release_stderr();
    bound.store(true, std::memory_order_release);
    binding.store(false, std::memory_order_release);
  }
  pthread_mutex_unlock(&binding_mutex);
}

/// As the dynamic loader would have said it, had we not been there.
[[noreturn]] void undefined_function(std::size_t stub) {
  cairn_say(STDERR_FILENO, "%s: symbol lookup error: undefined symbol: %s\n", program_invocation_name, stub_name(stub));
  _exit(127);
}

bool still_lazy(std::size_t stub) {
  const auto* target = static_cast<const char*>(__atomic_load_n(&cairn_slots[stub], __ATOMIC_ACQUIRE));
  return target >= cairn_lazy_begin && target < cairn_lazy_end;
}

}  // namespace

void cairn_bind_in_loader() { bind_once(bind_with_tools); }

/// Waits until the process is bound; false on the thread that is just binding it, which calls MPI from a tool's
/// constructor.
///
/// The dynamic loader's lock comes before ours: a thread that opens a library has it while a constructor there makes an
/// MPI call, which asks for ours. So whatever needs the loader is done with its lock held, or without ours. Only a
/// constructor runs with that lock, so the tools are loaded in the one of libcairn-hold.so.
static bool ensure_bound() {
  if (bound.load(std::memory_order_acquire)) return true;
  if (binding.load(std::memory_order_acquire) && pthread_equal(binding_thread, pthread_self()) != 0) return false;
  cairn_find_dl_functions();
  if (cairn_requested_tools() == nullptr) {
    fill_native(0, stub_count);
    const QmpiRegister pass = find_own_registration();
    bind_once([pass] { leave_process(pass); });
  } else {
    OwnPath("libcairn-hold.so").open();
    if (!bound.load(std::memory_order_acquire)) cairn_bind_in_loader();  // it is missing
  }
  return true;
}

/// Where the call that found its slot unfilled is to go on; `caller` is its return address.
void* cairn_bind(std::size_t stub, const void* caller) {
  if (!bound.load(std::memory_order_acquire) && std::strcmp(stub_name(stub), "QMPI_Register_tool_name") == 0)
    return reinterpret_cast<void*>(register_qmpi_tool);
  const bool is_bound = ensure_bound();
  GlueHook* const is_glue = __atomic_load_n(&glue_hook, __ATOMIC_ACQUIRE);
  if (is_bound && stub >= function_count && is_glue != nullptr && is_glue(caller))
    stub = find_function(stub_name(stub) + 1);
  if (is_bound && !still_lazy(stub)) return __atomic_load_n(&cairn_slots[stub], __ATOMIC_ACQUIRE);
  void* target = native(stub);
  if (target == nullptr) undefined_function(stub);
  return target;
}

bool cairn_is_bound() { return bound.load(std::memory_order_acquire); }

/// The program's dlopen with RTLD_DEEPBIND before the first MPI call. What it opens may find an MPI library before the
/// stubs, so that this call would never come. Entered by a jump: the return address is the program's.
void* cairn_open_deep(const char* file, int mode) {
  const void* const caller = __builtin_return_address(0);
  auto* const open = stack_function<cairn::DeepOpen>("cairn_stack_open_deep", [](const char*, const char*) {});
  const cairn::Preload ours = preload();
  return open != nullptr ? open(&ours, file, mode, caller) : cairn_real_dlopen(file, mode);
}

/// A question of dlsym for a name that starts with M or P.
std::uintptr_t cairn_dlsym_answer(void* handle, const char* name, const void* caller) {
  if (std::strncmp(name, "MPI", 3) != 0 && std::strncmp(name, "PMPI", 4) != 0) return cairn::dlsym_not_ours;
  cairn_find_dl_functions();
  if (DlsymHook* const hook = __atomic_load_n(&dlsym_hook, __ATOMIC_ACQUIRE))
    if (const std::uintptr_t answer = hook(handle, name, caller)) return answer;

  const std::size_t function = find_stub(name);
  if (function == stub_count) return cairn::dlsym_not_ours;
  void* const below = native(function);
  if (handle == RTLD_NEXT && below != nullptr) return cairn::dlsym_not_ours;
  void* const found = handle == RTLD_NEXT ? cairn_stubs[function] : cairn_real_dlsym(handle, name);
  if (found == cairn_stubs[function] && below == nullptr) {
    cairn_real_dlsym(RTLD_NEXT,
                     name);  // the stub is there for every MPI; this one lacks the function: leave that error text
    return cairn::dlsym_nothing;
  }
  if (found != nullptr && found == below && function < function_count)
    return reinterpret_cast<std::uintptr_t>(cairn_stubs[function]);
  return cairn::dlsym_not_ours;
}
