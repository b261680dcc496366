// SPDX-License-Identifier: BSD-3-Clause
// pnmpi_functions.hpp - PnMPI's functions for layers that call them, over the one runtime there is.
#pragma once

#include "runtime/runtime.hpp"

namespace cairn {

/// Before the first module that calls PnMPI is loaded, and any other.
void expect_pnmpi_module(Runtime& runtime);

/// Gives a layer that has been loaded its PnMPI. Throws Problem.
void link_to_pnmpi(Runtime& runtime, const Layer& layer);

/// All layers are there, and the program's calls do not come yet: does what modules need of the stack, and runs their
/// hooks.
void begin_pnmpi(Runtime& runtime);

}  // namespace cairn
