// SPDX-License-Identifier: BSD-3-Clause
// run.hpp - the service "cairn.run": the identity of the run, and where it runs
//
// Offered by Cairn itself to every tool. Files in the run's folder contain "run": "IDENTITY", so that `cairn report`
// can ignore files of an earlier run. kit/run_identity.hpp is the C++ interface.
#pragma once

#include <cstdint>

namespace cairn {

struct Run {
  static constexpr const char* service = "cairn.run";
  static constexpr std::uint32_t version = 3;

  /// Letters and digits, the same on all ranks once MPI has started; "" if the ranks could not agree. Valid until
  /// MPI starts.
  const char* (*identity)();

  /// The path of its folder, which may not exist yet; the same rules.
  const char* (*folder)();

  /// Which ranks run where, once MPI has started, in lines such as "node7 0-3"; "" if all are on one node.
  const char* (*nodes)();
};

}  // namespace cairn
