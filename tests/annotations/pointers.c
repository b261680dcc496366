/* SPDX-License-Identifier: BSD-3-Clause */
/* pointers.c - a program whose regions are marked through pointers: Caliper's functions, or its own with an argument. */

#include <mpi.h>
#include <stdio.h>

void cali_begin_region(const char* name);
void cali_end_region(const char* name);

void (*begin)(const char*) = cali_begin_region;
void (*end)(const char*) = cali_end_region;

static void own_begin(const char* name) { printf("own begin %s\n", name); }
static void own_end(const char* name) { printf("own end %s\n", name); }

int main(int argc, char** argv) {
  if (argc > 1) {
    begin = own_begin;
    end = own_end;
  }
  MPI_Init(&argc, &argv);
  begin("pointed");
  MPI_Barrier(MPI_COMM_WORLD);
  end("pointed");
  MPI_Finalize();
  return 0;
}
