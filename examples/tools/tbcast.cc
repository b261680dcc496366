// SPDX-License-Identifier: BSD-3-Clause
// tbcast.cc - MPI_Bcast made of messages from the root to every other rank: a tool that replaces a function
//
// The layers below see sends and receives, and no broadcast. Messages carry a tag of their own on the program's
// communicator, so a program that receives with MPI_ANY_TAG while it broadcasts could meet them; a tool for daily use
// would send on a duplicate.

#include <mpi.h>

#include "cairn/kit.hpp"

struct Tbcast {
  static constexpr std::string_view about = "broadcasts by sends and receives";
  explicit Tbcast(cairn::Self) {}

  int on(cairn::Call<cairn::Function::MPI_Bcast_>& call) {
    constexpr int tag = 4711;
    auto& [buffer, count, type, root, comm] = call.arguments();
    int between_groups = 0;
    PMPI_Comm_test_inter(comm, &between_groups);
    if (between_groups != 0) return call.proceed();
    int rank = 0;
    int size = 0;
    PMPI_Comm_rank(comm, &rank);
    PMPI_Comm_size(comm, &size);
    if (root < 0 || root >= size) return call.proceed();  // the MPI library has the words for it
    if (rank != root) return PMPI_Recv(buffer, count, type, root, tag, comm, MPI_STATUS_IGNORE);
    for (int other = 0; other < size; ++other) {
      if (other == root) continue;
      if (const int error = PMPI_Send(buffer, count, type, other, tag, comm); error != MPI_SUCCESS) return error;
    }
    return MPI_SUCCESS;
  }
};

CAIRN_TOOL(Tbcast)
