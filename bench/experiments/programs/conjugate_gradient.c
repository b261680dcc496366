/* SPDX-License-Identifier: BSD-3-Clause */
/* conjugate_gradient.c - conjugate gradients with a multigrid preconditioner, with the calls of HPCG in the thesis's table 4.2. */
/*
 * conjugate_gradient [POINTS [STEPS]] prints one line of JSON on rank 0. POINTS^3 points on each rank (divisible by 8,
 * 24), slabs one upon the other in a ring, 27 points around each in the matrix, four levels. With 185 steps each rank
 * makes what the table has for one of its 28: 17,329 sends, receives and waits for one of each, 555 reductions, one
 * broadcast. Its ranks have 8.5 neighbours on average; here, the two faces go in eight or nine strips in turn.
 *
 * app_s is main from the beginning to the end, mpi_s what lies between MPI_Init and MPI_Finalize, as there.
 */
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "solver.h"

enum { LEVELS = 4, UPPER = 4, MOST = UPPER + 5, RESTART = 50 };

struct level {
  int points;
  double *solution, *right, *product;
};

static struct level grid[LEVELS];
static long exchanges;

static size_t plane(const struct level *l) { return (size_t)(l->points + 2) * (size_t)(l->points + 2); }
static size_t size_of(const struct level *l) { return plane(l) * ((size_t)l->points + 2); }
static size_t at(const struct level *l, int x, int y, int z) {
  return (size_t)z * plane(l) + (size_t)y * ((size_t)l->points + 2) + (size_t)x;
}

/* A face to one neighbour, in strips, and the other's from the other one. */
static int post(const struct level *l, double *field, int strips, int up, MPI_Request (*requests)[2]) {
  const int above = (rank + 1) % ranks, below = (rank + ranks - 1) % ranks;
  const size_t out = up ? plane(l) * (size_t)l->points : plane(l), in = up ? 0 : plane(l) * ((size_t)l->points + 1);
  for (int i = 0; i < strips; ++i) {
    const size_t begin = plane(l) * (size_t)i / (size_t)strips, end = plane(l) * (size_t)(i + 1) / (size_t)strips;
    const int count = (int)(end - begin), tag = up * MOST + i;
    MPI_Irecv(field + in + begin, count, MPI_DOUBLE, up ? below : above, tag, MPI_COMM_WORLD, &requests[i][0]);
    MPI_Isend(field + out + begin, count, MPI_DOUBLE, up ? above : below, tag, MPI_COMM_WORLD, &requests[i][1]);
  }
  return strips;
}

static void exchange(const struct level *l, double *field, int strips) {
  MPI_Request requests[MOST][2];
  const int upper = post(l, field, UPPER, 1, requests);
  const int all = upper + post(l, field, strips - UPPER, 0, requests + upper);
  for (int i = 0; i < all; ++i) MPI_Waitall(2, requests[i], MPI_STATUSES_IGNORE);
}

static void exchange_in_turn(const struct level *l, double *field) {
  exchange(l, field, 2 * UPPER + (int)(exchanges++ % 2));
}

/* The sum of a point and the 26 around it. */
static double box(const struct level *l, const double *field, size_t here) {
  const size_t row = (size_t)l->points + 2;
  double sum = 0;
  for (size_t z = here - plane(l); z <= here + plane(l); z += plane(l))
    for (size_t y = z - row; y <= z + row; y += row) sum += field[y - 1] + field[y] + field[y + 1];
  return sum;
}

static void multiply(const struct level *l, double *field, double *product) {
  exchange_in_turn(l, field);
  for (int z = 1; z <= l->points; ++z)
    for (int y = 1; y <= l->points; ++y)
      for (int x = 1; x <= l->points; ++x) {
        const size_t here = at(l, x, y, z);
        product[here] = 27 * field[here] - box(l, field, here);
      }
}

static void improve(const struct level *l, double *field, const double *right, size_t here) {
  field[here] = (right[here] + box(l, field, here) - field[here]) / 26;
}

/* Gauss and Seidel, there and back. */
static void smooth(const struct level *l, double *field, const double *right) {
  exchange_in_turn(l, field);
  for (int z = 1; z <= l->points; ++z)
    for (int y = 1; y <= l->points; ++y)
      for (int x = 1; x <= l->points; ++x) improve(l, field, right, at(l, x, y, z));
  for (int z = l->points; z >= 1; --z)
    for (int y = l->points; y >= 1; --y)
      for (int x = l->points; x >= 1; --x) improve(l, field, right, at(l, x, y, z));
}

static void precondition(int depth) {
  struct level *const l = &grid[depth];
  memset(l->solution, 0, size_of(l) * sizeof(double));
  smooth(l, l->solution, l->right);
  if (depth + 1 == LEVELS) return;
  struct level *const coarse = l + 1;
  multiply(l, l->solution, l->product);
  for (int z = 1; z <= coarse->points; ++z)
    for (int y = 1; y <= coarse->points; ++y)
      for (int x = 1; x <= coarse->points; ++x) {
        const size_t here = at(l, 2 * x, 2 * y, 2 * z);
        coarse->right[at(coarse, x, y, z)] = l->right[here] - l->product[here];
      }
  precondition(depth + 1);
  for (int z = 1; z <= coarse->points; ++z)
    for (int y = 1; y <= coarse->points; ++y)
      for (int x = 1; x <= coarse->points; ++x)
        l->solution[at(l, 2 * x, 2 * y, 2 * z)] += coarse->solution[at(coarse, x, y, z)];
  smooth(l, l->solution, l->right);
}

/* Of the points of all ranks. */
static double dot(const double *a, const double *b) {
  const struct level *const l = &grid[0];
  double mine = 0, all;
  for (int z = 1; z <= l->points; ++z)
    for (int y = 1; y <= l->points; ++y)
      for (int x = 1; x <= l->points; ++x) mine += a[at(l, x, y, z)] * b[at(l, x, y, z)];
  MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  return all;
}

static void set_up(int points) {
  for (int i = 0; i < LEVELS; ++i, points /= 2) {
    struct level *const l = &grid[i];
    l->points = points;
    l->solution = calloc(size_of(l), sizeof(double));
    l->right = calloc(size_of(l), sizeof(double));
    l->product = calloc(size_of(l), sizeof(double));
    exchange(l, l->solution, 2 * UPPER);
  }
}

static double *vector(void) { return calloc(size_of(&grid[0]), sizeof(double)); }

/* The right side is 1 everywhere; begins anew after some steps, as HPCG does. Returns the last norm of what is left, over
 * the first. */
static double steps_of(int count) {
  struct level *const l = &grid[0];
  double *const x = vector(), *const direction = vector(), *const product = vector();
  double first = 1, norm = 1, before = 1;
  for (int step = 0; step < count; ++step) {
    if (step % RESTART == 0) {
      memset(x, 0, size_of(l) * sizeof *x);
      memset(direction, 0, size_of(l) * sizeof *direction);
      for (size_t i = 0; i < size_of(l); ++i) l->right[i] = 1;
    }
    precondition(0);
    const double now = dot(l->right, l->solution);
    const double turn = step % RESTART == 0 ? 0 : now / before;
    before = now;
    for (size_t i = 0; i < size_of(l); ++i) direction[i] = l->solution[i] + turn * direction[i];
    multiply(l, direction, product);
    const double length = now / dot(direction, product);
    for (size_t i = 0; i < size_of(l); ++i) {
      x[i] += length * direction[i];
      l->right[i] -= length * product[i];
    }
    norm = sqrt(dot(l->right, l->right));
    if (step % RESTART == 0) first = norm;
  }
  return norm / first;
}

double solve(int points, int steps) {
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  MPI_Bcast(&points, 1, MPI_INT, 0, MPI_COMM_WORLD);
  set_up(points);
  return steps_of(steps);
}

int main(int argc, char **argv) { return run_solver(argc, argv, 24, 185); }
