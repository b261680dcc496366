// SPDX-License-Identifier: BSD-3-Clause
// spawn.c - processes that a program spawns run under the same stack, and write into a folder of their own.
//
// A part of the innermost layer of every stack, so that all tools see the program's own call. It starts
// `cairn run … -- COMMAND` in place of COMMAND, which becomes COMMAND. A command that cannot be found here is left to
// the library, whose error the program then gets.

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cairn/tool.h"
#include "engine.hpp"

enum { WORDS = 9, PATH_LENGTH = 4096 };

static const char *cairn = "";   // the command
static const char *tools = "";   // as after --tools; "": the command is left as it is
static const char *out = "";     // the parents' run folder, as agreed from MPI_Init on; the children's lie in it
static const char *strict = "";  // "1": --strict
static int usable;               // whether the command is there
static int own_rank;             // in the job
static int spawns;

static const char *option(const struct cairn_tool_instance *instance, const char *name) {
  for (uint32_t i = 0; i < instance->option_count; ++i)
    if (strcmp(instance->options[i].name, name) == 0) return instance->options[i].value;
  return "";
}

int cairn_engine_start_spawn(const struct cairn_tool_instance *instance) {
  cairn = option(instance, "cairn");
  tools = option(instance, "tools");
  out = option(instance, "out");
  strict = option(instance, "strict");
  const int wanted = *tools != '\0';
  usable = wanted && access(cairn, X_OK) == 0;
  return usable || !wanted ? 0 : 1;
}

void cairn_engine_set_spawn_place(const char *folder, int rank) {
  out = folder;
  own_rank = rank;
}

static int in_search_path(const char *command) {
  const char *folders = getenv("PATH");
  char path[PATH_LENGTH];
  for (const char *folder = folders; folder != NULL && *folder != '\0';) {
    const size_t length = strcspn(folder, ":");
    if (snprintf(path, sizeof path, "%.*s/%s", (int)length, folder, command) < (int)sizeof path &&
        access(path, X_OK) == 0)
      return 1;
    folder += length + (folder[length] == ':');
  }
  return 0;
}

static int can_be_found(const char *command) {
  if (command == NULL) return 0;
  return strchr(command, '/') != NULL ? access(command, X_OK) == 0 : in_search_path(command);
}

static size_t length_of(char *const argv[]) {
  size_t length = 0;
  while (argv != NULL && argv[length] != NULL) ++length;
  return length;
}

// Whether command and arguments count here. Of a communicator that is none the library complains, in the name of its own
// function.
static int is_root(MPI_Comm comm, int root) {
  int rank = 0;
  return comm != MPI_COMM_NULL && PMPI_Comm_rank(comm, &rank) == MPI_SUCCESS && rank == root;
}

// One spawned command in our terms; `words` is NULL where it stays as the program gave it.
struct command {
  char **words;
  char folder[PATH_LENGTH];
};

static void translate(struct command *to, char *command, char *argv[], int number) {
  const size_t length = length_of(argv);
  to->words = usable && can_be_found(command) ? malloc((WORDS + length + 1) * sizeof *to->words) : NULL;
  if (to->words == NULL) return;
  snprintf(to->folder, sizeof to->folder, "%s/spawned-%d-%d", out, own_rank, number);
  size_t next = 0;
  const char *const first[] = {"run", "--alone", "--tools", tools, "--out", to->folder};
  for (size_t i = 0; i < sizeof first / sizeof *first; ++i) to->words[next++] = (char *)first[i];
  if (*strict != '\0') to->words[next++] = (char *)"--strict";
  to->words[next++] = (char *)"--";
  to->words[next++] = command;
  for (size_t i = 0; i < length; ++i) to->words[next++] = argv[i];
  to->words[next] = NULL;
}

int MPI_Comm_spawn(const char *command, char *argv[], int maxprocs, MPI_Info info, int root, MPI_Comm comm,
                   MPI_Comm *intercomm, int array_of_errcodes[]) {
  struct command ours = {0};
  if (is_root(comm, root)) translate(&ours, (char *)command, argv, ++spawns);
  const int result = ours.words == NULL
                         ? PMPI_Comm_spawn(command, argv, maxprocs, info, root, comm, intercomm, array_of_errcodes)
                         : PMPI_Comm_spawn(cairn, ours.words, maxprocs, info, root, comm, intercomm, array_of_errcodes);
  free(ours.words);
  return result;
}

struct commands {
  struct command *each;
  char **names;
  char ***argvs;
};

static void release(struct commands *ours, int count) {
  for (int i = 0; ours->each != NULL && i < count; ++i) free(ours->each[i].words);
  free(ours->each);
  free(ours->names);
  free(ours->argvs);
}

static int translate_all(struct commands *ours, int count, char *names[], char **argvs[]) {
  const size_t length = (size_t)count;
  ours->each = calloc(length, sizeof *ours->each);
  ours->names = calloc(length, sizeof *ours->names);
  ours->argvs = calloc(length, sizeof *ours->argvs);
  if (ours->each == NULL || ours->names == NULL || ours->argvs == NULL) return 0;
  ++spawns;
  for (int i = 0; i < count; ++i) {
    char **argv = argvs == MPI_ARGVS_NULL ? NULL : argvs[i];
    translate(&ours->each[i], names[i], argv, spawns);
    const int kept = ours->each[i].words == NULL;
    ours->names[i] = kept ? names[i] : (char *)cairn;
    ours->argvs[i] = kept ? argv : ours->each[i].words;
    if (ours->argvs[i] == NULL) return 0;  // a command that cannot be found, without arguments: as the program gave it
  }
  return 1;
}

int MPI_Comm_spawn_multiple(int count, char *array_of_commands[], char **array_of_argv[], const int array_of_maxprocs[],
                            const MPI_Info array_of_info[], int root, MPI_Comm comm, MPI_Comm *intercomm,
                            int array_of_errcodes[]) {
  struct commands ours = {0};
  if (is_root(comm, root) && count > 0 && array_of_commands != NULL &&
      translate_all(&ours, count, array_of_commands, array_of_argv)) {
    array_of_commands = ours.names;
    array_of_argv = ours.argvs;
  }
  const int result = PMPI_Comm_spawn_multiple(count, array_of_commands, array_of_argv, array_of_maxprocs, array_of_info,
                                              root, comm, intercomm, array_of_errcodes);
  release(&ours, count);
  return result;
}
