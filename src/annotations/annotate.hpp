// SPDX-License-Identifier: BSD-3-Clause
// annotate.hpp - libcairn-annotations.so to libcairn.so, which may not be there: a child of the program has no Cairn.
#pragma once

#include <dlfcn.h>

namespace cairn {

/// Begins a region, or ends one; null: the innermost.
inline void annotate(bool begins, const char* name) {
  static auto* const heard = reinterpret_cast<void (*)(int, const char*)>(dlsym(RTLD_DEFAULT, "cairn_annotate"));
  if (heard != nullptr) heard(begins ? 1 : 0, name);
}

}  // namespace cairn
