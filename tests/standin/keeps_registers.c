// SPDX-License-Identifier: BSD-3-Clause
// keeps_registers.c - a program that has more numbers alive across MPI_Init than a compiler keeps in memory by choice.

#include <mpi.h>

#include <stdio.h>

static volatile long whole = 3;
static volatile double real = 0.5;

int main(int argc, char **argv) {
  const long a = whole + 1, b = whole + 2, c = whole + 3, d = whole + 4, e = whole + 5, f = whole + 6, g = whole + 7;
  const double p = real + 1, q = real + 2, r = real + 3, s = real + 4, t = real + 5, u = real + 6, v = real + 7,
               w = real + 8;
  MPI_Init(&argc, &argv);
  printf("%ld %ld %ld %ld %ld %ld %ld, %g %g %g %g %g %g %g %g\n", a, b, c, d, e, f, g, p, q, r, s, t, u, v, w);
  MPI_Finalize();
  return 0;
}
