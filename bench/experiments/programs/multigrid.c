/* SPDX-License-Identifier: BSD-3-Clause */
/* multigrid.c - V-cycles for Poisson's equation in three dimensions, with the calls of AMG 2006 in the thesis's table 4.1. */
/*
 * multigrid [CELLS [CYCLES]] prints one line of JSON on rank 0. CELLS^3 cells on each rank (a power of two, 64), slabs
 * one upon the other in a ring; the other four sides are 0. With 64 cells, seven levels and 7 cycles each rank makes
 * what the table has for one of its 28: 833 sends and receives, 350 waits, 88 reductions, 10 and 5 gathers. Its mesh is
 * irregular and has more neighbours than two; here, a face goes in two halves in some exchanges instead.
 *
 * app_s is main from the beginning to the end, mpi_s what lies between MPI_Init and MPI_Finalize, as there.
 */
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#include "solver.h"

enum { MOST_LEVELS = 8, HALVABLE = 4 };

/* Cubes of cells with a layer of others around them; the upper and lower ones come from the neighbours. */
struct level {
  int cells;
  double *value, *right, *rest;
};

static int levels;
static struct level grid[MOST_LEVELS];

static size_t at(const struct level *l, int x, int y, int z) {
  const size_t edge = (size_t)l->cells + 2;
  return ((size_t)z * edge + (size_t)y) * edge + (size_t)x;
}

static size_t face_size(const struct level *l) { return (size_t)(l->cells + 2) * (size_t)(l->cells + 2); }

static void post(double *field, size_t count, int to, int tag, size_t out, size_t in, MPI_Request *requests) {
  const int from = to == (rank + 1) % ranks ? (rank + ranks - 1) % ranks : (rank + 1) % ranks;
  MPI_Irecv(field + in, (int)count, MPI_DOUBLE, from, tag, MPI_COMM_WORLD, &requests[0]);
  MPI_Isend(field + out, (int)count, MPI_DOUBLE, to, tag, MPI_COMM_WORLD, &requests[1]);
}

/* Faces to both neighbours; `halves`: the upper one in two, if it is large enough. */
static void exchange(const struct level *l, double *field, int halves) {
  MPI_Request requests[6];
  int count = 0;
  const size_t face = face_size(l), top = face * (size_t)l->cells, below = 0, above = face * ((size_t)l->cells + 1);
  const int up = (rank + 1) % ranks, down = (rank + ranks - 1) % ranks;
  const size_t first = halves && l->cells * l->cells >= HALVABLE ? face / 2 : face;
  post(field, first, up, 0, top, below, &requests[count]);
  count += 2;
  if (first < face) {
    post(field, face - first, up, 1, top + first, below + first, &requests[count]);
    count += 2;
  }
  post(field, face, down, 2, face, above, &requests[count]);
  MPI_Waitall(count + 2, requests, MPI_STATUSES_IGNORE);
}

static double around(const struct level *l, const double *field, int x, int y, int z) {
  const size_t here = at(l, x, y, z), row = (size_t)l->cells + 2, plane = face_size(l);
  return field[here - 1] + field[here + 1] + field[here - row] + field[here + row] + field[here - plane] +
         field[here + plane];
}

static void relax(struct level *l, int colour) {
  for (int z = 1; z <= l->cells; ++z)
    for (int y = 1; y <= l->cells; ++y)
      for (int x = 1 + (y + z + colour) % 2; x <= l->cells; x += 2)
        l->value[at(l, x, y, z)] = (l->right[at(l, x, y, z)] + around(l, l->value, x, y, z)) / 6;
}

/* What is left of the right side; returns the sum of its squares. */
static double subtract(struct level *l) {
  double sum = 0;
  for (int z = 1; z <= l->cells; ++z)
    for (int y = 1; y <= l->cells; ++y)
      for (int x = 1; x <= l->cells; ++x) {
        const size_t here = at(l, x, y, z);
        l->rest[here] = l->right[here] - 6 * l->value[here] + around(l, l->value, x, y, z);
        sum += l->rest[here] * l->rest[here];
      }
  return sum;
}

/* Eight cells become one; a quarter of their sum is what fits corrections that are the same in all eight. */
static void coarsen(const struct level *fine, struct level *coarse) {
  for (size_t i = 0; i < face_size(coarse) * ((size_t)coarse->cells + 2); ++i) coarse->value[i] = coarse->right[i] = 0;
  for (int z = 1; z <= fine->cells; ++z)
    for (int y = 1; y <= fine->cells; ++y)
      for (int x = 1; x <= fine->cells; ++x)
        coarse->right[at(coarse, (x + 1) / 2, (y + 1) / 2, (z + 1) / 2)] += fine->rest[at(fine, x, y, z)] / 4;
}

static void refine(struct level *fine, const struct level *coarse) {
  for (int z = 1; z <= fine->cells; ++z)
    for (int y = 1; y <= fine->cells; ++y)
      for (int x = 1; x <= fine->cells; ++x)
        fine->value[at(fine, x, y, z)] += coarse->value[at(coarse, (x + 1) / 2, (y + 1) / 2, (z + 1) / 2)];
}

static double reduced(double mine, MPI_Op op) {
  double all;
  MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE, op, MPI_COMM_WORLD);
  return all;
}

static void smooth(struct level *l, int times, int halves) {
  for (int i = 0; i < times; ++i)
    for (int colour = 0; colour < 2; ++colour) {
      exchange(l, l->value, halves && colour == 0);
      relax(l, colour);
    }
}

/* Seven exchanges on each level, three of them in halves, and a reduction. */
static void descend(int depth) {
  struct level *const l = &grid[depth];
  smooth(l, 1, 0);
  exchange(l, l->value, 1);
  reduced(subtract(l), MPI_MAX);
  if (depth + 1 < levels) {
    coarsen(l, &grid[depth + 1]);
    descend(depth + 1);
    refine(l, &grid[depth + 1]);
  }
  smooth(l, 2, 1);
}

static double cycle(void) {
  descend(0);
  exchange(&grid[0], grid[0].value, 1);
  const double mine = subtract(&grid[0]);
  const double norm = sqrt(reduced(mine, MPI_SUM));
  const MPI_Op others[] = {MPI_MAX, MPI_MIN, MPI_SUM, MPI_MAX};
  for (int i = 0; i < 4; ++i) reduced(mine, others[i]);
  return norm;
}

static void gather_sizes(int times) {
  int *const sizes = malloc((size_t)ranks * sizeof *sizes);
  for (int i = 0; i < times; ++i) MPI_Allgather(&grid[0].cells, 1, MPI_INT, sizes, 1, MPI_INT, MPI_COMM_WORLD);
  free(sizes);
}

/* A plane of a coarse level for everyone. */
static void gather_plane(const struct level *l) {
  const int count = (int)face_size(l);
  int *const counts = malloc((size_t)ranks * sizeof *counts), *const places = malloc((size_t)ranks * sizeof *places);
  double *const all = malloc((size_t)ranks * (size_t)count * sizeof *all);
  for (int i = 0; i < ranks; ++i) {
    counts[i] = count;
    places[i] = i * count;
  }
  MPI_Allgatherv(l->right, count, MPI_DOUBLE, all, counts, places, MPI_DOUBLE, MPI_COMM_WORLD);
  free(counts);
  free(places);
  free(all);
}

static void set_up(int cells) {
  for (levels = 0; cells > 0 && levels < MOST_LEVELS; ++levels, cells /= 2) {
    struct level *const l = &grid[levels];
    l->cells = cells;
    const size_t count = face_size(l) * ((size_t)cells + 2);
    l->value = calloc(count, sizeof(double));
    l->right = calloc(count, sizeof(double));
    l->rest = calloc(count, sizeof(double));
  }
  gather_sizes(levels + 3);
  for (int i = levels > 5 ? levels - 5 : 0; i < levels; ++i) gather_plane(&grid[i]);
  for (int i = 0; i < 4; ++i) reduced(1, MPI_SUM);
  srand(1 + (unsigned)rank);
  for (int z = 1; z <= grid[0].cells; ++z)
    for (int y = 1; y <= grid[0].cells; ++y)
      for (int x = 1; x <= grid[0].cells; ++x) grid[0].right[at(&grid[0], x, y, z)] = (double)rand() / RAND_MAX;
}

double solve(int cells, int cycles) {
  double first = 0, last = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  set_up(cells);
  for (int i = 0; i < cycles; ++i) {
    last = cycle();
    if (i == 0) first = last;
  }
  return last / first;
}

int main(int argc, char **argv) { return run_solver(argc, argv, 64, 7); }
