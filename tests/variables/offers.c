/* SPDX-License-Identifier: BSD-3-Clause */
/* offers.c - a tool with a variable of every kind: classes, bindings, types, categories, and some added while MPI runs.
 */

#include <cairn/variables.h>
#include <mpi.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

const char cairn_tool_about[] =
    "abi 2\n"
    "summary a variable of every kind\n"
    "option full none a control variable of this name, without the tool's in front\n";

static const struct cairn_tool_instance *self;
static const struct cairn_variables *variables;
static int limit = 5;
static char title[16] = "first";
static atomic_ulong barriers;
static atomic_int open_handles;
static atomic_int added;

static int read_limit(void *bound, void *value) {
  memcpy(value, bound, sizeof limit);
  return CAIRN_DONE;
}

static int write_limit(void *bound, const void *value) {
  int wanted;
  memcpy(&wanted, value, sizeof wanted);
  if (wanted < 0) return CAIRN_REFUSED;
  if (wanted > 100) return CAIRN_NOT_NOW;
  memcpy(bound, &wanted, sizeof wanted);
  return CAIRN_DONE;
}

static int read_title(void *bound, void *value) {
  memcpy(value, bound, sizeof title);
  return CAIRN_DONE;
}

static int write_title(void *bound, const void *value) {
  memcpy(bound, value, sizeof title);
  return CAIRN_DONE;
}

static void add_controls(void) {
  static const struct cairn_item colours[] = {{0, "red"}, {7, "green"}};
  static const struct cairn_enumeration colour = {"colour", 2, colours};
  static int chosen = 7;
  const struct cairn_variable all[] = {
      {.name = "limit",
       .description = "a number up to 100",
       .type = CAIRN_INT,
       .scope = CAIRN_SCOPE_ALL,
       .verbosity = CAIRN_TUNER_DETAIL,
       .context = &limit,
       .read = read_limit,
       .write = write_limit},
      {.name = "title",
       .description = "a text",
       .type = CAIRN_CHAR,
       .count = sizeof title,
       .context = title,
       .scope = CAIRN_SCOPE_LOCAL,
       .category = "texts",
       .read = read_title,
       .write = write_title},
      {.name = "fixed", .scope = CAIRN_SCOPE_CONSTANT, .context = &limit, .read = read_limit, .write = write_limit},
      {.name = "colour",
       .scope = CAIRN_SCOPE_GROUP_EQ,
       .enumeration = &colour,
       .context = &chosen,
       .read = read_limit,
       .write = write_limit},
  };
  for (size_t i = 0; i < sizeof all / sizeof *all; ++i) variables->add_control(self, &all[i]);
}

/* Every class reads the number of barriers so far, in the type that is the last to be allowed. */
static int read_int(void *bound, void *value) {
  *(int *)value = (int)atomic_load((atomic_ulong *)bound);
  return CAIRN_DONE;
}

static int read_unsigned(void *bound, void *value) {
  *(unsigned *)value = (unsigned)atomic_load((atomic_ulong *)bound);
  return CAIRN_DONE;
}

static int read_long(void *bound, void *value) {
  *(unsigned long *)value = atomic_load((atomic_ulong *)bound);
  return CAIRN_DONE;
}

static int read_count(void *bound, void *value) {
  *(MPI_Count *)value = (MPI_Count)atomic_load((atomic_ulong *)bound);
  return CAIRN_DONE;
}

static int read_double(void *bound, void *value) {
  *(double *)value = (double)atomic_load((atomic_ulong *)bound) / 4;
  return CAIRN_DONE;
}

static int read_array(void *bound, void *value) {
  for (int i = 0; i < 3; ++i) ((unsigned long *)value)[i] = atomic_load((atomic_ulong *)bound) * (unsigned long)(i + 1);
  return CAIRN_DONE;
}

static int set_barriers(void *bound, const void *value) {
  unsigned long wanted;
  memcpy(&wanted, value, sizeof wanted);
  atomic_store((atomic_ulong *)bound, wanted);
  return CAIRN_DONE;
}

static int clear_barriers(void *bound) {
  atomic_store((atomic_ulong *)bound, 0);
  return CAIRN_DONE;
}

static void add_classes(void) {
  static const struct cairn_item phases[] = {{0, "setup"}, {1, "first"}, {2, "second"}};
  static const struct cairn_enumeration phase = {"phase", 3, phases};
  const struct cairn_variable all[] = {
      {.name = "state",
       .variable_class = CAIRN_STATE,
       .type = CAIRN_INT,
       .read = read_int,
       .enumeration = &phase,
       .flags = CAIRN_READONLY | CAIRN_CONTINUOUS},
      {.name = "level", .variable_class = CAIRN_LEVEL, .type = CAIRN_UNSIGNED, .read = read_unsigned},
      {.name = "size",
       .variable_class = CAIRN_SIZE,
       .type = CAIRN_UNSIGNED_LONG_LONG,
       .read = read_long,
       .flags = CAIRN_CONTINUOUS},
      {.name = "percentage", .variable_class = CAIRN_PERCENTAGE, .type = CAIRN_DOUBLE, .read = read_double},
      {.name = "highwatermark",
       .variable_class = CAIRN_HIGHWATERMARK,
       .type = CAIRN_UNSIGNED_LONG,
       .read = read_long,
       .reset = clear_barriers,
       .flags = CAIRN_CONTINUOUS},
      {.name = "lowwatermark", .variable_class = CAIRN_LOWWATERMARK, .type = CAIRN_DOUBLE, .read = read_double},
      {.name = "counter",
       .variable_class = CAIRN_COUNTER,
       .type = CAIRN_UNSIGNED_LONG,
       .read = read_long,
       .flags = CAIRN_ATOMIC},
      {.name = "aggregate",
       .variable_class = CAIRN_AGGREGATE,
       .type = CAIRN_UNSIGNED_LONG,
       .read = read_array,
       .count = 3},
      {.name = "timer",
       .variable_class = CAIRN_TIMER,
       .type = CAIRN_DOUBLE,
       .read = read_double,
       .flags = CAIRN_CONTINUOUS | CAIRN_READONLY},
      {.name = "generic",
       .variable_class = CAIRN_GENERIC,
       .type = CAIRN_COUNT,
       .read = read_count,
       .write = set_barriers},
  };
  for (size_t i = 0; i < sizeof all / sizeof *all; ++i) {
    struct cairn_variable one = all[i];
    one.category = "classes";
    one.context = &barriers;
    variables->add_performance(self, &one);
  }
}

/* Bound variables tell the handle that they were opened with, as bytes. */
static int open_object(void *context, void *object, void **bound, int *count) {
  if (object == NULL) return CAIRN_REFUSED;
  (void)context;
  *bound = object;
  *count = 2;
  atomic_fetch_add(&open_handles, 1);
  return CAIRN_DONE;
}

static void close_object(void *bound) {
  (void)bound;
  atomic_fetch_sub(&open_handles, 1);
}

static int read_object(void *bound, void *value) {
  memcpy(value, bound, sizeof(int));
  ((int *)value)[1] = atomic_load(&open_handles);
  return CAIRN_DONE;
}

static void add_bindings(void) {
  static const char *const names[] = {"comm", "datatype", "errhandler", "file",    "group",
                                      "op",   "request",  "win",        "message", "info"};
  for (int i = 0; i < 10; ++i) {
    char name[32];
    snprintf(name, sizeof name, "bound_%s", names[i]);
    const struct cairn_variable one = {.name = name,
                                       .category = "bound",
                                       .variable_class = CAIRN_GENERIC,
                                       .type = CAIRN_INT,
                                       .binding = (enum cairn_binding)(CAIRN_BIND_COMM + i),
                                       .flags = CAIRN_CONTINUOUS,
                                       .open = open_object,
                                       .close = close_object,
                                       .read = read_object};
    variables->add_performance(self, &one);
  }
}

static void add_full_name(void) {
  for (uint32_t i = 0; i < self->option_count; ++i) {
    const struct cairn_variable one = {.name = self->options[i].value,
                                       .flags = CAIRN_FULL_NAME,
                                       .context = &limit,
                                       .scope = CAIRN_SCOPE_READONLY,
                                       .read = read_limit};
    variables->add_control(self, &one);
  }
}

int cairn_tool_start(const struct cairn_tool_instance *instance) {
  self = instance;
  variables = self->find(self, CAIRN_VARIABLES, CAIRN_VARIABLES_VERSION);
  if (variables == NULL) return 1;
  const struct cairn_category categories[] = {{"classes", "one of each class", NULL, 0},
                                              {"texts", NULL, NULL, 0},
                                              {"bound", "one of each binding", "classes", 0}};
  for (int i = 0; i < 3; ++i) variables->add_category(self, &categories[i]);
  add_controls();
  add_classes();
  add_bindings();
  add_full_name();
  return 0;
}

/* Each barrier adds a variable of either kind. */
int MPI_Barrier(MPI_Comm comm) {
  char name[32];
  atomic_fetch_add(&barriers, 1);
  snprintf(name, sizeof name, "late_%d", atomic_fetch_add(&added, 1) + 1);
  const struct cairn_variable one = {.name = name,
                                     .scope = CAIRN_SCOPE_READONLY,
                                     .type = CAIRN_UNSIGNED_LONG,
                                     .variable_class = CAIRN_GENERIC,
                                     .context = &barriers,
                                     .read = read_long};
  variables->add_control(self, &one);
  variables->add_performance(self, &one);
  return PMPI_Barrier(comm);
}
