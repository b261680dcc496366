// SPDX-License-Identifier: BSD-3-Clause
// counts.h - counters of a test's tool and its line at MPI_Finalize: "TOOL RANK MPI_Send=10 MPI_Recv=10".
//
// A tool defines TOOL, its name as a string, and picks wrappers. It may define BELOW(name), the way to the function
// under it; the ordinary way is PMPI_X. Finding its rank for the line costs one call of MPI_Comm_rank.
#ifndef COUNTS_H
#define COUNTS_H

#include "functions.h"
#include "say.h"

#ifndef BELOW
#define BELOW(name) PMPI_##name
#endif

#define EXPORTED __attribute__((visibility("default")))

#define FUNCTION_NUMBER(name, parameters, arguments) number_of_##name,
enum { FUNCTIONS(FUNCTION_NUMBER) function_count };

static unsigned long seen[function_count];

static inline void count_call(int function) { __atomic_fetch_add(&seen[function], 1, __ATOMIC_RELAXED); }

static inline void report_counts(const char *tool, int rank) {
#define FUNCTION_NAME(name, parameters, arguments) "MPI_" #name,
  static const char *const names[] = {FUNCTIONS(FUNCTION_NAME)};
#undef FUNCTION_NAME
  char text[1000] = "";
  int length = 0;
  for (int i = 0; i < function_count; ++i)
    if (seen[i] != 0) length += snprintf(text + length, sizeof text - (size_t)length, " %s=%lu", names[i], seen[i]);
  say("%s %d%s", tool, rank, text);
}

#define COUNTING_WRAPPER(name, parameters, arguments) \
  EXPORTED int MPI_##name parameters {                \
    count_call(number_of_##name);                     \
    return BELOW(name) arguments;                     \
  }

#define REPORTING_FINALIZE                   \
  EXPORTED int MPI_Finalize(void) {          \
    int rank = -1;                           \
    BELOW(Comm_rank)(MPI_COMM_WORLD, &rank); \
    report_counts(TOOL, rank);               \
    return BELOW(Finalize)();                \
  }

#endif
