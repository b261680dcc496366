// SPDX-License-Identifier: BSD-3-Clause
// chatty.cc - a tool that sends for itself whenever the program broadcasts or meets in a barrier: 8 bytes to all.

#include <mpi.h>

#include "cairn/kit.hpp"

using cairn::Function;

struct Chatty {
  static constexpr std::string_view about = "sends for itself";
  explicit Chatty(cairn::Self /*self*/) {}

  template <Function F>
  requires(F == Function::MPI_Bcast_ || F == Function::MPI_Barrier_) int on(cairn::Call<F>& call) {
    const int result = call.proceed();
    const cairn::OwnWork own;
    double mine = 1;
    double sum = 0;
    PMPI_Allreduce(&mine, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    return result;
  }
};
CAIRN_TOOL(Chatty)
