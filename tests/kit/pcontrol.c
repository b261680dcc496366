// SPDX-License-Identifier: BSD-3-Clause
// pcontrol.c - a program that gives MPI_Pcontrol what its level says, and a PMPI tool that prints it (-DTOOL)
//
// Level 1: none; 2: four ints; 3: eight doubles; 4: ints and doubles in turn, four each; 5: a text, then twelve ints.

#include <mpi.h>
#include <stdarg.h>
#include <stdio.h>

#ifdef TOOL
static void print_ints(va_list list, int count) {
  for (int i = 0; i < count; ++i) fprintf(stderr, " %d", va_arg(list, int));
}

int MPI_Pcontrol(const int level, ...) {
  va_list list;
  va_start(list, level);
  fprintf(stderr, "%d:", level);
  if (level == 2) print_ints(list, 4);
  for (int i = 0; level == 3 && i < 8; ++i) fprintf(stderr, " %.2f", va_arg(list, double));
  for (int i = 0; level == 4 && i < 4; ++i) {
    fprintf(stderr, " %d", va_arg(list, int));
    fprintf(stderr, " %.2f", va_arg(list, double));
  }
  if (level == 5) {
    fprintf(stderr, " %s", va_arg(list, const char *));
    print_ints(list, 12);
  }
  fprintf(stderr, "\n");
  va_end(list);
  return MPI_SUCCESS;
}
#else
int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  MPI_Pcontrol(1);
  MPI_Pcontrol(2, -1, 2, 3, 2147483647);
  MPI_Pcontrol(3, 0.25, 1.25, 2.25, 3.25, 4.25, 5.25, 6.25, -7.25);
  MPI_Pcontrol(4, 1, 0.5, 2, 1.5, 3, 2.5, 4, 3.5);
  MPI_Pcontrol(5, "text", 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12);
  MPI_Finalize();
  return 0;
}
#endif
