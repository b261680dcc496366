// SPDX-License-Identifier: BSD-3-Clause
// object_address.hpp - what a program passes for the object that a handle is bound to: its address, as MPI_T wants it
//
// Programs in print pass MPI_COMM_WORLD itself. Libraries take its value for an address and crash; as no handle lies at
// an address that is the value of another, it is clear which is meant.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <type_traits>

namespace cairn::engine {

template <class Handle>
void* value_as_address(Handle handle) {
  if constexpr (std::is_pointer_v<Handle>) return handle;
  else return reinterpret_cast<void*>(static_cast<std::intptr_t>(handle));
}

/// The address of the handle that `passed` is the value of, else `passed`.
inline void* address_of_object(void* passed) {
  static MPI_Comm world = MPI_COMM_WORLD;
  static MPI_Comm self = MPI_COMM_SELF;
  if (passed == value_as_address(MPI_COMM_WORLD)) return &world;
  if (passed == value_as_address(MPI_COMM_SELF)) return &self;
  return passed;
}

}  // namespace cairn::engine
