// SPDX-License-Identifier: BSD-3-Clause
// binder.cc - what libcairn.so does at the first MPI call: has the stack built, or gives every stub its native
// function.
//
// Runs on the thread of the first MPI call, before MPI_Init as a rule; needs the C library alone. The file is compiled
// without sibling calls: the C library reads the return address of dlsym(RTLD_NEXT, …) to see that it is ours.

#include "preload/preload.hpp"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <pthread.h>
#include <sys/resource.h>
#include <unistd.h>

#include <atomic>
#include <cstdarg>
#include <cstdio>
#include <cstring>

#include "base/job.hpp"
#include "base/tool_settings.hpp"
#include "preload/next.hpp"

namespace {

constexpr const char* function_names[] = {
#define CAIRN_NAME(name) #name,
#include "generated/names.inc"
#undef CAIRN_NAME
};
constexpr std::size_t function_count = sizeof function_names / sizeof *function_names;

constexpr const char* shifted_names[] = {
#define CAIRN_SHIFTED_NAME(name) #name,
#include "preload/shifted_names.inc"
#undef CAIRN_SHIFTED_NAME
};
constexpr std::size_t shifted_count = sizeof shifted_names / sizeof *shifted_names;

constexpr const char* qmpi_names[] = {
#define CAIRN_QMPI_NAME(name) #name,
#include "preload/qmpi_names.inc"
#undef CAIRN_QMPI_NAME
};
constexpr std::size_t first_qmpi_stub = function_count + shifted_count;
constexpr std::size_t qmpi_count = sizeof qmpi_names / sizeof *qmpi_names;
constexpr std::size_t stub_count = first_qmpi_stub + qmpi_count;

using DlopenFunction = void*(const char*, int);
using DlsymFunction = void*(void*, const char*);
using DlsymHook = std::uintptr_t(void*, const char*, const void*);
using GlueHook = bool(const void*);

}  // namespace

extern "C" {
extern void* cairn_slots[stub_count];  // those of MPI_X, then those of shifted_names and of qmpi_names
extern void* const cairn_stubs[stub_count];
extern const char cairn_lazy_begin[];
extern const char cairn_lazy_end[];
extern void* cairn_dlopen_slot;
extern DlsymFunction* cairn_dlsym_slot;
void* cairn_bind(std::size_t stub, const void* caller);
std::uintptr_t cairn_dlsym_answer(void* handle, const char* name, const void* caller);
void cairn_find_dl_functions();
}

static void release_stderr();

namespace {

pthread_mutex_t binding_mutex = PTHREAD_MUTEX_INITIALIZER;
std::atomic<bool> bound{false};
std::atomic<bool> binding{false};
pthread_t binding_thread;
DlopenFunction* real_dlopen = nullptr;
DlsymFunction* real_dlsym = nullptr;
DlsymHook* dlsym_hook = nullptr;
GlueHook* glue_hook = nullptr;
cairn::StandardError standard_error;

__attribute__((format(printf, 2, 3))) void say(int descriptor, const char* format, ...) {
  char text[8192];
  va_list arguments;
  va_start(arguments, format);
  const int length = std::vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  if (length > 0) cairn::write_quietly(descriptor, text, std::strlen(text));
}

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

/// A handle through which PMPI_X are found, for an MPI library that was opened privately (Python does that).
void* private_mpi_library() {
  for (const link_map* object = _r_debug.r_map; object != nullptr; object = object->l_next) {
    if (object->l_name == nullptr || *object->l_name == '\0') continue;
    void* handle = real_dlopen(object->l_name, RTLD_NOLOAD | RTLD_LAZY);
    if (handle == nullptr) continue;
    if (real_dlsym(handle, "PMPI_Comm_rank") != nullptr) return handle;
    dlclose(handle);
  }
  return nullptr;
}

const char* stub_name(std::size_t stub) {
  if (stub >= first_qmpi_stub) return qmpi_names[stub - first_qmpi_stub];
  return stub < function_count ? function_names[stub] : shifted_names[stub - function_count];
}

/// What the program would have reached by that name were we not here; null where nothing defines it.
void* native(std::size_t stub) {
  const char* name = stub_name(stub);
  if (void* next = real_dlsym(RTLD_NEXT, name)) return next;
  static void* const library = private_mpi_library();
  return library == nullptr ? nullptr : real_dlsym(library, name);
}

void fill_native(std::size_t first, std::size_t end) {
  for (std::size_t i = first; i < end; ++i)
    if (void* function = native(i)) __atomic_store_n(&cairn_slots[i], function, __ATOMIC_RELEASE);
}

const char* requested_tools() {
  for (const char* setting : cairn::tool_settings)
    if (const char* tools = std::getenv(setting); tools != nullptr && *tools != '\0') return tools;
  return nullptr;
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
void pass_on_registrations() {
  auto* pass = reinterpret_cast<decltype(&register_qmpi_tool)>(real_dlsym(RTLD_NEXT, "QMPI_Register_tool_name"));
  for (std::size_t i = 0; i < registration_count && pass != nullptr; ++i)
    pass(registrations[i].name, registrations[i].init);
}

const char* asked_by() {
  const char* said = std::getenv("CAIRN_ASKED_BY");
  if (said != nullptr && *said != '\0') return said;
  return requested_tools() != nullptr ? requested_tools() : "cairn run";
}

void tell_broken_installation(const char* path, const char* why) {
  if (cairn::speaks_for_job() && standard_error.is_still_there())
    say(STDERR_FILENO,
        "cairn: error: no tool loaded: '%s' could not be used: %s\n"
        "cairn:   asked for by: %s\n"
        "cairn:   try: installing Cairn again; libcairn.so needs the folder 'cairn' beside it\n",
        path, why, asked_by());
}

bool start_stack() {
  Dl_info self;
  if (dladdr(reinterpret_cast<void*>(&cairn_bind), &self) == 0) return false;
  const char* slash = std::strrchr(self.dli_fname, '/');
  const int folder = slash == nullptr ? 0 : static_cast<int>(slash - self.dli_fname + 1);
  char path[4096];
  std::snprintf(path, sizeof path, "%.*scairn/libcairn-stack.so", folder, self.dli_fname);

  void* library = real_dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return tell_broken_installation(path, dlerror()), false;
  auto* start = reinterpret_cast<cairn::StackStart*>(real_dlsym(library, "cairn_stack_start"));
  if (start == nullptr) return tell_broken_installation(path, dlerror()), false;

  const cairn::Preload preload{cairn::preload_abi, function_count,     function_names,
                               cairn_stubs,        cairn_slots,        &cairn_dlopen_slot,
                               &dlsym_hook,        standard_error,     &glue_hook,
                               real_dlopen,        real_dlsym,         native,
                               qmpi_count,         qmpi_names,         cairn_slots + first_qmpi_stub,
                               registrations,      registration_count, &cairn_ends};
  return start(&preload);
}

/// What the program starts from now on is its own affair: neither a helper nor another MPI program inherits us.
void leave_environment() {
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

void bind() {
  cairn_find_dl_functions();
  const bool stacked = requested_tools() != nullptr && start_stack();
  if (!stacked && requested_tools() != nullptr && cairn::setting_on("CAIRN_STRICT")) _exit(125);
  fill_native(stacked ? function_count : 0, stacked ? first_qmpi_stub : stub_count);
  if (!stacked) pass_on_registrations();
  leave_environment();
  release_stderr();
}

/// As the dynamic loader would have said it, had we not been there.
[[noreturn]] void undefined_function(std::size_t stub) {
  say(STDERR_FILENO, "%s: symbol lookup error: undefined symbol: %s\n", program_invocation_name, stub_name(stub));
  _exit(127);
}

bool still_lazy(std::size_t stub) {
  const auto* target = static_cast<const char*>(__atomic_load_n(&cairn_slots[stub], __ATOMIC_ACQUIRE));
  return target >= cairn_lazy_begin && target < cairn_lazy_end;
}

}  // namespace

/// The library functions of the C library proper, so that the program's dlopen and dlsym can be left to them.
void cairn_find_dl_functions() {
  if (real_dlsym != nullptr && real_dlopen != nullptr) return;
  auto* dlopen_function = cairn::next_versioned<DlopenFunction>("dlopen");
  auto* dlsym_function = cairn::next_versioned<DlsymFunction>("dlsym");
  real_dlopen = dlopen_function;
  real_dlsym = dlsym_function;
  cairn_dlopen_slot = reinterpret_cast<void*>(dlopen_function);
  cairn_dlsym_slot = dlsym_function;
}

/// Waits until the process is bound; false on the thread that is just binding it, which calls MPI from a tool's
/// constructor.
static bool ensure_bound() {
  if (bound.load(std::memory_order_acquire)) return true;
  if (binding.load(std::memory_order_acquire) && pthread_equal(binding_thread, pthread_self()) != 0) return false;
  pthread_mutex_lock(&binding_mutex);
  if (!bound.load(std::memory_order_relaxed)) {
    binding_thread = pthread_self();
    binding.store(true, std::memory_order_release);
    bind();
    bound.store(true, std::memory_order_release);
    binding.store(false, std::memory_order_release);
  }
  pthread_mutex_unlock(&binding_mutex);
  return true;
}

/// Where the call that found its slot unfilled is to go on; `caller` is its return address.
void* cairn_bind(std::size_t stub, const void* caller) {
  if (!bound.load(std::memory_order_acquire) && std::strcmp(stub_name(stub), "QMPI_Register_tool_name") == 0)
    return reinterpret_cast<void*>(register_qmpi_tool);
  const bool is_bound = ensure_bound();
  if (is_bound && stub >= function_count && glue_hook != nullptr && glue_hook(caller))
    stub = find_function(stub_name(stub) + 1);
  if (is_bound && !still_lazy(stub)) return __atomic_load_n(&cairn_slots[stub], __ATOMIC_ACQUIRE);
  void* target = native(stub);
  if (target == nullptr) undefined_function(stub);
  return target;
}

/// A question of dlsym for a name that starts with M or P.
std::uintptr_t cairn_dlsym_answer(void* handle, const char* name, const void* caller) {
  if (std::strncmp(name, "MPI", 3) != 0 && std::strncmp(name, "PMPI", 4) != 0) return cairn::dlsym_not_ours;
  cairn_find_dl_functions();
  if (dlsym_hook != nullptr)
    if (const std::uintptr_t answer = dlsym_hook(handle, name, caller)) return answer;

  const std::size_t function = find_stub(name);
  if (function == stub_count) return cairn::dlsym_not_ours;
  void* const below = native(function);
  if (handle == RTLD_NEXT && below != nullptr) return cairn::dlsym_not_ours;
  void* const found = handle == RTLD_NEXT ? cairn_stubs[function] : real_dlsym(handle, name);
  if (found == cairn_stubs[function] && below == nullptr) {
    real_dlsym(RTLD_NEXT, name);  // the stub is there for every MPI; this one lacks the function: leave that error text
    return cairn::dlsym_nothing;
  }
  if (found != nullptr && found == below && function < function_count)
    return reinterpret_cast<std::uintptr_t>(cairn_stubs[function]);
  return cairn::dlsym_not_ours;
}

/// `cairn run` names the process it became; when that one ends without an MPI call, its tools had nothing to see. Many
/// programs close standard error before they end, so it is kept open until the first MPI call.
static int late_stderr = -1;
static pid_t named_process = 0;

__attribute__((constructor)) static void keep_stderr() {
  if (requested_tools() != nullptr) standard_error = cairn::StandardError::now();
  const char* pid = std::getenv("CAIRN_PROGRAM_PID");
  if (pid == nullptr || std::strtol(pid, nullptr, 10) != getpid()) return;
  named_process = getpid();
  constexpr int out_of_the_way = 200;
  late_stderr = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, out_of_the_way);
}

static void release_stderr() {
  if (late_stderr >= 0) close(late_stderr);
  late_stderr = -1;
}

__attribute__((destructor)) static void tell_if_unused() {
  if (late_stderr < 0 || bound.load() || named_process != getpid() || std::getenv("CAIRN_PROGRAM_PID") == nullptr)
    return;
  rusage children{};
  getrusage(RUSAGE_CHILDREN, &children);
  if (children.ru_maxrss == 0 && cairn::speaks_for_job())
    say(late_stderr,
        "cairn: warning: no tool was loaded: '%s' made no MPI call\n"
        "cairn:   asked for by: %s\n"
        "cairn:   try: cairn check %s\n",
        program_invocation_name, asked_by(), program_invocation_name);
  release_stderr();
}
