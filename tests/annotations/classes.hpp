// SPDX-License-Identifier: BSD-3-Clause
// classes.hpp - stands in for Caliper's classes for C++, as far as programs see them.
#pragma once

#include <cstdint>
#include <cstring>

namespace cali {

class Variant {
 public:
  explicit Variant(bool value) : type_and_size_(7), value_(value ? 1 : 0) {}
  explicit Variant(int value) : type_and_size_(2), value_(static_cast<std::uint64_t>(value)) {}
  explicit Variant(double value) : type_and_size_(6) { std::memcpy(&value_, &value, sizeof value); }
  explicit Variant(const char* text) : type_and_size_(4 | std::uint64_t{std::strlen(text)} << 32) {
    value_ = reinterpret_cast<std::uintptr_t>(text);
  }
  unsigned type() const { return type_and_size_ & 0xff; }

 private:
  std::uint64_t type_and_size_;
  std::uint64_t value_ = 0;
};

class Function {
 public:
  explicit Function(const char* name);
  ~Function();
};

class ScopeAnnotation {
 public:
  explicit ScopeAnnotation(const char* name);
  ~ScopeAnnotation();
};

class Loop {
  struct Impl;
  Impl* inner_;

 public:
  class Iteration {
    const Impl* inner_;

   public:
    Iteration(const Impl* loop, int number);
    ~Iteration();
  };
  explicit Loop(const char* name);
  Loop(const Loop& other);
  ~Loop();
  Iteration iteration(int number) const;
  void end();
};

class Annotation {
  struct Impl;
  Impl* inner_;

 public:
  class Guard {
    Impl* inner_;

   public:
    explicit Guard(Annotation& of);
    ~Guard();
  };
  explicit Annotation(const char* name, int properties = 0);
  ~Annotation();
  Annotation& begin();
  Annotation& begin(int value);
  Annotation& begin(double value);
  Annotation& begin(const char* value) { return begin(Variant(value)); }
  Annotation& begin(const Variant& value);
  Annotation& set(int value);
  Annotation& set(double value);
  Annotation& set(const char* value);
  Annotation& set(const Variant& value);
  void end();
};

}  // namespace cali
