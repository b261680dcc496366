// SPDX-License-Identifier: BSD-3-Clause
// runtime_test.cc - libcairn-stack.so under the thread sanitizer: threads call, switch layers, open libraries and ask
// dlsym, all at once and from the very first call on.
//
// The program stands in for libcairn.so, which is preloaded and so cannot be run like this: it has slots, stubs that
// load them as the real ones' jumps do, and a first call that has the stack built. The rest is the real thing: the
// stack's library, tools that are shared objects, an MPI library and its Fortran glue. The sanitizer sees what our code
// does to our own data and to the slots. It does not see the calls from layer to layer, whose addresses are loaded by
// what the linker made, not the compiler; that no call is lost or seen twice on that way is told by the layers' counts.
//
// Nor does it know the dynamic loader's lock. With the argument "lock" that lock is shown to it as one of ours, which
// dlopen, dlclose and dl_iterate_phdr take, so a walk over the loader's list without it is reported. This keeps threads
// apart that may really meet (a walk meets objects half loaded), so the test is also made without, and reports of what
// the loader itself does are then left out (loader.supp).

#include <dlfcn.h>
#include <link.h>
#include <mpi.h>

#include <array>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

extern "C" {
#include "glue.h"
}
#include "cairn/services/call_notes.hpp"
#include "contracts/preload.hpp"
#include "layer.h"

namespace {

enum Function : std::size_t {
  allreduce,
  barrier,
  bcast,
  comm_rank,
  comm_size,
  finalize,
  library_version,
  function_count
};
constexpr std::array<const char*, function_count> names = {"MPI_Allreduce",          "MPI_Barrier",   "MPI_Bcast",
                                                           "MPI_Comm_rank",          "MPI_Comm_size", "MPI_Finalize",
                                                           "MPI_Get_library_version"};

constexpr int callers = 16;
constexpr int rounds = 400;
constexpr int openings = 150;

std::array<void*, function_count> slots{};
void* dlopen_slot = nullptr;
std::uintptr_t (*dlsym_hook)(void*, const char*, const void*) = nullptr;
bool (*glue_hook)(const void*) = nullptr;
std::atomic<bool> started{false};
std::array<const layer*, 6> layers{};  // by level, from 1
std::atomic<int> failures{0};

void expect(bool fulfilled, const char* what) {
  if (fulfilled) return;
  std::fprintf(stderr, "failed: %s\n", what);
  ++failures;
}

void expect_count(long expected, long actual, const char* what, unsigned level) {
  if (expected == actual) return;
  std::fprintf(stderr, "failed: layer %u has seen %ld %s, not %ld\n", level, actual, what, expected);
  ++failures;
}

/// The loader's lock as the sanitizer is to see it.
class LoaderLock {
 public:
  LoaderLock() {
    if (shown) mutex.lock();
  }
  ~LoaderLock() {
    if (shown) mutex.unlock();
  }
  LoaderLock(const LoaderLock&) = delete;
  LoaderLock& operator=(const LoaderLock&) = delete;
  static inline bool shown = false;

 private:
  static inline std::recursive_mutex mutex;
};

void* open_library(const char* file, int mode) {
  const LoaderLock lock;
  return dlopen(file, mode);
}

void* native(std::size_t function) { return dlsym(RTLD_NEXT, names[function]); }

void start_stack();

/// What a stub does: one load of the slot. An empty slot has the stack built, by one thread while others wait.
template <class Call>
Call* target_of(Function function) {
  void* target = __atomic_load_n(&slots[function], __ATOMIC_ACQUIRE);
  if (target == nullptr) {
    static std::once_flag once;
    std::call_once(once, start_stack);
    target = __atomic_load_n(&slots[function], __ATOMIC_ACQUIRE);
  }
  return reinterpret_cast<Call*>(target);
}

}  // namespace

#pragma GCC visibility push(default)
extern "C" {

// The stack and the tools are linked so that they call these (CMakeLists.txt).
int __wrap_dlclose(void* handle) {
  const LoaderLock lock;
  return dlclose(handle);
}
int __wrap_dl_iterate_phdr(int (*visit)(dl_phdr_info*, std::size_t, void*), void* data) {
  const LoaderLock lock;
  return dl_iterate_phdr(visit, data);
}

int MPI_Allreduce(const void* in, void* out, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
  return target_of<decltype(MPI_Allreduce)>(allreduce)(in, out, count, type, op, comm);
}
int MPI_Barrier(MPI_Comm comm) { return target_of<decltype(MPI_Barrier)>(barrier)(comm); }
int MPI_Bcast(void* buffer, int count, MPI_Datatype type, int root, MPI_Comm comm) {
  return target_of<decltype(MPI_Bcast)>(bcast)(buffer, count, type, root, comm);
}
int MPI_Comm_rank(MPI_Comm comm, int* rank) { return target_of<decltype(MPI_Comm_rank)>(comm_rank)(comm, rank); }
int MPI_Comm_size(MPI_Comm comm, int* size) { return target_of<decltype(MPI_Comm_size)>(comm_size)(comm, size); }
int MPI_Finalize(void) { return target_of<decltype(MPI_Finalize)>(finalize)(); }
int MPI_Get_library_version(char* text, int* length) {
  return target_of<decltype(MPI_Get_library_version)>(library_version)(text, length);
}

void add_layer(const layer* layer) { layers[layer->self->level] = layer; }

void* ask_dlsym(void* handle, const char* name) {
  if (auto* hook = __atomic_load_n(&dlsym_hook, __ATOMIC_ACQUIRE))
    if (const std::uintptr_t answer = hook(handle, name, __builtin_return_address(0)); answer != cairn::dlsym_not_ours)
      return answer == cairn::dlsym_nothing ? nullptr : reinterpret_cast<void*>(answer);
  return dlsym(handle, name);
}

void* (*dlopen_target())(const char*, int) {
  return reinterpret_cast<void* (*)(const char*, int)>(__atomic_load_n(&dlopen_slot, __ATOMIC_ACQUIRE));
}
}
#pragma GCC visibility pop

namespace {

template <class Function>
void* address(Function* function) {
  return reinterpret_cast<void*>(function);
}

/// Of what each thread has of its own.
template <class Data>
std::ptrdiff_t place_of() {
  static thread_local Data data{};
  return reinterpret_cast<char*>(&data) - static_cast<char*>(__builtin_thread_pointer());
}

void start_stack() {
  static const std::array<void*, function_count> stubs = {
      address(MPI_Allreduce),          address(MPI_Barrier),   address(MPI_Bcast),
      address(MPI_Comm_rank),          address(MPI_Comm_size), address(MPI_Finalize),
      address(MPI_Get_library_version)};
  void* const library = open_library(STACK_LIBRARY, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) std::fprintf(stderr, "failed: %s\n", dlerror()), std::abort();
  auto* const start = reinterpret_cast<cairn::StackStart*>(dlsym(library, "cairn_stack_start"));
  static cairn::Ends ends{nullptr, sigaction};
  static cairn::AnnotationHook* annotation_hook = nullptr;
  static const cairn::Preload preload{.abi = cairn::preload_abi,
                                      .functions = function_count,
                                      .names = names.data(),
                                      .stubs = stubs.data(),
                                      .slots = slots.data(),
                                      .dlopen_slot = &dlopen_slot,
                                      .dlsym_hook = &dlsym_hook,
                                      .standard_error = {},
                                      .glue_hook = &glue_hook,
                                      .real_dlopen = open_library,
                                      .real_dlsym = dlsym,
                                      .native = native,
                                      .qmpi_functions = 0,
                                      .qmpi_names = nullptr,
                                      .qmpi_slots = nullptr,
                                      .registrations = nullptr,
                                      .registration_count = 0,
                                      .ends = &ends,
                                      .tool_calls = place_of<int>(),
                                      .call_notes = place_of<cairn::ThreadNotes>(),
                                      .thread_slots = place_of<std::array<void*, cairn::thread_slot_count>>(),
                                      .annotation_hook = &annotation_hook,
                                      .program_call = place_of<cairn::ProgramCall>()};
  if (!start(&preload)) std::fprintf(stderr, "failed: no stack\n"), std::abort();
  started = true;
}

void call_in_rounds(int number) {
  for (int round = 0; round < rounds; ++round) {
    int rank = -1;
    const int sent = number * rounds + round;
    int received = -1;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Allreduce(&sent, &received, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Barrier(MPI_COMM_WORLD);
    const int one = 1;
    const int root = 0;
    const int world = static_cast<int>(reinterpret_cast<std::intptr_t>(MPI_COMM_WORLD));
    const int type = static_cast<int>(reinterpret_cast<std::intptr_t>(MPI_INT));
    int error = MPI_ERR_OTHER;
    mpi_bcast_(&received, &one, &type, &root, &world, &error);
    expect(rank == 0 && received == sent && error == MPI_SUCCESS, "a call's result arrives");
  }
}

void switch_layer(unsigned level, const std::atomic<bool>& stop) {
  const cairn_tool_instance* const self = layers[level]->self;
  for (int active = 0; !stop; active = 1 - active) self->set_active(self, active);
  self->set_active(self, 1);
}

/// As a program may that is no part of the stack, also while the stack is being built.
void open_plugin(std::atomic<long>& barriers) {
  for (int i = 0; i < openings; ++i) {
    auto* const stacked = dlopen_target();
    void* const plugin = (stacked != nullptr ? stacked : open_library)(FOLDER "/plugin.so", RTLD_LAZY | RTLD_LOCAL);
    expect(plugin != nullptr, "the program opens its plugin");
    if (started && plugin != nullptr) {
      reinterpret_cast<int (*)()>(dlsym(plugin, "meet"))();
      ++barriers;
    }
    if (plugin != nullptr) __wrap_dlclose(plugin);
  }
}

void open_part(unsigned level) {
  for (int i = 0; i < openings; ++i) expect(layers[level]->use_part(FOLDER "/part.so") == 0, "a tool uses its library");
}

void ask_as_program(const std::atomic<bool>& stop) {
  while (!stop) {
    expect(ask_dlsym(RTLD_DEFAULT, "MPI_Barrier") != nullptr, "the program finds MPI_Barrier");
    expect(ask_dlsym(RTLD_DEFAULT, "PMPI_Barrier") != nullptr, "the program finds PMPI_Barrier");
  }
}

void ask_as_tool(const std::atomic<bool>& stop) {
  while (!stop) {
    const void* const under_1 = layers[1]->ask(RTLD_NEXT, "PMPI_Barrier");
    bool known = false;
    for (const unsigned level : {2U, 3U, 4U}) known = known || under_1 == address(layers[level]->barrier);
    expect(known, "under layer 1 lies layer 2, 3 or 4");
    expect(layers[4]->ask(RTLD_NEXT, "PMPI_Barrier") == address(layers[5]->barrier), "under layer 4 lies layer 5");
    expect(layers[4]->ask(RTLD_DEFAULT, "MPI_Barrier") == address(layers[4]->barrier), "MPI_Barrier is its own");
  }
}

void ask_for_folder() {
  for (int i = 0; i < rounds; ++i)
    for (unsigned level = 1; level < layers.size(); ++level)
      expect(layers[level]->self->output_folder() != nullptr, "there is a folder for results");
}

/// Returns how often the program's plugin called.
long run_threads() {
  std::atomic<bool> stop{false};
  std::atomic<long> plugin_barriers{0};
  std::vector<std::jthread> asking;
  {
    std::vector<std::jthread> working;
    asking.emplace_back([&] { ask_as_program(stop); });
    working.emplace_back([&] { open_plugin(plugin_barriers); });
    for (int i = 0; i < callers; ++i) working.emplace_back(call_in_rounds, i);
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_SELF, &rank);
    for (const unsigned level : {2U, 3U}) asking.emplace_back([&, level] { switch_layer(level, stop); });
    asking.emplace_back([&] { ask_as_tool(stop); });
    for (int i = 0; i < 2; ++i) working.emplace_back(ask_for_folder);
    working.emplace_back(open_plugin, std::ref(plugin_barriers));
    working.emplace_back(open_part, 4);
  }
  stop = true;
  return plugin_barriers;
}

void check_counts(long plugin_barriers) {
  constexpr long calls = long{callers} * rounds;
  for (const unsigned level : {1U, 4U, 5U}) {
    const auto& seen = layers[level]->calls;
    expect_count(calls + 1, seen(wrapped_rank), "MPI_Comm_rank", level);
    expect_count(calls, seen(wrapped_reduce), "MPI_Allreduce", level);
    expect_count(calls, seen(wrapped_bcast), "MPI_Bcast", level);
    expect_count(calls + plugin_barriers, seen(wrapped_barrier), "MPI_Barrier", level);
  }
  // Layer 4's own library called once by the tool's name and once past it; the glue's calls of it are nobody's.
  for (const auto& [level, expected] : {std::pair{1U, 0L}, {4U, long{openings}}, {5U, 2L * openings}})
    expect_count(expected, layers[level]->calls(wrapped_size), "MPI_Comm_size", level);
  for (const unsigned level : {2U, 3U})
    expect(layers[level]->calls(wrapped_reduce) <= calls, "a layer that is switched sees no call twice");
}

/// All threads are gone: now a layer that is on sees each call, one that is off none.
void check_switched() {
  for (const unsigned level : {2U, 3U}) {
    const cairn_tool_instance* const self = layers[level]->self;
    const long before = layers[level]->calls(wrapped_barrier);
    MPI_Barrier(MPI_COMM_WORLD);
    expect_count(before + 1, layers[level]->calls(wrapped_barrier), "MPI_Barrier when on", level);
    self->set_active(self, 0);
    MPI_Barrier(MPI_COMM_WORLD);
    expect_count(before + 1, layers[level]->calls(wrapped_barrier), "MPI_Barrier when off", level);
    self->set_active(self, 1);
  }
}

}  // namespace

int main(int count, char** arguments) {
  LoaderLock::shown = count > 1 && std::string_view(arguments[1]) == "lock";
  const std::string first = FOLDER "/layer.so";
  const std::string second = FOLDER "/layer_now.so";
  setenv("CAIRN_TOOLS", (first + "," + second + "," + first + "," + second + "," + first).c_str(), 1);
  check_counts(run_threads());
  check_switched();
  expect(MPI_Finalize() == MPI_SUCCESS, "MPI_Finalize");
  std::printf("%s\n", failures == 0 ? "ok" : "failed");
  return failures == 0 ? 0 : 1;
}
