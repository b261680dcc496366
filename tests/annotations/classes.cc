// SPDX-License-Identifier: BSD-3-Clause
// classes.cc - the stand-in's functions: say what they are called with, and call each other as Caliper's do.

#include "classes.hpp"

#include <cstdio>
#include <string>

namespace cali {

Function::Function(const char* name) { std::printf("function %s\n", name); }
Function::~Function() { std::printf("end function\n"); }
ScopeAnnotation::ScopeAnnotation(const char* name) { std::printf("scope %s\n", name); }
ScopeAnnotation::~ScopeAnnotation() { std::printf("end scope\n"); }

struct Loop::Impl {
  void* attribute = nullptr;
  int open = 1;
  int uses = 1;
};

Loop::Iteration::Iteration(const Impl* loop, int number) : inner_(loop) { std::printf("iteration %d\n", number); }
Loop::Iteration::~Iteration() { std::printf("end iteration %d\n", inner_->open); }
Loop::Loop(const char* name) : inner_(new Impl) { std::printf("loop %s\n", name); }
Loop::Loop(const Loop& other) : inner_(other.inner_) { ++inner_->uses; }
Loop::~Loop() {
  if (--inner_->uses != 0) return;
  end();
  delete inner_;
}
Loop::Iteration Loop::iteration(int number) const { return Iteration(inner_, number); }
void Loop::end() {
  if (inner_->open > 0) std::printf("end loop\n");
  inner_->open = 0;
}

struct Annotation::Impl {
  void* attribute = nullptr;
  std::string name;
};

Annotation::Guard::Guard(Annotation& of) : inner_(of.inner_) {}
Annotation::Guard::~Guard() { std::printf("end of guard %s\n", inner_->name.c_str()); }
Annotation::Annotation(const char* name, int /*properties*/) : inner_(new Impl{nullptr, name}) {}
Annotation::~Annotation() { delete inner_; }
Annotation& Annotation::begin() { return begin(Variant(true)); }
Annotation& Annotation::begin(int value) { return begin(Variant(value)); }
Annotation& Annotation::begin(double value) { return begin(Variant(value)); }
Annotation& Annotation::begin(const Variant& value) {
  std::printf("begin %s of type %u\n", inner_->name.c_str(), value.type());
  return *this;
}
Annotation& Annotation::set(int value) { return set(Variant(value)); }
Annotation& Annotation::set(double value) { return set(Variant(value)); }
Annotation& Annotation::set(const char* value) { return set(Variant(value)); }
Annotation& Annotation::set(const Variant& value) {
  std::printf("set %s of type %u\n", inner_->name.c_str(), value.type());
  return *this;
}
void Annotation::end() { std::printf("end %s\n", inner_->name.c_str()); }

}  // namespace cali
