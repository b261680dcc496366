// SPDX-License-Identifier: BSD-3-Clause
// aborts.hpp - an MPI library that is about to have its launcher end the job
//
// For an error that is fatal, libraries tell their launcher before they call exit, and the launcher ends all processes, at
// once or a moment later. Open MPI calls PMIx_Abort for it, libraries built for Slurm's PMI call PMI2_Abort or PMI_Abort;
// MPICH itself writes "cmd=abort" to Hydra (PMI, version 1 or 2, by the descriptor in PMI_FD).
#pragma once

namespace cairn {

/// `told` is called before the launcher hears of it; not where the program itself calls such a function. `in_library`: an
/// address in the MPI library. Once MPI has started.
void watch_aborts(const void* in_library, void (*told)());

}  // namespace cairn
