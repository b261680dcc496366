// SPDX-License-Identifier: BSD-3-Clause
// own_services.cc - whose code an address is, what it is called in the source, and where calls of tools are marked.

#include "runtime/own_services.hpp"

#include <dlfcn.h>

#include "cairn/services/callers.hpp"
#include "cairn/services/run.hpp"
#include "cairn/services/symbols.hpp"
#include "cairn/services/tool_calls.hpp"
#include "runtime/stack_service.hpp"
#include "will/will.hpp"

namespace cairn {

namespace {

const Stack* asked_stack = nullptr;
const std::string* library_folder = nullptr;
const RunFolder* own_folder = nullptr;

int is_program(const void* address) { return asked_stack->is_program_code(address) ? 1 : 0; }

/// libdw and what it needs come into the process only when somebody asks.
const Symbols* symbols_library() {
  static const Symbols* const library = []() -> const Symbols* {
    void* handle = dlopen((*library_folder + "/libcairn-symbols.so").c_str(), RTLD_NOW | RTLD_LOCAL);
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

const char* identity() { return own_folder->is_agreed() ? own_folder->identity().c_str() : ""; }

ToolCalls tool_calls{};
constexpr Callers callers{is_program};
constexpr Run run{identity};
constexpr Symbols symbols{find_symbol, find_inlined_symbols};

}  // namespace

void offer_own_services(Instances& instances, Stack& stack, const std::vector<LayerRequest>& layers,
                        const OwnPlaces& places) {
  asked_stack = &stack;
  own_folder = &places.results;
  library_folder = &places.folder;
  instances.offer(Callers::service, Callers::version, &callers);
  instances.offer(Symbols::service, Symbols::version, &symbols);
  instances.offer(Results::service, Results::version, &Instances::results_service());
  instances.offer(Will::service, Will::version, &make_will(places.ends));
  instances.offer(Run::service, Run::version, &run);
  tool_calls.place = places.tool_calls;
  instances.offer(ToolCalls::service, ToolCalls::version, &tool_calls);
  instances.offer(CAIRN_STACK, CAIRN_STACK_VERSION, &make_stack_service(stack, layers));
}

}  // namespace cairn
