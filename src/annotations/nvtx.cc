// SPDX-License-Identifier: BSD-3-Clause
// nvtx.cc - ranges of NVTX, which loads libcairn-annotations.so as its injection library (NVTX_INJECTION64_PATH).
//
// Its header calls InitializeInjectionNvtx2 once per library that uses it, with tables of places for callbacks. What is
// declared here are facts of that interface; only ranges that are pushed and popped belong to a thread, as regions do.

#include <cstdint>
#include <cstdlib>
#include <cstring>

#include "annotations/annotate.hpp"

namespace {

constexpr std::uint32_t callbacks_table = 1;
constexpr std::uint32_t core = 1;
constexpr std::uint32_t core2 = 5;
enum Core : unsigned { range_push_ex = 8, range_push_a = 9, range_pop = 11 };
enum Core2 : unsigned { domain_range_push_ex = 4, domain_range_pop = 5, domain_register_string_a = 10 };
enum Message : std::int32_t { ascii = 1, registered = 3 };

struct Attributes {
  std::uint16_t version;
  std::uint16_t size;
  std::uint32_t category;
  std::int32_t color_type;
  std::uint32_t color;
  std::int32_t payload_type;
  std::int32_t reserved;
  std::uint64_t payload;
  std::int32_t message_type;
  const char* message;  // ascii, or what register_string has returned
};

struct Callbacks {
  std::size_t size;
  int (*get_table)(std::uint32_t module, void**** table, unsigned* size);
};

constexpr int no_level = -2;  // what the functions return without a tool

int push(const char* name) {
  cairn::annotate(true, name == nullptr ? "range" : name);
  return no_level;
}

int push_attributes(const Attributes* attributes) {
  const bool is_known = attributes->message_type == ascii || attributes->message_type == registered;
  return push(is_known ? attributes->message : nullptr);
}

int pop() {
  cairn::annotate(false, nullptr);
  return no_level;
}

int push_in_domain(void* /*domain*/, const Attributes* attributes) { return push_attributes(attributes); }
int pop_in_domain(void* /*domain*/) { return pop(); }
char* register_string(void* /*domain*/, const char* text) { return strdup(text); }

class Table {
 public:
  Table(const Callbacks& callbacks, std::uint32_t module) {
    if (callbacks.get_table(module, &places_, &size_) == 0) size_ = 0;
  }
  template <class Function>
  void set(unsigned id, Function* function) {
    if (places_ != nullptr && id < size_ && places_[id] != nullptr) *places_[id] = reinterpret_cast<void*>(function);
  }

 private:
  void*** places_ = nullptr;
  unsigned size_ = 0;
};

}  // namespace

extern "C" __attribute__((visibility("default"))) int InitializeInjectionNvtx2(const void* (*get)(std::uint32_t)) {
  const auto* const callbacks = static_cast<const Callbacks*>(get(callbacks_table));
  if (callbacks == nullptr || callbacks->size < sizeof *callbacks) return 0;
  Table first(*callbacks, core);
  first.set(range_push_ex, push_attributes);
  first.set(range_push_a, push);
  first.set(range_pop, pop);
  Table second(*callbacks, core2);
  second.set(domain_range_push_ex, push_in_domain);
  second.set(domain_range_pop, pop_in_domain);
  second.set(domain_register_string_a, register_string);
  return 1;
}
