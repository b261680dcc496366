// SPDX-License-Identifier: BSD-3-Clause
// kokkos.cc - regions and kernels of Kokkos, which loads libcairn-annotations.so as a tool (KOKKOS_TOOLS_LIBS).

#include <cstdint>

#include "annotations/annotate.hpp"

#pragma GCC visibility push(default)

namespace {

/// Kernels of one thread end in the reverse order of their beginnings.
void begin_kernel(const char* name, std::uint64_t* id) {
  *id = 0;
  cairn::annotate(true, name);
}

void end_kernel() { cairn::annotate(false, nullptr); }

}  // namespace

extern "C" {

/// The first of Kokkos's settings is whether it waits for the device around each kernel: that would change the program.
void kokkosp_request_tool_settings(std::uint32_t /*actions*/, bool* settings) { *settings = false; }

void kokkosp_push_profile_region(const char* name) { cairn::annotate(true, name); }
void kokkosp_pop_profile_region() { cairn::annotate(false, nullptr); }

void kokkosp_begin_parallel_for(const char* name, std::uint32_t /*device*/, std::uint64_t* id) {
  begin_kernel(name, id);
}
void kokkosp_end_parallel_for(std::uint64_t /*id*/) { end_kernel(); }
void kokkosp_begin_parallel_reduce(const char* name, std::uint32_t /*device*/, std::uint64_t* id) {
  begin_kernel(name, id);
}
void kokkosp_end_parallel_reduce(std::uint64_t /*id*/) { end_kernel(); }
void kokkosp_begin_parallel_scan(const char* name, std::uint32_t /*device*/, std::uint64_t* id) {
  begin_kernel(name, id);
}
void kokkosp_end_parallel_scan(std::uint64_t /*id*/) { end_kernel(); }

}  // extern "C"
