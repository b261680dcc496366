/* SPDX-License-Identifier: BSD-3-Clause */
/* pools.c - buffers for messages that wait, in four pools by the size of a buffer, as MVAPICH2 has them.
 *
 * A message of up to IBA_EAGER_THRESHOLD bytes takes a buffer of the first pool into which it fits: MPI_Send for the
 * time of the call, MPI_Isend until the next MPI_Wait or MPI_Waitall, which give all back. A pool that has none left
 * gets 16 more. While VBUF_POOL_CONTROL is on, each pool has no more than VBUF_POOL_REDUCED_VALUE says, or than are in
 * use.
 */

#include "model.h"

enum { pool_count = 4, more_at_once = 16 };

static int in_use[pool_count];

static number size_of_buffer(int pool) {
  static const int sizes[] = {256, 1024, 4096};
  return pool < 3 ? sizes[pool] : control_values[cv_buffer_size][0];
}

void resize_pools(void) {
  number *allocated = performance_values[pv_allocated];
  number memory = 0;
  for (int pool = 0; pool < pool_count; ++pool) {
    number enough = control_values[cv_pool_reduced][pool];
    if (enough < in_use[pool]) enough = in_use[pool];
    if (control_values[cv_pool_control][0] != 0 && allocated[pool] > enough) allocated[pool] = enough;
    memory += allocated[pool] * size_of_buffer(pool);
  }
  performance_values[pv_pool_memory][0] = memory;
}

static int pool_for(number bytes) {
  if (bytes > control_values[cv_eager_threshold][0]) return pool_count;
  int pool = 0;
  while (pool < pool_count && bytes > size_of_buffer(pool)) ++pool;
  return pool;
}

/* The pool, for give_back. */
static int take(int count, MPI_Datatype type) {
  int bytes = 0;
  PMPI_Type_size(type, &bytes);
  begin();
  const int pool = pool_for((number)bytes * count);
  if (pool < pool_count) {
    number *allocated = &performance_values[pv_allocated][pool], *most = &performance_values[pv_most_used][pool];
    if (++in_use[pool] > *allocated) *allocated += more_at_once;
    if (in_use[pool] > *most) *most = in_use[pool];
    resize_pools();
  }
  end(NULL);
  return pool;
}

static void give_back(int pool) {
  begin();
  if (pool < pool_count) --in_use[pool];
  resize_pools();
  end(NULL);
}

static void give_all_back(void) {
  begin();
  for (int pool = 0; pool < pool_count; ++pool) in_use[pool] = 0;
  resize_pools();
  end(NULL);
}

int MPI_Send(const void *from, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm) {
  const int pool = take(count, type);
  const int code = PMPI_Send(from, count, type, to, tag, comm);
  give_back(pool);
  return code;
}

int MPI_Isend(const void *from, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm, MPI_Request *request) {
  take(count, type);
  return PMPI_Isend(from, count, type, to, tag, comm, request);
}

int MPI_Wait(MPI_Request *request, MPI_Status *status) { return give_all_back(), PMPI_Wait(request, status); }
int MPI_Waitall(int count, MPI_Request requests[], MPI_Status statuses[]) {
  return give_all_back(), PMPI_Waitall(count, requests, statuses);
}
