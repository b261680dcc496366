// SPDX-License-Identifier: BSD-3-Clause
// services.hpp - the services that Cairn itself offers to every tool (include/cairn/services/, include/cairn/stack.h).
#pragma once

#include <cstddef>

#include "cairn/stack.h"
#include "contracts/job_host.h"
#include "runtime/runtime.hpp"

namespace cairn {

/// All of them, below all layers. The runtime is there.
void offer_services(Runtime& runtime);

/// "cairn.thread_slots"; the first slot is the one that stays null.
std::ptrdiff_t take_thread_slot();

/// "cairn.stack" (stack_service.cc).
const cairn_stack& stack_service();

/// "cairn.job_host", by which the engine tells what the ranks have agreed on (job_host_service.cc).
const cairn_job_host& job_host_service();

}  // namespace cairn
