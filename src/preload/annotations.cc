// SPDX-License-Identifier: BSD-3-Clause
// annotations.cc - what libcairn-annotations.so hears of Kokkos and NVTX, on its way to the stack, if there is one.

#include "contracts/preload.hpp"
#include "preload/parts.hpp"

cairn::AnnotationHook* cairn_annotation_hook = nullptr;

/// A region begins, or one ends; null: the innermost.
extern "C" __attribute__((visibility("default"))) void cairn_annotate(int begins, const char* name) {
  if (cairn::AnnotationHook* const hook = __atomic_load_n(&cairn_annotation_hook, __ATOMIC_ACQUIRE))
    hook(begins != 0, name, __builtin_return_address(0));
}
