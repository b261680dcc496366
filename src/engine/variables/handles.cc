// SPDX-License-Identifier: BSD-3-Clause
// handles.cc - room for own handles: addresses are reserved at the first, memory is used as they come.

#include "variables/handles.hpp"

#include <sys/mman.h>

/// From a sanitizer's runtime, if the program has one: objects that only these pointers reach are not leaks.
extern "C" __attribute__((weak)) void __lsan_register_root_region(const void* begin, std::size_t size);

namespace cairn::engine {

Handles::Place* Handles::take() {
  if (free_ != nullptr) return std::exchange(free_, free_->next);
  if (used_ == 0) {
    void* const room =
        mmap(nullptr, slots * slot_size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (room == MAP_FAILED) return nullptr;
    if (__lsan_register_root_region != nullptr) __lsan_register_root_region(room, slots * slot_size);
    begin_.store(reinterpret_cast<std::uintptr_t>(room), std::memory_order_relaxed);
  }
  return used_ < slots ? &at(used_++) : nullptr;
}

}  // namespace cairn::engine
