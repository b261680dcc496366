// SPDX-License-Identifier: BSD-3-Clause
// hooks.hpp - what libcairn.so asks of the runtime after the start: about dlopen, dlsym and the MPI library's glue.
#pragma once

#include "contracts/preload.hpp"

namespace cairn {

/// From here on libcairn.so asks, for any thread. The runtime is there.
void set_hooks(const Preload& preload);

}  // namespace cairn
