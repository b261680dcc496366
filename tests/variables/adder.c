/* SPDX-License-Identifier: BSD-3-Clause */
/* adder.c - a tool whose own thread adds variables while the program's threads use MPI_T. */

#include <cairn/variables.h>
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>

enum { ADDED = 200 };

static const struct cairn_tool_instance *self;
static const struct cairn_variables *variables;
static pthread_t thread;

static int read_one(void *bound, void *value) {
  *(unsigned long *)value = (unsigned long)(size_t)bound;
  return CAIRN_DONE;
}

static void *add(void *unused) {
  for (size_t i = 1; i <= ADDED; ++i) {
    char name[32];
    snprintf(name, sizeof name, "n%zu", i);
    const struct cairn_variable one = {.name = name,
                                       .type = CAIRN_UNSIGNED_LONG,
                                       .variable_class = CAIRN_LEVEL,
                                       .scope = CAIRN_SCOPE_READONLY,
                                       .flags = CAIRN_CONTINUOUS,
                                       .context = (void *)i,
                                       .read = read_one};
    variables->add_control(self, &one);
    variables->add_performance(self, &one);
  }
  return unused;
}

int cairn_tool_start(const struct cairn_tool_instance *instance) {
  self = instance;
  variables = self->find(self, CAIRN_VARIABLES, CAIRN_VARIABLES_VERSION);
  return variables == NULL || pthread_create(&thread, NULL, add, NULL) != 0;
}

/* Whoever has seen a barrier return knows that all variables are there. */
int MPI_Barrier(MPI_Comm comm) {
  pthread_join(thread, NULL);
  return PMPI_Barrier(comm);
}
