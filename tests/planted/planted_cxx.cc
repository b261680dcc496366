// SPDX-License-Identifier: BSD-3-Clause
// planted_cxx.cc - as planted_c.c, in C++
//
//   uneven_work            ranks do the same work, and rank 1 has more of it
//   no_overlap             a transfer is waited for at once, and work comes after it
//   small_collectives      a reduction for each number
//   communicator_creation  a communicator made in each step
//   healthy                none of it, whatever is asked for
#include <mpi.h>

#include <chrono>
#include <cstdio>
#include <map>
#include <string>
#include <thread>
#include <vector>

namespace {

constexpr int steps = 16;
constexpr double step_s = 0.01;

int rank, size;
bool is_planted;
double lost_s;

void work(double seconds) { std::this_thread::sleep_for(std::chrono::duration<double>(seconds)); }

/// Adds the time that a call takes to what is lost.
template <class Call>
void timed(Call call) {
  const double before = MPI_Wtime();
  call();
  lost_s += MPI_Wtime() - before;
}

void uneven_work() {
  double mine = 1, sum;
  for (int step = 0; step < steps; ++step) {
    work(step_s * (is_planted && rank == 1 ? 5 : 3));
    timed([&] {
      MPI_Allreduce(&mine, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);  // PLANTED: uneven_work
    });
  }
}

void no_overlap() {
  constexpr int numbers = 1 << 21;
  static std::vector<double> out(numbers), in(numbers);
  for (int step = 0; step < steps; ++step) {
    MPI_Request requests[2];
    MPI_Irecv(in.data(), numbers, MPI_DOUBLE, rank ^ 1, 0, MPI_COMM_WORLD, &requests[0]);   // PLANTED: no_overlap
    MPI_Isend(out.data(), numbers, MPI_DOUBLE, rank ^ 1, 0, MPI_COMM_WORLD, &requests[1]);  // PLANTED: no_overlap
    if (!is_planted)
      for (int done = 0, part = 0; part < 20; ++part) MPI_Testall(2, requests, &done, MPI_STATUSES_IGNORE);
    timed([&] { MPI_Waitall(2, requests, MPI_STATUSES_IGNORE); });
    work(step_s / 4);
  }
}

void small_collectives() {
  constexpr int sums = 2500;  // in a step
  std::vector<double> mine(sums, 1), sum(sums);
  for (int step = 0; step < steps; ++step) {
    work(step_s);
    timed([&] {
      if (!is_planted) MPI_Allreduce(mine.data(), sum.data(), sums, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
      else
        for (int i = 0; i < sums; ++i)
          MPI_Allreduce(&mine[i], &sum[i], 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);  // PLANTED: small_collectives
    });
  }
}

void communicator_creation() {
  constexpr int copies = 250;  // in a step
  for (int step = 0; step < steps; ++step) {
    work(step_s);
    for (int copy = 0; copy < (is_planted ? copies : 1); ++copy) {
      MPI_Comm made;
      timed([&] {
        MPI_Comm_dup(MPI_COMM_WORLD, &made);  // PLANTED: communicator_creation
      });
      MPI_Comm_free(&made);
    }
  }
}

void healthy() {
  double mine[256] = {}, sum[256];
  for (int step = 0; step < steps; ++step) {
    work(2 * step_s);
    MPI_Sendrecv(mine, 256, MPI_DOUBLE, rank ^ 1, 0, sum, 256, MPI_DOUBLE, rank ^ 1, 0, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
  }
  MPI_Allreduce(mine, sum, 256, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

const std::map<std::string, void (*)()> kinds = {{"uneven_work", uneven_work},
                                                 {"no_overlap", no_overlap},
                                                 {"small_collectives", small_collectives},
                                                 {"communicator_creation", communicator_creation},
                                                 {"healthy", healthy}};

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  is_planted = argc > 2 && argv[2] == std::string("with");
  MPI_Barrier(MPI_COMM_WORLD);
  const double start = MPI_Wtime();
  kinds.at(argv[1])();
  MPI_Barrier(MPI_COMM_WORLD);
  std::printf("lost %.6f\n", lost_s);
  if (rank == 0) std::printf("run %.6f\n", MPI_Wtime() - start);
  MPI_Finalize();
}
