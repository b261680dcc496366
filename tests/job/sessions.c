// SPDX-License-Identifier: BSD-3-Clause
// sessions.c - MPI by sessions, in the order that the letters of the rank's argument (or of the last one) say
//
//   o  opens a session        w  makes a communicator of mpi://WORLD, sends 100 bytes round it
//   c  finalizes the oldest   i, f  MPI_Init, MPI_Finalize
//   x  _exit(3)               e  exit(3)
//   u  becomes another user   b  rank 0 sends 4 MB to 1 by MPI_Bsend, which receives it after a while

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

enum { most = 8 };
static MPI_Session sessions[most];
static int opened;
static int closed;

static void use_world(void) {
  char text[100] = "";
  MPI_Group group;
  MPI_Comm comm;
  int rank;
  int size;
  MPI_Group_from_session_pset(sessions[closed], "mpi://WORLD", &group);
  MPI_Comm_create_from_group(group, "sessions", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &comm);
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  MPI_Sendrecv_replace(text, sizeof text, MPI_CHAR, (rank + 1) % size, 7, (rank + size - 1) % size, 7, comm,
                       MPI_STATUS_IGNORE);
  MPI_Barrier(comm);
  MPI_Comm_free(&comm);
  MPI_Group_free(&group);
}

/* Rank 0 goes on at once. */
static void send_large(int rank) {
  enum { bytes = 1 << 22 };
  static char message[bytes];
  static char buffer[bytes + MPI_BSEND_OVERHEAD];
  MPI_Group group;
  MPI_Comm comm;
  MPI_Group_from_session_pset(sessions[closed], "mpi://WORLD", &group);
  MPI_Comm_create_from_group(group, "large", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &comm);
  if (rank == 0) {
    MPI_Buffer_attach(buffer, sizeof buffer);
    MPI_Bsend(message, bytes, MPI_CHAR, 1, 8, comm);
  } else {
    nanosleep(&(struct timespec){0, 300000000}, NULL);
    MPI_Recv(message, bytes, MPI_CHAR, 0, 8, comm, MPI_STATUS_IGNORE);
  }
  MPI_Comm_free(&comm);
  MPI_Group_free(&group);
}

int main(int argc, char **argv) {
  const char *const launched = getenv("PMI_RANK");
  const int rank = launched == NULL ? 0 : atoi(launched);
  for (const char *step = argv[rank + 1 < argc ? rank + 1 : argc - 1]; *step != '\0'; ++step) switch (*step) {
      case 'o':
        MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &sessions[opened++]);
        break;
      case 'w':
        use_world();
        break;
      case 'c':
        MPI_Session_finalize(&sessions[closed++]);
        break;
      case 'i':
        MPI_Init(&argc, &argv);
        break;
      case 'f':
        MPI_Finalize();
        break;
      case 'x':
        _exit(3);
      case 'b':
        send_large(rank);
        break;
      case 'u':
        if (setgid(65534) != 0 || setuid(65534) != 0) return 9;
        break;
      case 'e':
        exit(3);
      default:
        return 9;
    }
  printf("ok\n");
  return 0;
}
