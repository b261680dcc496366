// SPDX-License-Identifier: BSD-3-Clause
// aborts.hpp - an MPI library that is about to have its launcher end the job
//
// MPICH says "cmd=abort" to Hydra (PMI, version 1 or 2, by the descriptor in PMI_FD) for an error that is fatal, before it
// calls exit; Hydra kills all processes at once then.
#pragma once

namespace cairn {

/// `told` is called before such words leave the library in which that address lies; null: in none. Once MPI has started.
void watch_aborts(const void* in_library, void (*told)());

}  // namespace cairn
