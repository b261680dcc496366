// SPDX-License-Identifier: BSD-3-Clause
// services.cc - the list of services, and those of a line or two: whose code an address is, what it is called in the
// source, which run this is.

#include "runtime/services.hpp"

#include <dlfcn.h>

#include <atomic>

#include "cairn/kit/per_thread.hpp"
#include "cairn/services/callers.hpp"
#include "cairn/services/run.hpp"
#include "cairn/services/symbols.hpp"
#include "runtime/aborts.hpp"
#include "will/will.hpp"

namespace cairn {

namespace {

CallerKind caller_kind(const void* address) { return runtime().surroundings.kind_of_code(address); }
constexpr Callers callers{caller_kind};

/// libdw and what it needs come into the process only when somebody asks.
const Symbols* symbols_library() {
  static const Symbols* const library = []() -> const Symbols* {
    void* handle = dlopen((runtime().bundled + "/libcairn-symbols.so").c_str(), RTLD_NOW | RTLD_LOCAL);
    return handle == nullptr ? nullptr : static_cast<const Symbols*>(dlsym(handle, "cairn_symbols"));
  }();
  return library;
}

int find_symbol(const char* object, std::uint64_t address, SourcePlace* place) {
  *place = {"", "", 0};
  const Symbols* const library = symbols_library();
  return library == nullptr ? 2 : library->find(object, address, place);
}

int find_inlined_symbols(const char* object, std::uint64_t address, SourcePlace* places, int most) {
  const Symbols* const library = symbols_library();
  return library == nullptr ? 0 : library->find_inlined(object, address, places, most);
}

int walk_up(const ThreadPlace* from, std::uint64_t* addresses, int most) {
  const Symbols* const library = symbols_library();
  return library == nullptr ? 0 : library->walk_up(from, addresses, most);
}
constexpr Symbols symbols{find_symbol, find_inlined_symbols, walk_up};

const char* run_identity() { return runtime().folder.is_agreed() ? runtime().folder.identity().c_str() : ""; }
const char* folder() { return runtime().folder.is_agreed() ? runtime().folder.path().c_str() : ""; }
const char* nodes() { return runtime().folder.nodes(); }
constexpr Run run{run_identity, folder, nodes};

}  // namespace

int CallGroups::join(const cairn_tool_instance* /*self*/) {
  CallGroups& self = runtime().call_groups;
  self.is_member_ = true;
  self.tools_.fetch_add(1, std::memory_order_relaxed);
  return self.group_;
}
void CallGroups::pass(const cairn_tool_instance* /*self*/) { runtime().call_groups.is_member_ = true; }

std::ptrdiff_t take_thread_slot() {
  static std::atomic<std::size_t> next{1};
  const std::size_t number = next.fetch_add(1);
  return number < thread_slot_count
             ? runtime().preload.thread_slots + static_cast<std::ptrdiff_t>(number * sizeof(void*))
             : 0;
}

void offer_services(Runtime& runtime) {
  Instances& instances = runtime.instances;
  const Will& will = make_will(*runtime.preload.ends, Instances::is_outside, watch_aborts);
  instances.offer(callers);
  instances.offer(symbols);
  instances.offer(Instances::results_service());
  instances.offer(will);
  instances.offer(run);
  instances.offer(runtime.tool_calls);
  instances.offer(runtime.thread_slots);
  kit::thread_slots = &runtime.thread_slots;  // for the runtime's own
  instances.offer(runtime.call_groups.service());
  instances.offer(CAIRN_STACK, CAIRN_STACK_VERSION, sizeof stack_service(), &stack_service());
  instances.offer(CAIRN_JOB_HOST, CAIRN_JOB_HOST_VERSION, sizeof job_host_service(), &job_host_service());
}

}  // namespace cairn
