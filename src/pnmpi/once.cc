// SPDX-License-Identifier: BSD-3-Clause
// once.cc - as PnMPI does it: a module may call MPI_Init in each stack, and all but the first call have nothing to do.

#include "pnmpi/once.hpp"

#include <atomic>

namespace cairn {

namespace {

constexpr int mpi_success = 0;

using Init = int (*)(int*, char***);
using InitThread = int (*)(int*, char***, int, int*);
using Finalize = int (*)();

int init(int* argc, char*** argv);
int init_thread(int* argc, char*** argv, int required, int* provided);
int finalize();

enum Row { init_row, init_thread_row, finalize_row };
cairn_tool_function table[] = {{"MPI_Init", reinterpret_cast<void*>(init), nullptr},
                               {"MPI_Init_thread", reinterpret_cast<void*>(init_thread), nullptr},
                               {"MPI_Finalize", reinterpret_cast<void*>(finalize), nullptr}};

std::atomic_flag has_begun;
std::atomic_flag has_ended;
std::atomic<int> provided_at_first{0};

template <class Function>
Function below(Row row) {
  return reinterpret_cast<Function>(__atomic_load_n(&table[row].next, __ATOMIC_ACQUIRE));
}

int init(int* argc, char*** argv) { return has_begun.test_and_set() ? mpi_success : below<Init>(init_row)(argc, argv); }

int init_thread(int* argc, char*** argv, int required, int* provided) {
  if (has_begun.test_and_set()) {
    *provided = provided_at_first;
    return mpi_success;
  }
  const int error = below<InitThread>(init_thread_row)(argc, argv, required, provided);
  provided_at_first = *provided;
  return error;
}

int finalize() { return has_ended.test_and_set() ? mpi_success : below<Finalize>(finalize_row)(); }

}  // namespace

std::span<cairn_tool_function> once_table() { return table; }

}  // namespace cairn
