// SPDX-License-Identifier: BSD-3-Clause
// table.c - a tool that calls everything through tables of function pointers in its data.
//
// STORAGE: empty for writable data, const for data that is read-only after relocation. Its MPI_Barrier also calls
// MPI_Comm_size, which it does not wrap, and MPI_Comm_rank, which it does, by pointers to MPI_X.

#define TOOL "table"
#define BELOW(name) below.name
#include "counts.h"

#define POINTER(name, parameters, arguments) int(*name) parameters;
#define SHIFTED_ADDRESS(name, parameters, arguments) .name = PMPI_##name,
#define ADDRESS(name, parameters, arguments) .name = MPI_##name,

struct Table {
  FUNCTIONS(POINTER)
  int (*Finalize)(void);
};

// Not static: else the compiler would see that nothing changes them and call the functions directly.
STORAGE struct Table below = {FUNCTIONS(SHIFTED_ADDRESS).Finalize = PMPI_Finalize};
STORAGE struct Table by_name = {FUNCTIONS(ADDRESS).Finalize = MPI_Finalize};

SEND(COUNTING_WRAPPER)
RECV(COUNTING_WRAPPER)
BCAST(COUNTING_WRAPPER)
COMM_RANK(COUNTING_WRAPPER)
OTHER_FUNCTIONS(COUNTING_WRAPPER)
REPORTING_FINALIZE

int MPI_Barrier(MPI_Comm comm) {
  int number = 0;
  count_call(number_of_Barrier);
  by_name.Comm_size(comm, &number);
  by_name.Comm_rank(comm, &number);
  return below.Barrier(comm);
}
