// SPDX-License-Identifier: BSD-3-Clause
// ring_cxx.cc - pass a token ten times around the ring of ranks, in C++ over the C interface.
//
// Needs at least 2 ranks. Calls of every rank:
//   Init 1, Comm_rank 1, Comm_size 1, Send 10, Recv 10, Bcast 1, Barrier 1, Allreduce 1, Finalize 1
// Bytes of every rank: 8000 sent to the next rank (10 x 100 double), 8000 received from the one
// before; Bcast of 80 bytes from rank 0; 8 bytes into Allreduce.

// The old C++ bindings would pull libmpi_cxx into the executable; they left MPI in version 3.0.
#define OMPI_SKIP_MPICXX 1
#define MPICH_SKIP_MPICXX 1
#include <mpi.h>

#include <algorithm>
#include <array>
#include <iostream>
#include <vector>

namespace {

constexpr int rounds = 10;
constexpr int token_length = 100;
constexpr int bcast_length = 10;

// MPI_Finalize runs on every way out of the scope, as C++ users like to have it.
class Session {
 public:
  Session(int &argc, char **&argv) {
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
  }
  ~Session() { MPI_Finalize(); }
  Session(const Session &) = delete;
  Session &operator=(const Session &) = delete;

  int rank = 0;
  int size = 0;
};

int count_different(const std::vector<double> &values, double expected) {
  return static_cast<int>(values.size() - std::count(values.begin(), values.end(), expected));
}

void receive_from(int source, int tag, std::vector<double> &token) {
  MPI_Status status;
  MPI_Recv(token.data(), token_length, MPI_DOUBLE, source, tag, MPI_COMM_WORLD, &status);
}

int pass_token(const Session &session) {
  const int next = (session.rank + 1) % session.size;
  const int previous = (session.rank + session.size - 1) % session.size;
  std::vector<double> token(token_length, 0.0);
  int errors = 0;
  for (int round = 0; round < rounds; ++round) {
    // Rank 0 sends first and receives last: blocking calls need one rank to break the circle.
    if (session.rank != 0) {
      receive_from(previous, round, token);
      errors += count_different(token, round * session.size + session.rank);
    }
    for (double &value : token) value += 1.0;
    MPI_Send(token.data(), token_length, MPI_DOUBLE, next, round, MPI_COMM_WORLD);
    if (session.rank == 0) {
      receive_from(previous, round, token);
      errors += count_different(token, (round + 1) * session.size);
    }
  }
  return errors;
}

bool run(const Session &session) {
  int errors = pass_token(session);

  std::vector<double> shared(bcast_length, session.rank == 0 ? 0.5 : -1.0);
  MPI_Bcast(shared.data(), bcast_length, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  errors += count_different(shared, 0.5);

  MPI_Barrier(MPI_COMM_WORLD);

  const std::array<int, 2> mine{session.rank, errors};
  std::array<int, 2> sum{};
  MPI_Allreduce(mine.data(), sum.data(), 2, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  const bool right = sum[0] == session.size * (session.size - 1) / 2 && sum[1] == 0;
  if (session.rank == 0)
    std::cout << (right ? "ok" : "wrong") << " ring_cxx: " << session.size << " ranks, " << rounds
              << " rounds, rank sum " << sum[0] << ", errors " << sum[1] << std::endl;
  return right;
}

}  // namespace

int main(int argc, char **argv) {
  const Session session(argc, argv);
  if (session.size < 2) {
    std::cerr << "ring_cxx: error: needs at least 2 ranks\n";
    return 2;
  }
  return run(session) ? 0 : 1;
}
