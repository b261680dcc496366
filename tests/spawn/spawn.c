// SPDX-License-Identifier: BSD-3-Clause
// spawn.c - one process spawns two copies of itself, twice, and hears from each.
//
// Calls of the parent: Init 1, Comm_get_parent 1, Comm_spawn 1, Comm_spawn_multiple 1, Recv 4, Comm_disconnect 2,
// Finalize 1. Calls of every child: Init 1, Comm_get_parent 1, Send 1, Comm_disconnect 1, Finalize 1. The program's own
// `env` must arrive.

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int child(MPI_Comm parent) {
  const char *marker = getenv("SPAWN_MARKER");
  const int good = marker != NULL && strcmp(marker, "here") == 0;
  MPI_Send(&good, 1, MPI_INT, 0, 0, parent);
  MPI_Comm_disconnect(&parent);
  MPI_Finalize();
  return 0;
}

static int hear(MPI_Comm children) {
  int sum = 0;
  for (int i = 0; i < 2; ++i) {
    int good = 0;
    MPI_Recv(&good, 1, MPI_INT, i, 0, children, MPI_STATUS_IGNORE);
    sum += good;
  }
  MPI_Comm_disconnect(&children);
  return sum;
}

int main(int argc, char **argv) {
  MPI_Comm parent;
  MPI_Comm children;
  MPI_Info info;
  MPI_Init(&argc, &argv);
  MPI_Comm_get_parent(&parent);
  if (parent != MPI_COMM_NULL) return child(parent);

  MPI_Info_create(&info);
  MPI_Info_set(info, "env", "SPAWN_MARKER=here");
  MPI_Comm_spawn(argv[0], MPI_ARGV_NULL, 2, info, 0, MPI_COMM_SELF, &children, MPI_ERRCODES_IGNORE);
  int heard = hear(children);
  char *commands[] = {argv[0], argv[0]};
  int counts[] = {1, 1};
  MPI_Info infos[] = {info, info};
  MPI_Comm_spawn_multiple(2, commands, MPI_ARGVS_NULL, counts, infos, 0, MPI_COMM_SELF, &children, MPI_ERRCODES_IGNORE);
  heard += hear(children);
  MPI_Info_free(&info);
  printf("heard %d of 4\n", heard);
  MPI_Finalize();
  return heard != 4;
}
