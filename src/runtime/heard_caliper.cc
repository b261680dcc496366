// SPDX-License-Identifier: BSD-3-Clause
// heard_caliper.cc - functions of Caliper that mark regions, in C and C++; its Fortran interface calls them.

#include <unistd.h>

#include <sys/uio.h>

#include <cstdint>
#include <cstdio>
#include <cstring>

#include "runtime/annotations.hpp"

namespace cairn {

namespace {

constexpr std::size_t longest_text = 200;  // as in cairn/region.h

std::atomic<void*> real_cali_attribute_name{nullptr};

const char* key_of(std::uint64_t attribute) {
  auto* const ask = reinterpret_cast<const char* (*)(std::uint64_t)>(real_cali_attribute_name.load());
  const WithinAnnotation within;
  return ask == nullptr ? nullptr : ask(attribute);
}

struct Text {
  char text[longest_text + 1];
  explicit Text(long value) { std::snprintf(text, sizeof text, "%ld", value); }
  explicit Text(double value) { std::snprintf(text, sizeof text, "%g", value); }
  Text(const char* value, std::size_t size) {
    const std::size_t length = value == nullptr ? 0 : strnlen(value, size < longest_text ? size : longest_text);
    if (length != 0) std::memcpy(text, value, length);
    text[length] = '\0';
  }
};

/// Caliper's value of any type, as its headers declare it: the low byte of the first word is the type, the high half
/// the size of a text.
struct Variant {
  std::uint64_t type_and_size;
  union {
    std::uint64_t number;
    double floating;
    const char* text;
  } value;

  Text text() const {
    enum Type : unsigned { integer = 2, unsigned_integer = 3, string = 4, floating = 6, boolean = 7 };
    switch (type_and_size & 0xff) {
      case integer:
      case unsigned_integer:
        return Text(static_cast<long>(value.number));
      case string:
        return {value.text, type_and_size >> 32};
      case floating:
        return Text(value.floating);
      case boolean:
        return {(value.number & 0xff) != 0 ? "true" : "false", longest_text};
      default:
        return {"value", longest_text};
    }
  }
};

/// The key of a cali::Annotation. Nothing tells it, and many are made before the first MPI call: it is read in the
/// object, where it has been since 2017, if what is found there looks as a text must.
class AnnotationKey {
 public:
  /// `object`: a cali::Annotation or its Guard.
  explicit AnnotationKey(const void* object) {
    struct Inner {
      void* attribute;
      const char* text;
      std::size_t length;
      char small[16];
    };
    const auto* const inner = *static_cast<const Inner* const*>(object);
    const std::size_t length = inner->length;
    if (length == 0 || length > longest_text) return;
    const bool is_inside = inner->text == inner->small;
    if (is_inside != (length < sizeof inner->small)) return;
    if (is_inside) std::memcpy(text_, inner->text, length + 1);
    else if (!read(inner->text, length + 1)) return;
    is_known_ = text_[length] == '\0' && std::strlen(text_) == length;
  }

  /// Where it is not known, its value alone would say too little.
  const char* get() const { return is_known_ ? text_ : "annotation#"; }

 private:
  /// Not every pointer leads somewhere.
  bool read(const char* from, std::size_t size) {
    iovec here{text_, size};
    iovec there{const_cast<char*>(from), size};
    return process_vm_readv(getpid(), &here, 1, &there, 1, 0) == static_cast<ssize_t>(size);
  }

  char text_[longest_text + 1];
  bool is_known_ = false;
};

// clang-format off
#define CAIRN_HEARD_OF_CALIPER(X) \
  X(cali_begin_region, (const char* name), (name), begin_region(name)) \
  X(cali_end_region, (const char* name), (name), end_region(name)) \
  X(cali_begin_phase, (const char* name), (name), begin_region(name)) \
  X(cali_end_phase, (const char* name), (name), end_region(name)) \
  X(cali_begin_comm_region, (const char* name), (name), begin_region(name)) \
  X(cali_end_comm_region, (const char* name), (name), end_region(name)) \
  X(cali_begin_byname, (const char* key), (key), begin_value(key, "true")) \
  X(cali_begin_string_byname, (const char* key, const char* value), (key, value), begin_value(key, value)) \
  X(cali_begin_int_byname, (const char* key, int value), (key, value), begin_value(key, Text(long{value}).text)) \
  X(cali_begin_double_byname, (const char* key, double value), (key, value), begin_value(key, Text(value).text)) \
  X(cali_set_string_byname, (const char* key, const char* value), (key, value), set_value(key, value)) \
  X(cali_set_int_byname, (const char* key, int value), (key, value), set_value(key, Text(long{value}).text)) \
  X(cali_set_double_byname, (const char* key, double value), (key, value), set_value(key, Text(value).text)) \
  X(cali_end_byname, (const char* key), (key), end_value(key)) \
  X(cali_begin, (std::uint64_t id), (id), begin_value(key_of(id), "true")) \
  X(cali_begin_string, (std::uint64_t id, const char* value), (id, value), begin_value(key_of(id), value)) \
  X(cali_begin_int, (std::uint64_t id, int value), (id, value), begin_value(key_of(id), Text(long{value}).text)) \
  X(cali_begin_double, (std::uint64_t id, double value), (id, value), begin_value(key_of(id), Text(value).text)) \
  X(cali_set_string, (std::uint64_t id, const char* value), (id, value), set_value(key_of(id), value)) \
  X(cali_set_int, (std::uint64_t id, int value), (id, value), set_value(key_of(id), Text(long{value}).text)) \
  X(cali_set_double, (std::uint64_t id, double value), (id, value), set_value(key_of(id), Text(value).text)) \
  X(cali_end, (std::uint64_t id), (id), end_value(key_of(id))) \
  X(cali_safe_end_string, (std::uint64_t id, const char* value), (id, value), end_value(key_of(id))) \
  /* cali::Function, ScopeAnnotation */ \
  X(_ZN4cali8FunctionC1EPKc, (void* self, const char* name), (self, name), begin_region(name, self)) \
  X(_ZN4cali8FunctionD1Ev, (void* self), (self), end_region_of(self)) \
  X(_ZN4cali15ScopeAnnotationC1EPKc, (void* self, const char* name), (self, name), begin_region(name, self)) \
  X(_ZN4cali15ScopeAnnotationD1Ev, (void* self), (self), end_region_of(self)) \
  /* Loop(const char*), Loop::Iteration(const Impl*, int) and the ends; the first word of a loop is where it is kept */ \
  X(_ZN4cali4Loop9IterationC1EPKNS0_4ImplEi, (void* self, void* loop, int number), (self, loop, number), begin_region("iteration", self)) \
  X(_ZN4cali4Loop9IterationD1Ev, (void* self), (self), end_region_of(self)) \
  X(_ZN4cali4Loop3endEv, (void** self), (self), end_region_of(*self)) \
  /* Annotation::begin(), (int), (double), (const char*), (type, void*, size), (const Variant&); set; end; ~Guard() */ \
  X(_ZN4cali10Annotation5beginEv, (void* self), (self), begin_value(AnnotationKey(self).get(), "true")) \
  X(_ZN4cali10Annotation5beginEi, (void* self, int value), (self, value), begin_value(AnnotationKey(self).get(), Text(long{value}).text)) \
  X(_ZN4cali10Annotation5beginEd, (void* self, double value), (self, value), begin_value(AnnotationKey(self).get(), Text(value).text)) \
  X(_ZN4cali10Annotation5beginEPKc, (void* self, const char* value), (self, value), begin_value(AnnotationKey(self).get(), value)) \
  X(_ZN4cali10Annotation5beginERKNS_7VariantE, (void* self, const Variant* value), (self, value), begin_value(AnnotationKey(self).get(), value->text().text)) \
  X(_ZN4cali10Annotation3setEi, (void* self, int value), (self, value), set_value(AnnotationKey(self).get(), Text(long{value}).text)) \
  X(_ZN4cali10Annotation3setEd, (void* self, double value), (self, value), set_value(AnnotationKey(self).get(), Text(value).text)) \
  X(_ZN4cali10Annotation3setEPKc, (void* self, const char* value), (self, value), set_value(AnnotationKey(self).get(), value)) \
  X(_ZN4cali10Annotation3setERKNS_7VariantE, (void* self, const Variant* value), (self, value), set_value(AnnotationKey(self).get(), value->text().text)) \
  X(_ZN4cali10Annotation3endEv, (void* self), (self), end_value(AnnotationKey(self).get())) \
  X(_ZN4cali10Annotation5GuardD1Ev, (void* self), (self), end_value(AnnotationKey(self).get()))
// clang-format on

CAIRN_HEARD_OF_CALIPER(CAIRN_HEARD_DEFINE)

/// Loop(const char*): where the loop is kept is known when it is made.
std::atomic<void*> real_make_loop{nullptr};
void on_make_loop(void** self, const char* name) {
  const bool heard = !WithinAnnotation::is_here();
  {
    const WithinAnnotation within;
    reinterpret_cast<void (*)(void**, const char*)>(real_make_loop.load())(self, name);
  }
  if (heard) begin_region(name, *self);
}

const HeardFunction functions_of_caliper[] = {
    CAIRN_HEARD_OF_CALIPER(CAIRN_HEARD_ROW)  //
    {"_ZN4cali4LoopC1EPKc", reinterpret_cast<void*>(on_make_loop), &real_make_loop},
    {"cali_attribute_name", nullptr, &real_cali_attribute_name},
};

}  // namespace

std::span<const HeardFunction> caliper_functions() { return functions_of_caliper; }

}  // namespace cairn
