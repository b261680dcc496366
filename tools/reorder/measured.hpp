// SPDX-License-Identifier: BSD-3-Clause
// measured.hpp - what this process has sent to each other one so far, if the tool `comm` is in the stack
#pragma once

#include <mpi.h>

#include <array>
#include <cstddef>
#include <vector>

namespace reorder {

class Measured {
 public:
  /// When MPI_Init has returned: the variables are bound to MPI_COMM_WORLD. Initializes MPI_T.
  void begin();

  /// Bytes to each of some processes of the job; empty if nothing is measured.
  std::vector<double> bytes(const std::vector<int>& processes) const;

 private:
  static constexpr std::array<const char*, 4> names = {"comm_p2p_bytes", "comm_osc_put_bytes", "comm_osc_get_bytes",
                                                       "comm_coll_bytes"};
  std::vector<double> by_process() const;

  MPI_T_pvar_session session_ = MPI_T_PVAR_SESSION_NULL;
  std::vector<MPI_T_pvar_handle> handles_;
  int processes_ = 0;
};

}  // namespace reorder
