/* SPDX-License-Identifier: BSD-3-Clause */
/* classes.c - two classes of ranks, as in the published figure of MVAPICH2's buffers: the upper half has more messages under
 * way than the lower one. At four moments each rank asks for a sample; the answers of what is written otherwise are said.
 */

#include <mpi.h>
#include <stdio.h>

#include "codes.h"

enum { size = 16384, few = 10, many = 128 };

static int write_sample(int number) {
  int index = 0, count = 0;
  MPI_T_cvar_handle handle;
  int code = MPI_T_cvar_get_index("vars_sample", &index);
  if (code == MPI_SUCCESS) code = MPI_T_cvar_handle_alloc(index, NULL, &handle, &count);
  if (code != MPI_SUCCESS) return code;
  code = MPI_T_cvar_write(handle, &number);
  MPI_T_cvar_handle_free(&handle);
  return code;
}

int main(int argc, char *argv[]) {
  static char out[size], in[many][size];
  int rank, ranks, provided;
  static MPI_Status statuses[many]; /* MPICH's MPI_STATUSES_IGNORE makes gcc warn */
  MPI_Request sends[many], receives[many];
  MPI_T_init_thread(MPI_THREAD_SINGLE, &provided);
  printf("before: %s\n", name_of_code(write_sample(1)));
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const int messages = rank < ranks / 2 ? few : many;
  for (int step = 0; step < 4; ++step) {
    for (int i = 0; i < messages; ++i) MPI_Irecv(in[i], size, MPI_CHAR, rank, i, MPI_COMM_WORLD, &receives[i]);
    if (step > 0)
      for (int i = 0; i < messages; ++i) MPI_Isend(out, size, MPI_CHAR, rank, i, MPI_COMM_WORLD, &sends[i]);
    if (write_sample(step) != MPI_SUCCESS) printf("no sample\n");
    if (step > 0) MPI_Waitall(messages, sends, statuses);
    for (int i = 0; step == 0 && i < messages; ++i) MPI_Cancel(&receives[i]);
    MPI_Waitall(messages, receives, statuses);
  }
  MPI_Finalize();
  printf("after: %s\n", name_of_code(write_sample(1)));
  return 0;
}
