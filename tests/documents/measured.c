/* SPDX-License-Identifier: BSD-3-Clause */
/* measured.c - stands in for the programs of docs/tuning.md where `cairn tune` is tried: linked with MPI, so that its names are
 * checked, but what it says follows from its environment alone, at once and always the same. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern char **environ;

int main(void) {
  static const char *const names[] = {"OMPI_MCA_btl_vader_eager_limit=", "OMPI_MCA_coll_tuned_allreduce_algorithm=",
                                      "MPIR_CVAR_ALLTOALL_INTRA_ALGORITHM=", "UCX_RNDV_THRESH="};
  double figure = 100;
  for (char **variable = environ; *variable != NULL; ++variable)
    for (size_t i = 0; i < sizeof names / sizeof *names; ++i)
      if (strncmp(*variable, names[i], strlen(names[i])) == 0 && strcmp(*variable + strlen(names[i]), "4096") != 0)
        figure = 50;
  printf("time: %.1f us per call\nmemory: %.1f MB more\n", figure, figure);
  return 0;
}
