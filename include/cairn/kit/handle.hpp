// SPDX-License-Identifier: BSD-3-Clause
// handle.hpp - MPI handles as numbers, for tables: pointers in some MPIs, integers in others (MPI-4.1 section 2.5.1)
#pragma once

#include <cstdint>
#include <type_traits>

namespace cairn {

/// Unique among the handles of one kind. A handle that was freed may be reused for another object.
template <class Handle>
std::uint64_t handle_bits(Handle handle) {
  if constexpr (std::is_pointer_v<Handle>) return reinterpret_cast<std::uintptr_t>(handle);
  else return static_cast<std::uint32_t>(handle);
}

/// The inverse.
template <class Handle>
Handle handle_of_bits(std::uint64_t bits) {
  if constexpr (std::is_pointer_v<Handle>) return reinterpret_cast<Handle>(static_cast<std::uintptr_t>(bits));
  else return static_cast<Handle>(bits);
}

}  // namespace cairn
