// SPDX-License-Identifier: BSD-3-Clause
// runtime.hpp - everything that the stack of this process consists of, and the one way to it for C callbacks.
#pragma once

#include <pthread.h>

#include <atomic>
#include <cstddef>
#include <deque>
#include <new>
#include <string>
#include <vector>

#include "base/message.hpp"
#include "cairn/services/thread_slots.hpp"
#include "cairn/services/tool_calls.hpp"
#include "contracts/preload.hpp"
#include "pnmpi/modules.hpp"
#include "qmpi/qmpi.hpp"
#include "qmpi/thesis.hpp"
#include "request/request.hpp"
#include "runtime/call_groups.hpp"
#include "runtime/instances.hpp"
#include "runtime/run_folder.hpp"
#include "runtime/switching.hpp"
#include "stack/dlsym_answers.hpp"
#include "stack/layer_loader.hpp"
#include "stack/mpi_library.hpp"
#include "stack/stack.hpp"
#include "stack/surroundings.hpp"

namespace cairn {

/// What the user wants.
struct Asked {
  std::string source;                // how the user said so, for messages
  std::vector<LayerRequest> layers;  // outermost first
  bool by_site = false;              // nobody here asked: base/tool_settings.hpp

  /// Whether the program is not to run without all of them.
  bool is_strict() const;
  /// Once per job.
  void tell(Severity severity, const std::string& text, const std::string& remedy = {}) const;
};

/// Which thread builds the stack, and whether it still does. Other threads may ask already, and go on without an answer
/// from the stack.
class Building {
 public:
  bool goes_on() const { return goes_on_; }
  bool is_here() const { return pthread_equal(thread_, pthread_self()) != 0; }
  void end() { goes_on_ = false; }

 private:
  pthread_t thread_ = pthread_self();
  std::atomic<bool> goes_on_{true};
};

/// C functions that objects below hand to tools.
struct Callbacks {
  const char* (*output_folder)();
  std::span<const QmpiEntry> qmpi;
  void (*thesis_problem)(const char* text);
};

/// The order of the members is that of their construction: each uses those before it alone.
class Runtime {
 public:
  Runtime(const Preload& from_preload, Asked wishes, const MpiFamily& family, const Callbacks& callbacks);

  const Preload preload;
  const Asked asked;
  const std::string bundled;       // folder with what belongs to Cairn, with a folder of tools per MPI
  std::deque<LayerRequest> added;  // layers that Cairn adds: the engine, services; tools keep pointers into it
  const ToolCalls tool_calls;
  const ThreadSlots thread_slots;
  CallGroups call_groups;
  Building building;
  const MpiLibrary mpi;
  Stack stack;
  PnmpiModules pnmpi;
  LayerLoader loader;
  Surroundings surroundings;
  const DlsymAnswers dlsym;
  RunFolder folder;
  Instances instances;
  Qmpi qmpi;
  Thesis thesis;
  Switching switching;

 private:
  std::string adaptor(const char* kind) const;
};

/// Room for the one there is. It has no destructor: layers may be called from exit handlers, and what is destroyed at
/// exit would go before them.
alignas(Runtime) inline constinit std::byte runtime_room[sizeof(Runtime)]{};

/// Once, on the thread of the first MPI call.
inline Runtime& make_runtime(const Preload& preload, const Asked& asked, const MpiFamily& family,
                             const Callbacks& callbacks) {
  return *new (runtime_room) Runtime(preload, asked, family, callbacks);
}

/// For C callbacks, which come without an instance: the address is a constant. Not before make_runtime() has returned.
inline Runtime& runtime() { return *std::launder(reinterpret_cast<Runtime*>(runtime_room)); }

}  // namespace cairn
