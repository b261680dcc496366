/* SPDX-License-Identifier: BSD-3-Clause */
/* guards.hpp - telling a library's calls for the program from its calls for itself, by the return address. */
/*
 * MPI_Allgatherv of the Fortran glue calls PMPI_Comm_size to know how long its arrays are; MPI_Comm_size of the same
 * glue calls it because the program does. Both use one import. It is pointed at a guard, which sends a call from within
 * the glue's own MPI_Comm_size, or from outside of the glue (a jump at a function's end), to the stack, and any other
 * to the MPI library. The layout below is shared with guards.S.
 */
#pragma once

#define CAIRN_GUARDS 64
#define CAIRN_GUARD_RANGES 4
#define CAIRN_GUARD_PROGRAM 0
#define CAIRN_GUARD_ITSELF 8
#define CAIRN_GUARD_OBJECT 16
#define CAIRN_GUARD_RANGE_0 32
#define CAIRN_GUARD_SIZE 128

#ifndef __ASSEMBLER__
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "loader/loaded_object.hpp"

namespace cairn {

struct Guard {
  struct Range {
    std::uintptr_t begin;
    std::uintptr_t size;
  };
  void* program;  // where the program's calls go
  void* itself;   // where the object's own go
  Range object;
  Range ranges[CAIRN_GUARD_RANGES];  // functions whose calls are the program's
  char padding[CAIRN_GUARD_SIZE - CAIRN_GUARD_RANGE_0 - CAIRN_GUARD_RANGES * sizeof(Range)];
};
static_assert(offsetof(Guard, itself) == CAIRN_GUARD_ITSELF && offsetof(Guard, object) == CAIRN_GUARD_OBJECT);
static_assert(offsetof(Guard, ranges) == CAIRN_GUARD_RANGE_0 && sizeof(Guard) == CAIRN_GUARD_SIZE);

/// An entry for the import of `function` ("MPI_Comm_size") by `glue`. When the guards are used up, or the glue has no
/// function for it, every call is taken as the program's. Not thread-safe; entries live until the process ends.
void* make_guard(const LoadedObject& glue, std::string_view function, void* program, void* itself);

/// Whether a symbol of some Fortran glue, such as "mpi_comm_size_" or "ompi_comm_size_f", is the binding of `function`.
bool is_fortran_binding(std::string_view symbol, std::string_view function);

}  // namespace cairn
#endif
