/* SPDX-License-Identifier: BSD-3-Clause */
/* solver.h - what both solvers do around their solving: PROGRAM [SIZE [STEPS]] prints one line of JSON on rank 0.
 *
 * app_s is main from the beginning to the end, mpi_s what lies between MPI_Init and MPI_Finalize, as in the thesis. */
#pragma once

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#include "clock.h"

static int rank, ranks; /* for solve() to ask */

/* What is left of the error. A function of its own, so that callgrind can count what lies between MPI_Init and MPI_Finalize. */
__attribute__((noinline)) double solve(int size, int steps);

static int run_solver(int argc, char **argv, int size, int steps) {
  const double begin = now_ns();
  if (argc > 1) size = atoi(argv[1]);
  if (argc > 2) steps = atoi(argv[2]);
  MPI_Init(&argc, &argv);
  const double ready = now_ns();
  const double left = solve(size, steps);
  const double done = now_ns();
  MPI_Finalize();
  if (rank == 0)
    printf("{\"app_s\": %.6f, \"mpi_s\": %.6f, \"left\": %.3g}\n", (now_ns() - begin) * 1e-9, (done - ready) * 1e-9,
           left);
  return left < 1 ? 0 : 1;
}
