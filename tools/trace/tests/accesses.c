// SPDX-License-Identifier: BSD-3-Clause
// accesses.c - on two ranks, access to each other's memory and to the file that is its argument, always the same
#include <mpi.h>

static int rank, other;
static double memory[8];

static void with_fences(MPI_Win window) {
  double value[4] = {0};
  MPI_Win_fence(0, window);
  MPI_Put(value, 3, MPI_DOUBLE, other, 0, 3, MPI_DOUBLE, window);
  MPI_Accumulate(value, 1, MPI_DOUBLE, other, 4, 1, MPI_DOUBLE, MPI_SUM, window);
  MPI_Put(value, 1, MPI_DOUBLE, MPI_PROC_NULL, 0, 1, MPI_DOUBLE, window);
  MPI_Win_fence(0, window);
}

static void with_groups(MPI_Win window) {
  double value[2];
  MPI_Group all, partner;
  MPI_Win_get_group(window, &all);
  MPI_Group_incl(all, 1, &other, &partner);
  if (rank == 0) {
    MPI_Win_start(partner, 0, window);
    MPI_Get(value, 2, MPI_DOUBLE, other, 0, 2, MPI_DOUBLE, window);
    MPI_Win_complete(window);
  } else {
    MPI_Win_post(partner, 0, window);
    MPI_Win_wait(window);
  }
  MPI_Group_free(&partner);
  MPI_Group_free(&all);
}

static void with_locks(MPI_Win window) {
  double value[2] = {0}, old[2];
  MPI_Request request;
  if (rank != 0) return;
  MPI_Win_lock(MPI_LOCK_EXCLUSIVE, other, 0, window);
  MPI_Get_accumulate(value, 2, MPI_DOUBLE, old, 2, MPI_DOUBLE, other, 0, 2, MPI_DOUBLE, MPI_SUM, window);
  MPI_Win_flush_local(other, window);
  MPI_Fetch_and_op(value, old, MPI_DOUBLE, other, 0, MPI_NO_OP, window);
  MPI_Win_flush(other, window);
  MPI_Win_unlock(other, window);
  MPI_Win_lock_all(0, window);
  MPI_Rput(value, 2, MPI_DOUBLE, other, 0, 2, MPI_DOUBLE, window, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Win_unlock_all(window);
}

static void with_a_file(const char* name) {
  MPI_File file;
  MPI_Request request;
  MPI_Status status;
  char bytes[64] = {0};
  MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file);
  MPI_File_write_at(file, 20 * rank, bytes, 20, MPI_CHAR, MPI_STATUS_IGNORE);
  MPI_File_sync(file);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_File_read_at(file, 30, bytes, 16, MPI_INT, &status);  // there are only 10 bytes
  MPI_File_read_at_all(file, 20, bytes, 5, MPI_INT, MPI_STATUS_IGNORE);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_File_iread_at(file, 0, bytes, 8, MPI_CHAR, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_File_write_at_all_begin(file, 40 + 4 * rank, bytes, 1, MPI_INT);
  MPI_File_write_at_all_end(file, bytes, MPI_STATUS_IGNORE);
  MPI_File_close(&file);
}

int main(int argc, char** argv) {
  MPI_Win window;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  other = 1 - rank;
  MPI_Win_create(memory, sizeof memory, sizeof *memory, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
  MPI_Win_set_name(window, "field");
  with_fences(window);
  with_groups(window);
  MPI_Barrier(MPI_COMM_WORLD);
  with_locks(window);
  MPI_Win_free(&window);
  with_a_file(argv[1]);
  MPI_Finalize();
}
