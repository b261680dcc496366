// SPDX-License-Identifier: BSD-3-Clause
// aborts.hpp - an MPI library that is about to have its launcher end the job
//
// For an error that is fatal, libraries tell their launcher before they call exit, and the launcher ends all processes, at
// once or a moment later. Open MPI calls PMIx_Abort for it, libraries built for Slurm's PMI call PMI2_Abort or PMI_Abort;
// MPICH itself writes "cmd=abort" to Hydra (PMI, version 1 or 2, by the descriptor in PMI_FD). Not seen: the PMIx that
// Open MPI 4 can be built with in place of the system's, which has other names.
#pragma once

namespace cairn {

/// `told` is called before the launcher hears of it; not where the program itself calls such a function. Once MPI has
/// started; again where it starts anew (MPI_Session_init), with components that it opens then.
void watch_aborts(void (*told)());

}  // namespace cairn
