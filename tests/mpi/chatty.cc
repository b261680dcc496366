// SPDX-License-Identifier: BSD-3-Clause
// chatty.cc - a tool that sends for itself whenever the program broadcasts: 8 bytes to all.

#include <mpi.h>

#include "cairn/kit.hpp"

struct Chatty {
  static constexpr std::string_view about = "sends for itself";
  explicit Chatty(cairn::Self /*self*/) {}

  int on(cairn::Call<cairn::Function::MPI_Bcast_>& call) {
    const int result = call.proceed();
    const cairn::OwnWork own;
    double mine = 1;
    double sum = 0;
    PMPI_Allreduce(&mine, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    return result;
  }
};
CAIRN_TOOL(Chatty)
