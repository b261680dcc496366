/* SPDX-License-Identifier: BSD-3-Clause */
/* refused.c - spawns nothing, and on no communicator; frees a communicator whose attribute does not let it go. Tells which calls
   fail, and how often the error handler is called. */

#include <mpi.h>
#include <stdio.h>

static int heard;

static void hear(MPI_Comm* comm, int* code, ...) {
  (void)comm, (void)code;
  ++heard;
}

static int keep(MPI_Comm comm, int key, void* value, void* state) {
  (void)comm, (void)key, (void)value;
  return *(int*)state ? MPI_SUCCESS : MPI_ERR_OTHER;
}

static void tell(const char* what, int code) {
  int class;
  MPI_Error_class(code, &class);
  printf("%s: class %d, heard %d\n", what, class, heard);
  heard = 0;
}

int main(int argc, char** argv) {
  MPI_Errhandler handler;
  MPI_Comm comm, children;
  char* nothing[] = {NULL};
  const int one[] = {1};
  const MPI_Info infos[] = {MPI_INFO_NULL};
  int rank, key, may_go = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_create_errhandler(hear, &handler);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, handler);
  if (rank == 0) {
    tell("nothing",
         MPI_Comm_spawn(NULL, MPI_ARGV_NULL, 1, MPI_INFO_NULL, 0, MPI_COMM_SELF, &children, MPI_ERRCODES_IGNORE));
    tell("nothing of several", MPI_Comm_spawn_multiple(1, nothing, MPI_ARGVS_NULL, one, infos, 0, MPI_COMM_SELF,
                                                       &children, MPI_ERRCODES_IGNORE));
    tell("on none",
         MPI_Comm_spawn("x", MPI_ARGV_NULL, 1, MPI_INFO_NULL, 0, MPI_COMM_NULL, &children, MPI_ERRCODES_IGNORE));
  }
  MPI_Comm_dup(MPI_COMM_SELF, &comm);
  MPI_Comm_set_errhandler(comm, handler);
  MPI_Barrier(comm);
  MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, keep, &key, &may_go);
  MPI_Comm_set_attr(comm, key, NULL);
  heard = 0;
  tell("kept", MPI_Comm_free(&comm));
  printf("%s\n", comm == MPI_COMM_NULL ? "gone" : "there");
  may_go = 1;
  if (comm != MPI_COMM_NULL) {
    MPI_Barrier(comm);
    tell("let go", MPI_Comm_free(&comm));
  }
  MPI_Finalize();
  return 0;
}
