// SPDX-License-Identifier: BSD-3-Clause
// heat3d.c - solve the 3D heat equation on a Cartesian grid of MPI ranks and check the result.
//
// The unit cube has `size` inner points per axis and a boundary held at zero. The start is a
// product of sines, which is an eigenvector of the discrete operator: every explicit step
// multiplies it by one known factor. The answer is therefore known to rounding error after any
// number of steps, and the program can judge its own halo exchange.

#include <mpi.h>

#include <errno.h>
#include <float.h>
#include <limits.h>
#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { AXES = 3, FACES = 2 * AXES };
enum { EXIT_OK = 0, EXIT_WRONG_RESULT = 1, EXIT_CANNOT_RUN = 2 };
enum { MIN_SIZE = 3, MAX_SIZE = 10000 };

// A different number of half waves per axis, so that a mix-up of axes changes the result.
// The largest must not exceed MIN_SIZE: a coarser grid would see it as zero.
static const int half_waves[AXES] = {1, 2, 3};

// Time step over squared grid spacing. The scheme is stable up to 1/6; 1/8 is exact in binary.
static const double step_ratio = 0.125;

static const double pi = 3.14159265358979323846;

typedef enum { RUN, SHOW_HELP, REFUSE } Request;

typedef struct {
  Request request;
  int size;
  int steps;
  int every;
  double tolerance;
  bool quiet;
} Options;

typedef struct {
  MPI_Comm comm;
  int rank;
  int dims[AXES];
  int coords[AXES];
  int below[AXES];
  int above[AXES];
} Grid;

// The points of one rank, each array with one halo layer on every side. The last axis is the
// contiguous one.
typedef struct {
  int count[AXES];
  ptrdiff_t stride[AXES];
  double *now;
  double *next;
  double *sine[AXES];
  MPI_Datatype face[AXES];
} Block;

typedef struct {
  int steps;
  double residual;
  double error;
  double seconds;
} Result;

static const char help_text[] =
    "usage: heat3d [--size N] [--steps S] [--tolerance T] [--every K] [--quiet]\n\n"
    "  --size N       inner points per axis, 3 to 10000 (default 192)\n"
    "  --steps S      time steps at most (default 150)\n"
    "  --tolerance T  stop when no point changes by T or more in one step (default 0: never)\n"
    "  --every K      compute the residual every K steps and after the last (default 1)\n"
    "  --quiet        do not print the time\n\n"
    "exit code: 0 the result is right, 1 it is not, 2 bad command line or no memory\n";

// ---- command line ---------------------------------------------------------------------------

static bool read_int(const char *name, const char *text, int low, int high, int *value) {
  char *end = NULL;
  errno = 0;
  const long number = strtol(text, &end, 10);
  if (end == text || *end != '\0' || errno == ERANGE || number < low || number > high) {
    fprintf(stderr, "heat3d: error: %s needs a whole number from %d to %d, not '%s'\n", name, low, high, text);
    return false;
  }
  *value = (int)number;
  return true;
}

static bool read_tolerance(const char *text, double *value) {
  char *end = NULL;
  const double number = strtod(text, &end);
  if (end == text || *end != '\0' || !isfinite(number) || number < 0.0) {
    fprintf(stderr, "heat3d: error: --tolerance needs a number of at least 0, not '%s'\n", text);
    return false;
  }
  *value = number;
  return true;
}

// A missing value arrives as an empty text, which no setting accepts.
static bool read_setting(const char *name, const char *text, Options *options) {
  if (strcmp(name, "--size") == 0) return read_int(name, text, MIN_SIZE, MAX_SIZE, &options->size);
  if (strcmp(name, "--steps") == 0) return read_int(name, text, 1, INT_MAX, &options->steps);
  if (strcmp(name, "--every") == 0) return read_int(name, text, 1, INT_MAX, &options->every);
  if (strcmp(name, "--tolerance") == 0) return read_tolerance(text, &options->tolerance);
  fprintf(stderr, "heat3d: error: unknown option '%s'\n", name);
  return false;
}

static void parse_command_line(int argc, char **argv, Options *options) {
  for (int i = 1; i < argc; ++i) {
    if (strcmp(argv[i], "--help") == 0) {
      options->request = SHOW_HELP;
      return;
    }
    if (strcmp(argv[i], "--quiet") == 0) {
      options->quiet = true;
      continue;
    }
    const char *value = i + 1 < argc ? argv[i + 1] : "";
    if (!read_setting(argv[i], value, options)) {
      fprintf(stderr, "heat3d:   try: heat3d --help\n");
      options->request = REFUSE;
      return;
    }
    ++i;
  }
}

// Rank 0 alone parses, so that a mistake is reported once and every rank gets the same verdict.
static Options read_options(int argc, char **argv) {
  Options options = {.request = RUN, .size = 192, .steps = 150, .every = 1};
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0) parse_command_line(argc, argv, &options);
  // All ranks run the same executable, hence agree on the layout: bytes are enough.
  MPI_Bcast(&options, (int)sizeof options, MPI_BYTE, 0, MPI_COMM_WORLD);
  if (rank == 0 && options.request == SHOW_HELP) fputs(help_text, stdout);
  return options;
}

// ---- grid of ranks --------------------------------------------------------------------------

static Grid create_grid(void) {
  Grid grid = {0};
  const int not_periodic[AXES] = {0, 0, 0};
  const int keep_rank_order = 0;  // the rank that parsed the options also prints the result
  int ranks = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  MPI_Dims_create(ranks, AXES, grid.dims);
  MPI_Cart_create(MPI_COMM_WORLD, AXES, grid.dims, not_periodic, keep_rank_order, &grid.comm);
  MPI_Comm_rank(grid.comm, &grid.rank);
  MPI_Cart_coords(grid.comm, grid.rank, AXES, grid.coords);
  for (int axis = 0; axis < AXES; ++axis) MPI_Cart_shift(grid.comm, axis, 1, &grid.below[axis], &grid.above[axis]);
  return grid;
}

// Every rank needs a point of its own on each axis: an empty block has no face to send.
static bool grid_fits(const Grid *grid, int size) {
  for (int axis = 0; axis < AXES; ++axis) {
    if (grid->dims[axis] <= size) continue;
    if (grid->rank == 0)
      fprintf(stderr,
              "heat3d: error: %d ranks along one axis do not fit into --size %d\n"
              "heat3d:   try: --size %d or fewer ranks\n",
              grid->dims[axis], size, grid->dims[axis]);
    return false;
  }
  return true;
}

// ---- block of points ------------------------------------------------------------------------

static double *allocate_zeros(size_t count) {
  double *zeros = calloc(count, sizeof *zeros);
  if (zeros == NULL) {
    fprintf(stderr, "heat3d: error: no memory for %zu numbers\n", count);
    MPI_Abort(MPI_COMM_WORLD, EXIT_CANNOT_RUN);
  }
  return zeros;
}

// Values of the start along one axis, for the block's own points only (index 1 to count).
static double *create_sines(const Grid *grid, int axis, int size, int count) {
  const int quotient = size / grid->dims[axis];
  const int remainder = size % grid->dims[axis];
  const int coord = grid->coords[axis];
  const int points_below = coord * quotient + (coord < remainder ? coord : remainder);
  double *sines = allocate_zeros((size_t)count + 2);
  for (int i = 1; i <= count; ++i) sines[i] = sin(pi * half_waves[axis] * (points_below + i) / (size + 1.0));
  return sines;
}

// One type per axis describes the inner points of a layer across that axis; the address handed
// to MPI says which layer. Derived types instead of packed buffers: no second copy of the
// six faces, no packing loops to get wrong, and a tool below sees what really is sent.
static MPI_Datatype create_face_type(const Block *block, int axis) {
  int whole[AXES];
  int part[AXES];
  int start[AXES];
  for (int a = 0; a < AXES; ++a) {
    whole[a] = block->count[a] + 2;
    part[a] = a == axis ? 1 : block->count[a];
    start[a] = a == axis ? 0 : 1;
  }
  MPI_Datatype face = MPI_DATATYPE_NULL;
  MPI_Type_create_subarray(AXES, whole, part, start, MPI_ORDER_C, MPI_DOUBLE, &face);
  MPI_Type_commit(&face);
  return face;
}

static Block create_block(const Grid *grid, int size) {
  Block block = {0};
  for (int axis = 0; axis < AXES; ++axis) {
    const int extra = grid->coords[axis] < size % grid->dims[axis];
    block.count[axis] = size / grid->dims[axis] + extra;
    block.sine[axis] = create_sines(grid, axis, size, block.count[axis]);
  }
  block.stride[2] = 1;
  block.stride[1] = block.count[2] + 2;
  block.stride[0] = block.stride[1] * (block.count[1] + 2);
  // Zeros matter: halo layers without a neighbour are the boundary and never written.
  const size_t points = (size_t)block.stride[0] * ((size_t)block.count[0] + 2);
  block.now = allocate_zeros(points);
  block.next = allocate_zeros(points);
  for (int axis = 0; axis < AXES; ++axis) block.face[axis] = create_face_type(&block, axis);
  return block;
}

static void free_block(Block *block) {
  for (int axis = 0; axis < AXES; ++axis) {
    MPI_Type_free(&block->face[axis]);
    free(block->sine[axis]);
  }
  free(block->next);
  free(block->now);
}

static double start_value(const Block *block, int i, int j, int k) {
  return block->sine[0][i] * block->sine[1][j] * block->sine[2][k];
}

static void set_start(Block *block) {
  for (int i = 1; i <= block->count[0]; ++i)
    for (int j = 1; j <= block->count[1]; ++j) {
      double *row = block->now + i * block->stride[0] + j * block->stride[1];
      for (int k = 1; k <= block->count[2]; ++k) row[k] = start_value(block, i, j, k);
    }
}

// ---- one step -------------------------------------------------------------------------------

// Sends the outermost own layers and receives the halo layers. At the boundary the neighbour is
// MPI_PROC_NULL: the call stays, so all ranks run the same code, and MPI moves nothing.
static void exchange_halo(const Grid *grid, const Block *block) {
  enum { UPWARDS, DOWNWARDS };
  MPI_Request requests[2 * FACES];
  int n = 0;
  // Receives first: a message that finds its receive posted needs no buffer on the way.
  for (int axis = 0; axis < AXES; ++axis) {
    double *low_halo = block->now;
    double *high_halo = block->now + (block->count[axis] + 1) * block->stride[axis];
    MPI_Irecv(low_halo, 1, block->face[axis], grid->below[axis], UPWARDS, grid->comm, &requests[n++]);
    MPI_Irecv(high_halo, 1, block->face[axis], grid->above[axis], DOWNWARDS, grid->comm, &requests[n++]);
  }
  for (int axis = 0; axis < AXES; ++axis) {
    const double *low_layer = block->now + block->stride[axis];
    const double *high_layer = block->now + block->count[axis] * block->stride[axis];
    MPI_Isend(high_layer, 1, block->face[axis], grid->above[axis], UPWARDS, grid->comm, &requests[n++]);
    MPI_Isend(low_layer, 1, block->face[axis], grid->below[axis], DOWNWARDS, grid->comm, &requests[n++]);
  }
  // Nobody reads these, but GCC 12 takes the MPI_STATUSES_IGNORE of MPICH for an array too short.
  MPI_Status statuses[2 * FACES];
  MPI_Waitall(n, requests, statuses);
}

// Returns the largest change of any point of this rank.
static double advance(Block *block) {
  const ptrdiff_t x = block->stride[0];
  const ptrdiff_t y = block->stride[1];
  double largest = 0.0;
  for (int i = 1; i <= block->count[0]; ++i)
    for (int j = 1; j <= block->count[1]; ++j) {
      const double *row = block->now + i * x + j * y;
      double *new_row = block->next + i * x + j * y;
      for (int k = 1; k <= block->count[2]; ++k) {
        const double around = row[k - x] + row[k + x] + row[k - y] + row[k + y] + row[k - 1] + row[k + 1];
        const double change = step_ratio * (around - FACES * row[k]);
        new_row[k] = row[k] + change;
        largest = fabs(change) > largest ? fabs(change) : largest;
      }
    }
  double *old = block->now;
  block->now = block->next;
  block->next = old;
  return largest;
}

// A maximum, unlike a sum, is the same in whatever order the ranks are combined: the printed
// numbers do not depend on the MPI library or on the number of ranks.
static double maximum_over_ranks(double value, const Grid *grid) {
  double maximum = 0.0;
  MPI_Allreduce(&value, &maximum, 1, MPI_DOUBLE, MPI_MAX, grid->comm);
  return maximum;
}

// ---- solution and its check -----------------------------------------------------------------

static Result run_steps(const Grid *grid, Block *block, const Options *options) {
  Result result = {0};
  bool settled = false;
  while (result.steps < options->steps && !settled) {
    exchange_halo(grid, block);
    const double change = advance(block);
    ++result.steps;
    if (result.steps % options->every == 0 || result.steps == options->steps) {
      result.residual = maximum_over_ranks(change, grid);
      settled = result.residual < options->tolerance;
    }
  }
  return result;
}

static double factor_per_step(int size) {
  double sum = 0.0;
  for (int axis = 0; axis < AXES; ++axis) {
    const double sine = sin(0.5 * pi * half_waves[axis] / (size + 1.0));
    sum += sine * sine;
  }
  return 1.0 - 4.0 * step_ratio * sum;
}

static double largest_error(const Block *block, double factor) {
  double largest = 0.0;
  for (int i = 1; i <= block->count[0]; ++i)
    for (int j = 1; j <= block->count[1]; ++j) {
      const double *row = block->now + i * block->stride[0] + j * block->stride[1];
      for (int k = 1; k <= block->count[2]; ++k) {
        const double error = fabs(row[k] - factor * start_value(block, i, j, k));
        largest = error > largest ? error : largest;
      }
    }
  return largest;
}

// Each new value is a weighted mean of old ones, so earlier rounding errors never grow and the
// errors of all steps at most add up: fewer than 8 units of rounding per step on values up to 1.
// The 10 steps on top cover the rounding of the sines.
static double error_bound(int steps) { return 8.0 * DBL_EPSILON * (steps + 10.0); }

static void print_result(const Grid *grid, const Options *options, const Result *result) {
  const bool right = result->error <= error_bound(result->steps);
  printf("grid      %d x %d x %d points on %d x %d x %d ranks\n", options->size, options->size, options->size,
         grid->dims[0], grid->dims[1], grid->dims[2]);
  printf("steps     %d of %d\n", result->steps, options->steps);
  printf("residual  %.6e\n", result->residual);
  printf("error     %.3e, bound %.3e\n", result->error, error_bound(result->steps));
  printf("result    %s\n", right ? "ok" : "wrong");
  if (!options->quiet) printf("time      %.2f s\n", result->seconds);
}

static int solve(const Grid *grid, const Options *options) {
  Block block = create_block(grid, options->size);
  set_start(&block);
  const double begin = MPI_Wtime();
  Result result = run_steps(grid, &block, options);
  const double factor = pow(factor_per_step(options->size), result.steps);
  result.error = maximum_over_ranks(largest_error(&block, factor), grid);
  result.seconds = MPI_Wtime() - begin;
  if (grid->rank == 0) print_result(grid, options, &result);
  free_block(&block);
  return result.error <= error_bound(result.steps) ? EXIT_OK : EXIT_WRONG_RESULT;
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  const Options options = read_options(argc, argv);
  int status = options.request == REFUSE ? EXIT_CANNOT_RUN : EXIT_OK;
  if (options.request == RUN) {
    Grid grid = create_grid();
    status = grid_fits(&grid, options.size) ? solve(&grid, &options) : EXIT_CANNOT_RUN;
    MPI_Comm_free(&grid.comm);
  }
  MPI_Finalize();
  return status;
}
