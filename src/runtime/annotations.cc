// SPDX-License-Identifier: BSD-3-Clause
// annotations.cc - what the program marks for other tools, on its way to MPI_Pcontrol.

#include "runtime/annotations.hpp"

#include <cstdio>
#include <cstring>

#include "cairn/kit/per_thread.hpp"
#include "runtime/open_annotations.hpp"
#include "runtime/runtime.hpp"

namespace cairn {

namespace {

thread_local int annotations_open = 0;
/// Found by a pointer: what is small enough to lie beside the thread's other variables stays so.
OpenAnnotations& mine() {
  static PerThread<OpenAnnotations> all;
  return all.mine();
}

/// Regions belong to MPI's time: a call of MPI_Pcontrol before or after it would be an error.
bool is_mpi_running() {
  const MpiLibrary& mpi = runtime().mpi;
  using Question = int (*)(int*);
  const auto find = [&](const char* name) {
    return reinterpret_cast<Question>(mpi.native(mpi.functions().find(name)));
  };
  static const Question initialized = find("MPI_Initialized");
  static const Question finalized = find("MPI_Finalized");
  const auto says = [](Question question) {
    int flag = 0;
    return question != nullptr && question(&flag) == 0 && flag != 0;
  };
  return says(initialized) && !says(finalized);
}

void call_pcontrol(int level, const char* name) {
  const Runtime& self = runtime();
  static const FunctionIndex pcontrol = self.mpi.functions().find("MPI_Pcontrol");
  void* const slot = __atomic_load_n(&self.preload.slots[pcontrol], __ATOMIC_ACQUIRE);
  reinterpret_cast<int (*)(int, ...)>(slot)(level, name);
}

template <class Change>
void hear(Change change) {
  if (is_mpi_running()) change(mine());
}

/// Attributes of Caliper whose values are names of regions: one of these, or null. The region belongs to it.
const char* names_regions(const char* key) {
  for (const char* const known : {"annotation", "comm.region", "function", "loop", "phase", "region", "statement"})
    if (std::strcmp(key, known) == 0) return known;
  return nullptr;
}

bool is_iteration(const char* key) { return std::strncmp(key, "iteration#", 10) == 0; }

/// "key=value", and how much of it is the key with its "=".
struct Pair {
  char text[201];  // as in cairn/region.h
  std::string_view key;
  Pair(const char* name, const char* value) {
    const int length = std::snprintf(text, sizeof text, "%s=", name);
    key = std::string_view(text).substr(0, static_cast<std::size_t>(length));
    std::snprintf(text + key.size(), sizeof text - key.size(), "%s", value);
    for (char* c = text; c != text + key.size(); ++c)
      if (*c == '/') *c = ':';
  }
};

}  // namespace

void link_annotations(const LoadedSnapshot& before) {
  const Runtime& self = runtime();
  for (const auto& functions : {caliper_functions(), tau_functions()})
    link_heard_functions(functions, self.preload, self.stack, before);
}

WithinAnnotation::WithinAnnotation() { ++annotations_open; }
WithinAnnotation::~WithinAnnotation() { --annotations_open; }
bool WithinAnnotation::is_here() { return annotations_open != 0; }

void begin_region(const char* name, const void* owner) {
  if (name == nullptr) return;
  hear([&](OpenAnnotations& open) { open.begin(name, OpenAnnotations::Kind::region, owner, call_pcontrol); });
}

void end_region(const char* name) {
  if (name == nullptr) return;
  hear([&](OpenAnnotations& open) { open.end(name, call_pcontrol); });
}

void end_innermost_region() {
  hear([](OpenAnnotations& open) { open.end_innermost(call_pcontrol); });
}

void end_region_of(const void* owner) {
  hear([&](OpenAnnotations& open) { open.end_of(owner, call_pcontrol); });
}

void begin_value(const char* key, const char* value) {
  if (key == nullptr || value == nullptr) return;
  if (is_iteration(key)) return begin_region("iteration");
  if (const char* const kind = names_regions(key)) return begin_region(value, kind);
  hear([&](OpenAnnotations& open) {
    open.begin(Pair(key, value).text, OpenAnnotations::Kind::value, nullptr, call_pcontrol);
  });
}

void set_value(const char* key, const char* value) {
  if (key == nullptr || value == nullptr) return;
  if (const char* const kind = names_regions(key)) {
    end_region_of(kind);
    return begin_value(key, value);
  }
  if (is_iteration(key)) {
    end_value(key);
    return begin_value(key, value);
  }
  hear([&](OpenAnnotations& open) {
    const Pair pair(key, value);
    open.set_value(pair.key, pair.text, call_pcontrol);
  });
}

void end_value(const char* key) {
  if (key == nullptr) return;
  if (is_iteration(key)) return end_region("iteration");
  if (names_regions(key) != nullptr) return end_innermost_region();
  hear([&](OpenAnnotations& open) { open.end_value(Pair(key, "").key, call_pcontrol); });
}

}  // namespace cairn
