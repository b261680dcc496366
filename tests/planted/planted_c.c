// SPDX-License-Identifier: BSD-3-Clause
// planted_c.c - programs with one known problem each, with it or without: what `cairn advise` makes of them
//
//   mpirun -n 2 cairn run --tools profile,comm,waits planted_c KIND with|without
//
//   late_sender           rank 0 works longer before it sends
//   late_message          rank 0 sends what the others need after its work, where it could be sent before
//   late_receiver         rank 1 works longer before it receives what is too large to be sent at once
//   late_rank             rank 1 does something before a collective call that the others do not
//   serial_chain          each rank works after the one before it, instead of all at once
//   needless_barrier      ranks that are late in turn meet at a barrier in each step
//   hand_made_collective  rank 0 sends the same to all others, one after the other
//   one_sided_sync        a fence after each number that is put
//
// Work is time that passes, so ranks do not take processors from each other. The line with "PLANTED: KIND" is the place
// that a finding should name. Each rank prints the seconds that it lost there as it sees them, and rank 0 the run time.
#define _POSIX_C_SOURCE 200809L
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { steps = 16, numbers = 1 << 17 };
static const double step_s = 0.01;   // what each step needs
static const double extra_s = 0.02;  // the problem

static int rank, size, is_planted;
static int data[numbers];
static double lost_s;

static void work(double seconds) {
  const double end = MPI_Wtime() + seconds;
  for (double left = seconds; left > 0; left = end - MPI_Wtime()) {
    const struct timespec time = {0, (long)(left * 1e9)};
    nanosleep(&time, NULL);
  }
}

static void late_sender(void) {
  for (int step = 0; step < steps; ++step) {
    if (rank == 0) {
      work(step_s + (is_planted ? extra_s : 0));
      MPI_Send(data, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
    } else if (rank == 1) {
      work(step_s);
      const double before = MPI_Wtime();
      MPI_Recv(data, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);  // PLANTED: late_sender
      lost_s += MPI_Wtime() - before;
    }
  }
}

static void late_message(void) {
  for (int step = 0; step < steps; ++step) {
    if (rank == 0) {
      if (is_planted) work(2 * step_s);
      MPI_Send(data, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
      if (!is_planted) work(2 * step_s);
    } else if (rank == 1) {
      const double before = MPI_Wtime();
      MPI_Recv(data, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);  // PLANTED: late_message
      lost_s += MPI_Wtime() - before;
      work(step_s);
    }
    MPI_Barrier(MPI_COMM_WORLD);
  }
}

static void late_receiver(void) {
  for (int step = 0; step < steps; ++step) {
    if (rank == 0) {
      work(step_s);
      const double before = MPI_Wtime();
      MPI_Send(data, numbers, MPI_INT, 1, 0, MPI_COMM_WORLD);  // PLANTED: late_receiver
      lost_s += MPI_Wtime() - before;
    } else if (rank == 1) {
      work(step_s + (is_planted ? extra_s : 0));
      MPI_Recv(data, numbers, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
  }
}

static void late_rank(void) {
  double mine = 1, sum;
  for (int step = 0; step < steps; ++step) {
    work(step_s);
    MPI_Bcast(data, 1, MPI_INT, 0, MPI_COMM_WORLD);
    if (is_planted && rank == 1) work(extra_s);
    const double before = MPI_Wtime();
    MPI_Allreduce(&mine, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);  // PLANTED: late_rank
    lost_s += MPI_Wtime() - before;
  }
}

static void serial_chain(void) {
  const int from = (rank + size - 1) % size;
  for (int step = 0; step < steps; ++step) {
    if (!is_planted) work(step_s);
    const double before = MPI_Wtime();
    if (rank > 0 || step > 0)
      MPI_Recv(data, 1, MPI_INT, from, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);  // PLANTED: serial_chain
    lost_s += MPI_Wtime() - before;
    if (is_planted) work(step_s);
    if (rank < size - 1 || step < steps - 1) MPI_Send(data, 1, MPI_INT, (rank + 1) % size, 0, MPI_COMM_WORLD);
  }
}

static void needless_barrier(void) {
  for (int step = 0; step < steps; ++step) {
    work(step_s + (step % size == rank ? extra_s : 0));
    const double before = MPI_Wtime();
    if (is_planted) MPI_Barrier(MPI_COMM_WORLD);  // PLANTED: needless_barrier
    lost_s += MPI_Wtime() - before;
  }
}

static void hand_made_collective(void) {
  for (int step = 0; step < 2 * steps; ++step) {
    work(step_s / 10);
    const double before = MPI_Wtime();
    if (!is_planted) {
      MPI_Bcast(data, numbers, MPI_INT, 0, MPI_COMM_WORLD);
    } else if (rank == 0) {
      for (int other = 1; other < size; ++other)
        MPI_Send(data, numbers, MPI_INT, other, 0, MPI_COMM_WORLD);  // PLANTED: hand_made_collective
    } else {
      MPI_Recv(data, numbers, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    lost_s += MPI_Wtime() - before;
  }
}

static void one_sided_sync(void) {
  enum { puts = 1000 };  // in a step
  int* memory;
  MPI_Win window;
  MPI_Win_allocate(sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &window);
  MPI_Win_fence(0, window);
  for (int step = 0; step < steps; ++step) {
    work(step_s);
    for (int put = 0; put < puts; ++put) {
      MPI_Put(&put, 1, MPI_INT, (rank + 1) % size, 0, 1, MPI_INT, window);
      const double before = MPI_Wtime();
      if (is_planted || put == puts - 1) MPI_Win_fence(0, window);  // PLANTED: one_sided_sync
      lost_s += MPI_Wtime() - before;
    }
  }
  MPI_Win_free(&window);
}

static const struct {
  const char* name;
  void (*run)(void);
} kinds[] = {{"late_sender", late_sender},
             {"late_message", late_message},
             {"late_receiver", late_receiver},
             {"late_rank", late_rank},
             {"serial_chain", serial_chain},
             {"needless_barrier", needless_barrier},
             {"hand_made_collective", hand_made_collective},
             {"one_sided_sync", one_sided_sync}};

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  is_planted = argc > 2 && strcmp(argv[2], "with") == 0;
  MPI_Barrier(MPI_COMM_WORLD);
  const double start = MPI_Wtime();
  for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; ++i)
    if (argc > 1 && strcmp(argv[1], kinds[i].name) == 0) kinds[i].run();
  MPI_Barrier(MPI_COMM_WORLD);
  printf("lost %.6f\n", lost_s);
  if (rank == 0) printf("run %.6f\n", MPI_Wtime() - start);
  MPI_Finalize();
  return 0;
}
