// SPDX-License-Identifier: BSD-3-Clause
// stack_service.hpp - the service "cairn.stack" (include/cairn/stack.h).
#pragma once

#include <vector>

#include "cairn/stack.h"
#include "request/request.hpp"
#include "stack/stack.hpp"

namespace cairn {

/// The functions of the service, for the one stack of the process; both arguments outlive all calls.
const cairn_stack& make_stack_service(Stack& stack, const std::vector<LayerRequest>& requests);

}  // namespace cairn
