// SPDX-License-Identifier: BSD-3-Clause
// run.hpp - the service "cairn.run": what tells one run's files from those of any other
//
// Offered by Cairn itself to every tool. A file in the run's folder says "run": "IDENTITY", so that `cairn report` can
// leave out what an earlier run left there. cairn/kit/run_identity.hpp asks for it.
#pragma once

#include <cstdint>

namespace cairn {

struct Run {
  static constexpr const char* service = "cairn.run";
  static constexpr std::uint32_t version = 1;

  /// The same on all ranks from MPI_Init on, digits and letters; "" where ranks cannot agree. Stays valid until
  /// MPI_Init.
  const char* (*identity)();
};

}  // namespace cairn
