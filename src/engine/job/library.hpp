// SPDX-License-Identifier: BSD-3-Clause
// library.hpp - the MPI library's own functions, for what Cairn sends for itself
//
// A call of PMPI_X in the engine reaches what lies under the stack: a PMPI tool that the program is linked with or that
// the user preloads, if there is one. That tool must see what the program and its tools call, and nothing of Cairn's.
#pragma once

#include <mpi.h>

namespace cairn::engine {

struct Library {
  decltype(&PMPI_Allreduce) Allreduce = nullptr;
  decltype(&PMPI_Bcast) Bcast = nullptr;
  decltype(&PMPI_Comm_create_group) Comm_create_group = nullptr;
  decltype(&PMPI_Comm_free) Comm_free = nullptr;
  decltype(&PMPI_Comm_get_errhandler) Comm_get_errhandler = nullptr;
  decltype(&PMPI_Comm_group) Comm_group = nullptr;
  decltype(&PMPI_Comm_rank) Comm_rank = nullptr;
  decltype(&PMPI_Comm_set_errhandler) Comm_set_errhandler = nullptr;
  decltype(&PMPI_Comm_size) Comm_size = nullptr;
  decltype(&PMPI_Comm_split) Comm_split = nullptr;
  decltype(&PMPI_Comm_split_type) Comm_split_type = nullptr;
  decltype(&PMPI_Errhandler_free) Errhandler_free = nullptr;
  decltype(&PMPI_Group_free) Group_free = nullptr;
  decltype(&PMPI_Group_range_incl) Group_range_incl = nullptr;
  decltype(&PMPI_Recv) Recv = nullptr;
  decltype(&PMPI_Reduce) Reduce = nullptr;
  decltype(&PMPI_Send) Send = nullptr;
};

/// Filled in before MPI is started; never changed afterwards.
inline constinit Library library;

/// `find` gives the MPI library's function of a name such as "MPI_Send".
void fill_library(void* (*find)(const char* name));

}  // namespace cairn::engine
