// SPDX-License-Identifier: BSD-3-Clause
// back.c - the helper library: keeps the counters and makes the PMPI calls.

#define TOOL "back"
#include "back.h"
#include "counts.h"

#define BACK(name, parameters, arguments) \
  int back_##name parameters {            \
    count_call(number_of_##name);         \
    return PMPI_##name arguments;         \
  }
FUNCTIONS(BACK)

int back_Finalize(const char *tool) {
  int rank = -1;
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  report_counts(tool, rank);
  return PMPI_Finalize();
}
