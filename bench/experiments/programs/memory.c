/* SPDX-License-Identifier: BSD-3-Clause */
/* memory.c - the memory that a process has after its first MPI call, which builds the stack: in modules, and elsewhere. */
/*
 * memory NAME prints one line of JSON: KiB in RAM of mappings of files whose path contains NAME, and the anonymous
 * memory (heap, what was written) of all others. Neither depends on which other processes run.
 */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

static long kib_of(FILE *maps, const char *field, const char *name, int inside) {
  char line[4352], format[32];
  long sum = 0, kib;
  int counts = 0;
  snprintf(format, sizeof format, "%s: %%ld", field);
  rewind(maps);
  while (fgets(line, sizeof line, maps) != NULL) {
    unsigned long begin, end;
    if (sscanf(line, "%lx-%lx ", &begin, &end) == 2) counts = (strstr(line, name) != NULL) == inside;
    else if (counts && sscanf(line, format, &kib) == 1) sum += kib;
  }
  return sum;
}

int main(int argc, char **argv) {
  int initialized;
  MPI_Initialized(&initialized);
  FILE *const maps = fopen("/proc/self/smaps", "r");
  if (argc < 2 || maps == NULL) {
    fprintf(stderr, "memory: needs a name, and /proc\n");
    return 2;
  }
  const long modules = kib_of(maps, "Rss", argv[1], 1), others = kib_of(maps, "Anonymous", argv[1], 0);
  fclose(maps);
  MPI_Init(&argc, &argv);
  printf("{\"modules_kib\": %ld, \"others_kib\": %ld}\n", modules, others);
  MPI_Finalize();
  return 0;
}
