// SPDX-License-Identifier: BSD-3-Clause
// noting.hpp - code in front of the program's MPI calls, without their signatures (ARCH/noting.S): each entry notes where
// the call returns to and which function it is, and goes on through cairn_noted_next.
#pragma once

#include <cstddef>

extern "C" {

extern const char cairn_noting_entries[];
extern void* cairn_noted_next[];
/// Where the two notes are, from the thread pointer on (contracts/preload.hpp).
extern std::ptrdiff_t cairn_noted_place;

}  // extern "C"

namespace cairn {

inline void* noting_entry(std::size_t function) { return const_cast<char*>(cairn_noting_entries) + 16 * function; }

}  // namespace cairn
