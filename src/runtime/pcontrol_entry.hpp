// SPDX-License-Identifier: BSD-3-Clause
// pcontrol_entry.hpp - where the program's calls of MPI_Pcontrol come by on their way (pcontrol.S of each processor)
#pragma once

extern "C" {
/// Stands for MPI_Pcontrol: all arguments are handed on, whatever their number.
void cairn_pcontrol_entry();

/// Where the calls would go without it: the stack. Read and written atomically.
extern void* cairn_pcontrol_next;

/// The entry asks where to jump; `more`: the argument behind the level, if there is one.
void* cairn_pcontrol_heard(int level, const char* more);
}
