// SPDX-License-Identifier: BSD-3-Clause
// hooks.hpp - what libcairn.so asks of the runtime after the start: about dlopen, dlsym and the MPI library's glue.
#pragma once

#include "contracts/preload.hpp"

namespace cairn {

/// From here on libcairn.so asks, for any thread. The runtime is there.
void set_hooks(const Preload& preload);

/// Where a call of MPI_Pcontrol with that level goes in place of the stack; null: nowhere (pcontrol_delivery.cc).
void* pcontrol_delivery(int level);

}  // namespace cairn
