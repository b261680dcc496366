/* SPDX-License-Identifier: BSD-3-Clause */
/* known.c - a tool that stands for a library: variables of every class, which change by known amounts in known calls.
 *
 * MPI_Barrier       moves one variable of each class, see barrier(); those bound to its communicator add 1 and 10
 * MPI_Allreduce     `around` adds 2^30 to 32 bits, `restarts` adds 5 and begins anew at every third call
 * MPI_Comm_rank     the first one adds the variable `late`, and MPI_Comm_size counts in it
 * MPI_Type_size     makes `fading` unreadable
 */

#define _GNU_SOURCE
#include <cairn/variables.h>
#include <mpi.h>
#include <stdlib.h>
#include <time.h>

const char cairn_tool_about[] =
    "abi 2\n"
    "summary variables that change by known amounts\n"
    "option slow 0 1: reading one of them takes 0.2 ms\n";

static const struct cairn_tool_instance *self;
static const struct cairn_variables *variables;

static int state;
static unsigned level;
static unsigned long long size = 100;
static double percentage;
static unsigned long high;
static double low = 50;
static unsigned long counter;
static unsigned long aggregate[2];
static double timer;
static unsigned around = 4000000000u;
static unsigned long restarts = 7;
static long long generic;
static unsigned long late;
static unsigned long still;
static int faded;
static int slow;

static int read_int(void *bound, void *value) { return *(int *)value = *(int *)bound, CAIRN_DONE; }
static int read_unsigned(void *bound, void *value) { return *(unsigned *)value = *(unsigned *)bound, CAIRN_DONE; }
static int read_long(void *bound, void *value) { return *(unsigned long *)value = *(unsigned long *)bound, CAIRN_DONE; }
static int read_double(void *bound, void *value) { return *(double *)value = *(double *)bound, CAIRN_DONE; }
static int read_two(void *bound, void *value) {
  ((unsigned long *)value)[0] = ((unsigned long *)bound)[0];
  ((unsigned long *)value)[1] = ((unsigned long *)bound)[1];
  return CAIRN_DONE;
}

static int read_fading(void *bound, void *value) {
  if (slow) {
    struct timespec pause = {0, 200000};
    nanosleep(&pause, NULL);
  }
  *(unsigned long *)value = 1;
  return *(int *)bound ? CAIRN_REFUSED : CAIRN_DONE;
}

/* With a start of its own, a variable is read as it is, without the books that Cairn keeps. */
static int nothing(void *bound) { return (void)bound, CAIRN_DONE; }

/* What the barriers of each communicator have come to. Never freed: a handle comes back for another one. */
static struct {
  MPI_Comm comm;
  unsigned long done[2];
} per_comm[16];

static unsigned long *of_comm(MPI_Comm comm) {
  static int count;
  for (int i = 0; i < count; ++i)
    if (per_comm[i].comm == comm) return per_comm[i].done;
  if (count == 16) return NULL;
  per_comm[count].comm = comm;
  return per_comm[count++].done;
}

static int open_comm(void *context, void *object, void **bound, int *count) {
  (void)context;
  *bound = of_comm(*(MPI_Comm *)object);
  *count = 2;
  return *bound == NULL ? CAIRN_REFUSED : CAIRN_DONE;
}

int cairn_tool_start(const struct cairn_tool_instance *instance) {
  static const struct cairn_item phases[] = {{0, "idle"}, {1, "busy"}};
  static const struct cairn_enumeration phase = {"phase", 2, phases};
  self = instance;
  variables = self->find(self, CAIRN_VARIABLES, CAIRN_VARIABLES_VERSION);
  if (variables == NULL) return 1;
  slow = self->option_count > 0;
  const struct cairn_variable all[] = {
      {.name = "state",
       .variable_class = CAIRN_STATE,
       .type = CAIRN_INT,
       .enumeration = &phase,
       .context = &state,
       .read = read_int,
       .flags = CAIRN_CONTINUOUS},
      {.name = "level",
       .variable_class = CAIRN_LEVEL,
       .type = CAIRN_UNSIGNED,
       .context = &level,
       .read = read_unsigned},
      {.name = "size",
       .variable_class = CAIRN_SIZE,
       .type = CAIRN_UNSIGNED_LONG_LONG,
       .context = &size,
       .read = read_long},
      {.name = "percentage",
       .variable_class = CAIRN_PERCENTAGE,
       .type = CAIRN_DOUBLE,
       .context = &percentage,
       .read = read_double},
      {.name = "high",
       .variable_class = CAIRN_HIGHWATERMARK,
       .type = CAIRN_UNSIGNED_LONG,
       .context = &high,
       .read = read_long},
      {.name = "low", .variable_class = CAIRN_LOWWATERMARK, .type = CAIRN_DOUBLE, .context = &low, .read = read_double},
      {.name = "counter",
       .variable_class = CAIRN_COUNTER,
       .type = CAIRN_UNSIGNED_LONG,
       .context = &counter,
       .read = read_long,
       .verbosity = CAIRN_TUNER_BASIC},
      {.name = "aggregate",
       .variable_class = CAIRN_AGGREGATE,
       .type = CAIRN_UNSIGNED_LONG,
       .count = 2,
       .context = aggregate,
       .read = read_two},
      {.name = "timer", .variable_class = CAIRN_TIMER, .type = CAIRN_DOUBLE, .context = &timer, .read = read_double},
      {.name = "around",
       .variable_class = CAIRN_COUNTER,
       .type = CAIRN_UNSIGNED,
       .context = &around,
       .read = read_unsigned,
       .start = nothing},
      {.name = "restarts",
       .variable_class = CAIRN_COUNTER,
       .type = CAIRN_UNSIGNED_LONG,
       .context = &restarts,
       .read = read_long,
       .start = nothing},
      {.name = "generic", .variable_class = CAIRN_GENERIC, .type = CAIRN_COUNT, .context = &generic, .read = read_long},
      {.name = "fading",
       .variable_class = CAIRN_LEVEL,
       .type = CAIRN_UNSIGNED_LONG,
       .context = &faded,
       .read = read_fading,
       .flags = CAIRN_CONTINUOUS},
      {.name = "still",
       .variable_class = CAIRN_COUNTER,
       .type = CAIRN_UNSIGNED_LONG,
       .context = &still,
       .read = read_long},
      {.name = "of_comm",
       .variable_class = CAIRN_AGGREGATE,
       .type = CAIRN_UNSIGNED_LONG,
       .binding = CAIRN_BIND_COMM,
       .open = open_comm,
       .read = read_two,
       .start = nothing},
  };
  for (size_t i = 0; i < sizeof all / sizeof *all; ++i) variables->add_performance(self, &all[i]);
  return 0;
}

int MPI_Barrier(MPI_Comm comm) {
  static const unsigned levels[] = {5, 1, 3};
  static int calls;
  state = !state;
  level = levels[calls++ % 3];
  size += 10;
  percentage = (double)level / 10;
  if (level > high) high = level;
  low -= 2;
  counter += 3;
  aggregate[0] += 2;
  aggregate[1] += 4;
  timer += 0.25;
  ++generic;
  unsigned long *const own = of_comm(comm);
  own[0] += 1;
  own[1] += 10;
  return PMPI_Barrier(comm);
}

int MPI_Allreduce(const void *from, void *to, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
  static int calls;
  around += 1u << 30;
  restarts = ++calls % 3 == 0 ? 0 : restarts + 5;
  return PMPI_Allreduce(from, to, count, type, op, comm);
}

int MPI_Comm_rank(MPI_Comm comm, int *rank) {
  const struct cairn_variable one = {.name = "late",
                                     .variable_class = CAIRN_COUNTER,
                                     .type = CAIRN_UNSIGNED_LONG,
                                     .context = &late,
                                     .read = read_long};
  static int added;
  if (!added++) variables->add_performance(self, &one);
  return PMPI_Comm_rank(comm, rank);
}

int MPI_Comm_size(MPI_Comm comm, int *size_of) {
  ++late;
  return PMPI_Comm_size(comm, size_of);
}

int MPI_Type_size(MPI_Datatype type, int *bytes) {
  faded = 1;
  return PMPI_Type_size(type, bytes);
}
