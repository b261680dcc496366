// SPDX-License-Identifier: BSD-3-Clause
// handler_stack.hpp - a stack for signal handlers, for when the ordinary one is used up
#pragma once

namespace cairn {

/// Gives the calling thread one, unless it has one or memory is out. It is never taken back.
void use_handler_stack();

/// Whether a handler that wants no stack of its own could have run where the signal came: false if the handler that
/// asks is on a stack for handlers because the thread's own is used up.
bool fits_on_interrupted_stack(const void* context);

}  // namespace cairn
