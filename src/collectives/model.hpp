// SPDX-License-Identifier: BSD-3-Clause
// model.hpp - which messages MPI libraries make of a collective call: a model, for what cannot be seen from outside
//
// Algorithms and the sizes from which they are used are those of MPICH 4.0.2 for commutative operations and without
// regard to nodes; its control variables MPIR_CVAR_..._MSG_SIZE name the sizes.
#pragma once

#include <cstdint>
#include <functional>

#include "formats/comm_operation.hpp"

namespace cairn::collectives {

using formats::comm::Operation;

/// Calls of one sort and about one size in a communicator.
struct ModelledCalls {
  Operation what;
  int processes;
  std::uint64_t calls;
  std::uint64_t bytes;  // of all calls; of each what goes to or comes from one partner
};

/// `send(to, messages, bytes)` is called with what the process `own` sends; a partner may come more than once.
using Send = std::function<void(int to, std::uint64_t messages, std::uint64_t bytes)>;
void model(const ModelledCalls& calls, int root, int own, const Send& send);

}  // namespace cairn::collectives
