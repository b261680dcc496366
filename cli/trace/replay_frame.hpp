// SPDX-License-Identifier: BSD-3-Clause
// replay_frame.hpp - what is the same in all programs that `cairn trace --replay` writes
#pragma once

namespace cairn::cli {

inline constexpr const char* replay_includes = R"(#include <mpi.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

)";

/// After the program's own `#define`s.
inline constexpr const char* replay_beginning = R"(
/* Receives from anyone have the message that they had in the run. With -DANYONE they take what comes first, as the program did:
   then it may go otherwise, or hang. */
#ifdef ANYONE
#define FROM(rank) MPI_ANY_SOURCE
#define TAG(tag) MPI_ANY_TAG
#else
#define FROM(rank) (rank)
#define TAG(tag) (tag)
#endif

MPI_Comm c[COMMS], no_comm;
MPI_Request r[REQUESTS], over = MPI_REQUEST_NULL, taken[TAKEN];
MPI_Message m[MESSAGES];
MPI_Datatype t[TYPES]; /* of as many bytes as the program's own */
MPI_Op keep;
MPI_Group group = MPI_GROUP_NULL;
int rank, flag, at, known, which[TAKEN], places[TAKEN];
void *buffer;
char *out;
double speed = 1;
const long long *next_time;

static inline long long now(void) {
  struct timespec moment;
  clock_gettime(CLOCK_MONOTONIC, &moment);
  return moment.tv_sec * 1000000000LL + moment.tv_nsec;
}

/* What the program did between two calls. */
static inline void work(long long ns) {
  const long long wanted = (long long)(speed * (double)ns), begin = wanted > 0 ? now() : 0;
  while (wanted > 0 && now() - begin < wanted) {
  }
}

static inline long long next(void) { return *next_time++; }

/* Room for what is received; each request has its own. */
static inline void *in(int request, size_t bytes) {
  static struct {
    size_t size;
    void *room;
  } rooms[REQUESTS + 1];
  if (rooms[request + 1].size < bytes || rooms[request + 1].room == NULL) {
    free(rooms[request + 1].room);
    rooms[request + 1].room = calloc(bytes + 1, 1);
    rooms[request + 1].size = bytes;
  }
  return rooms[request + 1].room;
}

/* An array of so many requests: `some` of r, the others are over. */
static inline void take(int count, int some, ...) {
  va_list all;
  va_start(all, some);
  for (int i = 0; i < count; ++i) taken[i] = MPI_REQUEST_NULL;
  for (known = 0; known < some; ++known) taken[known] = r[which[known] = va_arg(all, int)];
  va_end(all);
}
static inline void put(void) {
  for (int i = 0; i < known; ++i) r[which[i]] = taken[i];
}

/* Until as many are complete as were then. */
static inline void wait_some(int count, MPI_Request *requests, int wanted) {
  do {
    MPI_Waitsome(count, requests, &at, places, MPI_STATUSES_IGNORE);
  } while (at > 0 && (wanted -= at) > 0);
}
static inline void test_some(int count, MPI_Request *requests, int wanted) {
  do {
    MPI_Testsome(count, requests, &at, places, MPI_STATUSES_IGNORE);
  } while (at >= 0 && (wanted -= at) > 0);
}

static inline MPI_Group group_of(int count, ...) {
  va_list all;
  MPI_Group world;
  int *ranks = malloc((size_t)count * sizeof *ranks);
  va_start(all, count);
  for (int i = 0; i < count; ++i) ranks[i] = va_arg(all, int);
  va_end(all);
  if (group != MPI_GROUP_NULL) MPI_Group_free(&group);
  MPI_Comm_group(MPI_COMM_WORLD, &world);
  MPI_Group_incl(world, count, ranks, &group);
  MPI_Group_free(&world);
  free(ranks);
  return group;
}

/* In place of operations that are not known. */
static inline void nothing(void *a, void *b, int *count, MPI_Datatype *type) { (void)a, (void)b, (void)count, (void)type; }

)";

/// After the ranks' functions and their list.
inline constexpr const char* replay_end = R"(
int main(int argc, char **argv) {
  static const int sizes[TYPES + 1] = {SIZES};
  int size, given;
  if (argc > 1) speed = atof(argv[1]);
  INIT;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (size != RANKS) {
    if (rank == 0) fprintf(stderr, "%s: replays a run of %d ranks: start as many\n", argv[0], RANKS);
    MPI_Finalize();
    return 1;
  }
  for (given = 0; given < TYPES; ++given) {
    MPI_Type_contiguous(sizes[given], MPI_BYTE, &t[given]);
    MPI_Type_commit(&t[given]);
  }
  MPI_Op_create(nothing, 1, &keep);
  out = calloc(OUT, 1);
  c[0] = MPI_COMM_WORLD;
  c[1] = MPI_COMM_SELF;
  const long long begin = now();
  const int is_ended = ranks[rank]();
  const double took = 1e-9 * (double)(now() - begin);
  if (rank == 0) fprintf(stderr, "%s: rank 0 took %.6f s, in the run %.6f s\n", argv[0], took, TOOK);
  while (!is_ended) sleep(1); /* the run ended here without MPI_Finalize */
  for (given = 0; given < TYPES; ++given) MPI_Type_free(&t[given]);
  MPI_Op_free(&keep);
  MPI_Finalize();
  return 0;
}
)";

}  // namespace cairn::cli
