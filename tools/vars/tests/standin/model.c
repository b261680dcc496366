/* SPDX-License-Identifier: BSD-3-Clause */
/* model.c - what calls of MPI do to the stand-in's variables. Wrappers of objects and pools are in objects.c and
 * pools.c. */

#include "model.h"

#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
number performance_values[64][most_elements];
number control_values[64][most_elements];

static int ranks_asked, late_at = 1;
static bool has_faded;

__attribute__((constructor)) static void set_up(void) {
  const char *late = getenv("STANDIN_MPI_T_LATE");
  if (late != NULL) late_at = atoi(late);
  for (int i = 0; i < performance_limit; ++i)
    for (int k = 0; k < most_elements; ++k) performance_values[i][k] = performances[i].start[k];
  for (int i = 0; i < control_limit; ++i)
    for (int k = 0; k < most_elements; ++k) control_values[i][k] = controls[i].start[k];
}

int begin(void) { return pthread_mutex_lock(&mutex); }
void end(const int *unused) { (void)unused, pthread_mutex_unlock(&mutex); }

bool is_late(void) { return ranks_asked >= late_at; }
int control_count(void) { return control_limit - !is_late(); }
int performance_count(void) { return performance_limit - !is_late(); }
bool is_valid(const struct performance *variable) { return variable != &performances[pv_fading] || !has_faded; }

static void move_in_barrier(MPI_Comm comm) {
  static const unsigned levels[] = {5, 1, 3};
  static int calls;
  number(*values)[most_elements] = performance_values;
  values[pv_state][0] = !values[pv_state][0];
  values[pv_level][0] = levels[calls++ % 3];
  values[pv_size][0] += 10;
  values[pv_percentage][0] = (double)values[pv_level][0] / 10;
  if (values[pv_level][0] > values[pv_high][0]) values[pv_high][0] = values[pv_level][0];
  values[pv_low][0] -= 2;
  values[pv_counter][0] += 3;
  values[pv_aggregate][0] += 2;
  values[pv_aggregate][1] += 4;
  values[pv_timer][0] += 0.25L;
  values[pv_generic][0] += 1;
  move_object(MPI_T_BIND_MPI_COMM, &comm);
}

int MPI_Barrier(MPI_Comm comm) {
  begin();
  move_in_barrier(comm);
  end(NULL);
  raise_events(comm);
  return PMPI_Barrier(comm);
}

int MPI_Allreduce(const void *from, void *to, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
  static int calls;
  begin();
  performance_values[pv_around][0] += 1U << 30;
  number *restarts = performance_values[pv_restarts];
  *restarts = ++calls % 3 == 0 ? 0 : *restarts + 5;
  end(NULL);
  return PMPI_Allreduce(from, to, count, type, op, comm);
}

int MPI_Comm_rank(MPI_Comm comm, int *rank) {
  begin();
  ++ranks_asked;
  end(NULL);
  return PMPI_Comm_rank(comm, rank);
}

int MPI_Comm_size(MPI_Comm comm, int *size) {
  begin();
  performance_values[performance_limit - 1][0] += 1;
  end(NULL);
  return PMPI_Comm_size(comm, size);
}

int MPI_Type_size(MPI_Datatype type, int *size) {
  begin();
  has_faded = true;
  end(NULL);
  return PMPI_Type_size(type, size);
}
