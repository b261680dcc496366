// SPDX-License-Identifier: BSD-3-Clause
// annotations.cc - regions that a program marks for Caliper or TAU: heard as those of cairn/region.h, and passed on.
//
// A program that marks regions defines these functions, or is linked with what does: they are called as if we were not
// there, whether there is a stack or not. Where nothing defines them the calls do nothing.

#include <atomic>
#include <cstdio>
#include <cstring>

#include "cairn/region.h"
#include "contracts/preload.hpp"
#include "preload/parts.hpp"

const cairn::AnnotationHook* cairn_annotation_hook = nullptr;

namespace {

constexpr std::size_t longest_name = 200;  // as in cairn/region.h

/// What these libraries call of themselves is not the program's.
__attribute__((tls_model("initial-exec"))) thread_local int inside = 0;

struct Passing {
  Passing() { ++inside; }
  ~Passing() { --inside; }
};

bool is_heard(const void* caller) {
  const cairn::AnnotationHook* const hook = __atomic_load_n(&cairn_annotation_hook, __ATOMIC_ACQUIRE);
  return hook != nullptr && inside == 0 && !hook->is_of_layer(caller);
}

/// Regions lie in paths, so their names have no slash.
void hear(int level, const char* name) {
  const cairn::AnnotationHook& hook = *__atomic_load_n(&cairn_annotation_hook, __ATOMIC_ACQUIRE);
  if (name == nullptr) return hook.hear(level, nullptr);
  char text[longest_name + 1];
  std::snprintf(text, sizeof text, "%s", name);
  for (char* c = text; *c != '\0'; ++c)
    if (*c == '/') *c = ':';
  hook.hear(level, text);
}

void begin(const char* name) {
  if (name != nullptr) hear(CAIRN_REGION_BEGIN, name);
}
void end(const char* name) { hear(CAIRN_REGION_END, name); }

/// The function that the program would have called.
class Next {
 public:
  explicit constexpr Next(const char* name) : name_(name) {}
  void* find() {
    void* known = known_.load(std::memory_order_acquire);
    if (known == this) known_.store(known = cairn_next(name_), std::memory_order_release);
    return known;
  }

 private:
  const char* name_;
  std::atomic<void*> known_{this};
};

/// Attributes of Caliper whose values are names of regions, and others.
bool names_regions(const char* key) {
  for (const char* const known : {"annotation", "comm.region", "function", "loop", "phase", "region", "statement"})
    if (std::strcmp(key, known) == 0) return true;
  return false;
}

bool is_iteration(const char* key) { return std::strncmp(key, "iteration#", 10) == 0; }

void begin_value(const char* key, const char* value) {
  if (key == nullptr || value == nullptr) return;
  if (is_iteration(key)) return begin("iteration");
  if (names_regions(key)) return begin(value);
  char name[longest_name + 1];
  std::snprintf(name, sizeof name, "%s=%s", key, value);
  begin(name);
}

/// In the order in which they were begun, the last one first, as Caliper wants it.
void end_value(const char* key) {
  if (key == nullptr) return;
  if (is_iteration(key)) return end("iteration");
  if (names_regions(key)) return end(nullptr);
  char name[longest_name + 1];
  std::snprintf(name, sizeof name, "%s=", key);
  end(name);
}

void set_value(const char* key, const char* value) {
  end_value(key);
  begin_value(key, value);
}

struct Text {
  char text[32];
  explicit Text(long value) { std::snprintf(text, sizeof text, "%ld", value); }
  explicit Text(double value) { std::snprintf(text, sizeof text, "%g", value); }
};

/// Null where there is no Caliper, which alone knows.
const char* key_of(std::uint64_t attribute) {
  static Next next("cali_attribute_name");
  auto* const function = reinterpret_cast<const char* (*)(std::uint64_t)>(next.find());
  const Passing passing;
  return function == nullptr ? nullptr : function(attribute);
}

}  // namespace

/// `heard` happens, then what the program would have called. The result, if it has one, is passed back.
// NOLINTBEGIN(bugprone-macro-parentheses): parameters and statements
#define CAIRN_HEARD(name, parameters, arguments, heard)                                        \
  __attribute__((visibility("default"))) long name parameters {                                \
    static Next next(#name);                                                                   \
    if (is_heard(__builtin_return_address(0))) heard;                                          \
    const Passing passing;                                                                     \
    void* const function = next.find();                                                        \
    return function == nullptr ? 0 : reinterpret_cast<long(*) parameters>(function) arguments; \
  }
// NOLINTEND(bugprone-macro-parentheses)

extern "C" {

CAIRN_HEARD(cali_begin_region, (const char* name), (name), begin(name))
CAIRN_HEARD(cali_end_region, (const char* name), (name), end(name))
CAIRN_HEARD(cali_begin_phase, (const char* name), (name), begin(name))
CAIRN_HEARD(cali_end_phase, (const char* name), (name), end(name))
CAIRN_HEARD(cali_begin_comm_region, (const char* name), (name), begin(name))
CAIRN_HEARD(cali_end_comm_region, (const char* name), (name), end(name))

CAIRN_HEARD(cali_begin_byname, (const char* key), (key), begin_value(key, "true"))
CAIRN_HEARD(cali_begin_string_byname, (const char* key, const char* value), (key, value), begin_value(key, value))
CAIRN_HEARD(cali_begin_int_byname, (const char* key, int value), (key, value), begin_value(key, Text(long{value}).text))
CAIRN_HEARD(cali_begin_double_byname, (const char* key, double value), (key, value), begin_value(key, Text(value).text))
CAIRN_HEARD(cali_set_string_byname, (const char* key, const char* value), (key, value), set_value(key, value))
CAIRN_HEARD(cali_set_int_byname, (const char* key, int value), (key, value), set_value(key, Text(long{value}).text))
CAIRN_HEARD(cali_set_double_byname, (const char* key, double value), (key, value), set_value(key, Text(value).text))
CAIRN_HEARD(cali_end_byname, (const char* key), (key), end_value(key))

CAIRN_HEARD(cali_begin_string, (std::uint64_t id, const char* value), (id, value), begin_value(key_of(id), value))
CAIRN_HEARD(cali_begin_int, (std::uint64_t id, int value), (id, value), begin_value(key_of(id), Text(long{value}).text))
CAIRN_HEARD(cali_end, (std::uint64_t id), (id), end_value(key_of(id)))

// cali::Function and cali::ScopeAnnotation, which its macros for C++ make.
CAIRN_HEARD(_ZN4cali8FunctionC1EPKc, (void* self, const char* name), (self, name), begin(name))
CAIRN_HEARD(_ZN4cali8FunctionD1Ev, (void* self), (self), end(nullptr))
CAIRN_HEARD(_ZN4cali15ScopeAnnotationC1EPKc, (void* self, const char* name), (self, name), begin(name))
CAIRN_HEARD(_ZN4cali15ScopeAnnotationD1Ev, (void* self), (self), end(nullptr))

CAIRN_HEARD(Tau_start, (const char* name), (name), begin(name))
CAIRN_HEARD(Tau_stop, (const char* name), (name), end(name))
CAIRN_HEARD(Tau_pure_start, (const char* name), (name), begin(name))
CAIRN_HEARD(Tau_pure_stop, (const char* name), (name), end(name))

/// For libcairn-annotations.so, which hears what comes by other ways.
__attribute__((visibility("default"))) void cairn_annotate(int begins, const char* name) {
  if (!is_heard(__builtin_return_address(0))) return;
  if (begins != 0) begin(name);
  else end(name);
}

}  // extern "C"
