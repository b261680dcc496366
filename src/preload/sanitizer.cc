// SPDX-License-Identifier: BSD-3-Clause
// sanitizer.cc - programs built with -fsanitize=address start though libcairn.so is preloaded.
//
// The address sanitizer's runtime refuses to start where another library stands before it in the process, for fear that
// it wraps what the runtime wraps. All that libcairn.so wraps besides MPI is dlopen and dlsym, and it goes on to the
// runtime's. So it answers the runtime's question for default options. A program that answers the question itself is
// asked first; for that one, `cairn run` says the same in ASAN_OPTIONS.

#include "base/sanitizer_options.hpp"

extern "C" __attribute__((visibility("default"))) const char* __asan_default_options() {
  return cairn::sanitizer_options;
}
