// SPDX-License-Identifier: BSD-3-Clause
// in_turn.c - what tools cost a stencil, measured within one run: in_turn BLOCKS STEPS
//
// Each rank has 512 x 512 points and two neighbors; every tenth step has an MPI_Allreduce. Blocks of so many steps call MPI functions by their MPI_ names,
// which are the tools', and by their PMPI_ names, which are not, in turn. Rank 0 prints the seconds that each block took; in_turn.py compares them.

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { POINTS = 512 };

typedef struct {
  int (*exchange)(const void *, int, MPI_Datatype, int, int, void *, int, MPI_Datatype, int, int, MPI_Comm,
                  MPI_Status *);
  int (*sum)(const void *, void *, int, MPI_Datatype, MPI_Op, MPI_Comm);
} Calls;

static const Calls with_tools = {MPI_Sendrecv, MPI_Allreduce};
static const Calls without_tools = {PMPI_Sendrecv, PMPI_Allreduce};

// Four in eight, so that neither kind profits where the machine becomes faster or slower.
static int by_tools(int block) { return (0x69 >> (block % 8)) & 1; }

static double relax(const double *from, double *to) {
  double change = 0;
  for (int row = 1; row <= POINTS; row++)
    for (int i = 1; i < POINTS - 1; i++) {
      const double *at = from + row * POINTS + i;
      const double next = 0.25 * (at[-POINTS] + at[POINTS] + at[-1] + at[1]);
      change += next - *at;
      to[row * POINTS + i] = next;
    }
  return change;
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  int rank, ranks;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const int blocks = argc > 1 ? atoi(argv[1]) : 0, steps = argc > 2 ? atoi(argv[2]) : 0;
  double *seconds = calloc(blocks + 1, sizeof *seconds);
  double *from = calloc((POINTS + 2) * POINTS, sizeof *from), *to = calloc((POINTS + 2) * POINTS, sizeof *to);
  if (blocks < 1 || steps < 1 || !seconds || !from || !to) MPI_Abort(MPI_COMM_WORLD, 2);
  for (int i = 0; i < (POINTS + 2) * POINTS; i++) from[i] = i % 7;
  const int up = rank > 0 ? rank - 1 : MPI_PROC_NULL, down = rank + 1 < ranks ? rank + 1 : MPI_PROC_NULL;
  for (int block = 0; block < blocks; block++) {
    const Calls calls = by_tools(block) ? with_tools : without_tools;
    PMPI_Barrier(MPI_COMM_WORLD);
    const double began = PMPI_Wtime();
    for (int step = 0; step < steps; step++) {
      calls.exchange(from + POINTS, POINTS, MPI_DOUBLE, up, 0, from + (POINTS + 1) * POINTS, POINTS, MPI_DOUBLE, down,
                     0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      calls.exchange(from + POINTS * POINTS, POINTS, MPI_DOUBLE, down, 1, from, POINTS, MPI_DOUBLE, up, 1,
                     MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      double change = relax(from, to), sum;
      double *was = from;
      from = to, to = was;
      if (step % 10 == 0) calls.sum(&change, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    }
    PMPI_Barrier(MPI_COMM_WORLD);
    seconds[block] = PMPI_Wtime() - began;
  }
  if (rank == 0) {
    printf("{\"seconds\": [");
    for (int block = 0; block < blocks; block++)
      printf("%s[%d, %.9f]", block ? ", " : "", by_tools(block), seconds[block]);
    printf("]}\n");
  }
  MPI_Finalize();
  return 0;
}
