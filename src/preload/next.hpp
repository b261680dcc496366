// SPDX-License-Identifier: BSD-3-Clause
// next.hpp - the C library's own function of a name that libcairn.so defines too
#pragma once

#include <dlfcn.h>

#include <initializer_list>

namespace cairn {

/// By its version, as dlsym itself is one of these names; null if there is none.
template <class Function>
Function* next_versioned(const char* name) {
  for (const char* version : {"GLIBC_2.34", "GLIBC_2.17", "GLIBC_2.2.5"})
    if (void* found = dlvsym(RTLD_NEXT, name, version)) return reinterpret_cast<Function*>(found);
  return nullptr;
}

}  // namespace cairn
