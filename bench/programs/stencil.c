/* SPDX-License-Identifier: BSD-3-Clause */
/* stencil.c - a step of a 3D stencil: six faces to the other rank and back, seven points, a sum over the ranks; fastest
 * block. */
/* stencil [BLOCKS [STEPS [regions|samples]]], 2 ranks; prints one line of JSON on rank 0. The tool `vars`, if it is
 * there, is switched on for every other block, so that blocks with and without it are of the same minutes of the
 * machine. With `regions` the parts of a step are named for tools, with `samples` the program also asks `vars` to
 * sample where each begins and ends. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cairn/region.h"
#include "clock.h"

enum { edge = 64, faces = 6, face = edge * edge };

static int rank;
static double cells[edge][edge][edge], after[edge][edge][edge];
static double out[faces][face], in[faces][face];

static int regions;
static MPI_T_cvar_handle sample = MPI_T_CVAR_HANDLE_NULL;

static void take_sample(void) {
  const int now = 1;
  if (sample != MPI_T_CVAR_HANDLE_NULL) MPI_T_cvar_write(sample, &now);
}

static void enter(const char *name) {
  if (!regions) return;
  cairn_region_begin(name);
  take_sample();
}

static void leave(const char *name) {
  if (!regions) return;
  take_sample();
  cairn_region_end(name);
}

static void exchange(void) {
  MPI_Request requests[2 * faces];
  MPI_Status statuses[2 * faces];
  for (int i = 0; i < faces; ++i) MPI_Irecv(in[i], face, MPI_DOUBLE, 1 - rank, i, MPI_COMM_WORLD, &requests[i]);
  for (int i = 0; i < faces; ++i)
    MPI_Isend(out[i], face, MPI_DOUBLE, 1 - rank, i, MPI_COMM_WORLD, &requests[faces + i]);
  MPI_Waitall(2 * faces, requests, statuses);
}

static double update(void) {
  double change = 0;
  for (int x = 1; x < edge - 1; ++x)
    for (int y = 1; y < edge - 1; ++y)
      for (int z = 1; z < edge - 1; ++z) {
        const double around = cells[x - 1][y][z] + cells[x + 1][y][z] + cells[x][y - 1][z] + cells[x][y + 1][z] +
                              cells[x][y][z - 1] + cells[x][y][z + 1];
        after[x][y][z] = 0.5 * cells[x][y][z] + around / 12;
        change += after[x][y][z] - cells[x][y][z];
      }
  return change;
}

static void steps(long count) {
  double change, all;
  for (long i = 0; i < count; ++i) {
    enter("exchange");
    exchange();
    leave("exchange");
    for (int k = 0; k < edge; ++k) cells[0][0][k] = in[0][k];
    enter("update");
    change = update();
    leave("update");
    enter("sum");
    MPI_Allreduce(&change, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    leave("sum");
    cells[1][1][1] = all;
    for (int k = 0; k < edge; ++k) out[0][k] = after[1][1][k];
  }
}

static MPI_T_cvar_handle find(const char *name) {
  int index, count;
  MPI_T_cvar_handle handle = MPI_T_CVAR_HANDLE_NULL;
  if (MPI_T_cvar_get_index(name, &index) == MPI_SUCCESS) MPI_T_cvar_handle_alloc(index, NULL, &handle, &count);
  return handle;
}

/* The fastest of the blocks with the switch as it is. */
static void add_block(long count, double *least) {
  const double step_ns = fastest(steps, 1, count);
  if (*least == 0 || step_ns < *least) *least = step_ns;
}

static void run_blocks(long blocks, long count, double *with, double *without) {
  const int on = 1, off = 0;
  const MPI_T_cvar_handle active = find("vars_active"), sampling = sample;
  for (long i = 0; i < blocks; ++i) {
    add_block(count, with);
    if (active == MPI_T_CVAR_HANDLE_NULL) continue;
    MPI_T_cvar_write(active, &off);
    sample = MPI_T_CVAR_HANDLE_NULL;
    add_block(count, without);
    sample = sampling;
    MPI_T_cvar_write(active, &on);
  }
}

int main(int argc, char **argv) {
  int size, provided;
  double with = 0, without = 0;
  const long blocks = argc > 1 ? atol(argv[1]) : 500;
  const long count = argc > 2 ? atol(argv[2]) : 5;
  regions = argc > 3;
  MPI_Init(&argc, &argv);
  MPI_T_init_thread(MPI_THREAD_SINGLE, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (size != 2) {
    if (rank == 0) fprintf(stderr, "stencil: needs 2 ranks, has %d\n", size);
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  if (regions && strcmp(argv[3], "samples") == 0) sample = find("vars_sample");
  run_blocks(blocks, count, &with, &without);
  if (rank == 0 && without == 0) printf("{\"stencil_ns\": %.1f}\n", with);
  else if (rank == 0) printf("{\"stencil_ns\": %.1f, \"stencil_off_ns\": %.1f}\n", with, without);
  MPI_Finalize();
  return 0;
}
