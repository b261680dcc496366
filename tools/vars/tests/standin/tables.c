/* SPDX-License-Identifier: BSD-3-Clause */
/* tables.c - the variables of the stand-in: every class, type, binding and scope, arrays, enumerations, pools of
 * buffers. */

#include "standin.h"

#pragma GCC diagnostic ignored "-Woverride-init" /* an entry says in what it differs from most */

const struct enumeration phase = {"phase", 2, {{0, "idle"}, {1, "busy"}}};
const struct enumeration colour = {"colour", 3, {{1, "red"}, {5, "green"}, {10, "blue"}}};

#define VERBOSITY MPI_T_VERBOSITY_USER_BASIC

#define CONTROL(n, d, c, t, s)                                                                             \
  .name = n, .description = d, .category = c, .type = t, .scope = MPI_T_SCOPE_##s, .verbosity = VERBOSITY, \
  .binding = MPI_T_BIND_NO_OBJECT, .count = 1

const struct control controls[] = {
    [cv_eager_threshold] = {CONTROL("MPIR_CVAR_IBA_EAGER_THRESHOLD", "longer messages take no buffer", in_pools,
                                    MPI_INT, LOCAL),
                            .start = {16384}},
    [cv_buffer_size] = {CONTROL("MPIR_CVAR_VBUF_TOTAL_SIZE", "bytes of a buffer of the last pool", in_pools, MPI_INT,
                                LOCAL),
                        .start = {16384}},
    [cv_pool_control] = {CONTROL("MPIR_CVAR_VBUF_POOL_CONTROL", "whether unused buffers are freed", in_pools, MPI_INT,
                                 LOCAL)},
    [cv_pool_reduced] = {CONTROL("MPIR_CVAR_VBUF_POOL_REDUCED_VALUE",
                                 "buffers that each pool keeps when unused ones are freed", in_pools, MPI_INT, LOCAL),
                         .count = 4, .start = {16, 16, 16, 16}},
    {CONTROL("standin_constant", "never changes", in_classes, MPI_INT, CONSTANT), .start = {1}},
    {CONTROL("standin_readonly", "changes by itself", in_classes, MPI_UNSIGNED, READONLY), .start = {2}},
    {CONTROL("standin_group", "of a group", in_classes, MPI_UNSIGNED_LONG, GROUP), .start = {3}},
    {CONTROL("standin_group_eq", "the same in a group", in_classes, MPI_UNSIGNED_LONG_LONG, GROUP_EQ), .start = {4}},
    {CONTROL("standin_all", "of all ranks", in_classes, MPI_COUNT, ALL), .start = {5}},
    {CONTROL("standin_all_eq", "the same on all ranks", in_classes, MPI_DOUBLE, ALL_EQ), .start = {6.5L}},
    {CONTROL("standin_title", "a text", in_classes, MPI_CHAR, LOCAL), .count = 32, .text = "stand-in"},
    {CONTROL("standin_colour", "one of three", in_classes, MPI_INT, LOCAL), .items = &colour, .start = {5}},
    {CONTROL("standin_early", "only before MPI_Init", in_classes, MPI_INT, LOCAL), .not_now = true, .start = {7}},
#define BOUND(kind, word)                                                                                              \
  {                                                                                                                    \
    CONTROL("standin_of_" word, "of an object: " word, in_bindings, MPI_INT, LOCAL), .binding = MPI_T_BIND_MPI_##kind, \
                                                                                     .start = {                        \
                                                                                       8                               \
                                                                                     }                                 \
  }
    BOUND(COMM, "communicator"),
    BOUND(DATATYPE, "datatype"),
    BOUND(ERRHANDLER, "errhandler"),
    BOUND(FILE, "file"),
    BOUND(GROUP, "group"),
    BOUND(OP, "op"),
    BOUND(REQUEST, "request"),
    BOUND(WIN, "window"),
    BOUND(MESSAGE, "message"),
    BOUND(INFO, "info"),
#undef BOUND
    {CONTROL("standin_late", "there only later", in_late, MPI_INT, LOCAL), .start = {9}},
};
const int control_limit = sizeof controls / sizeof *controls;

#define PERFORMANCE(n, d, c, t)                                                                     \
  .name = n, .description = d, .category = in_classes, .of_class = MPI_T_PVAR_CLASS_##c, .type = t, \
  .verbosity = VERBOSITY, .binding = MPI_T_BIND_NO_OBJECT, .count = 1
#define SHOWN .readonly = true, .continuous = true

const struct performance performances[] = {
    [pv_state] = {PERFORMANCE("standin_state", "one of two", STATE, MPI_INT), SHOWN, .items = &phase},
    [pv_level] = {PERFORMANCE("standin_level", "5, 1, 3 in turn", LEVEL, MPI_UNSIGNED), .readonly = true},
    [pv_size] = {PERFORMANCE("standin_size", "grows by 10", SIZE, MPI_UNSIGNED_LONG_LONG), SHOWN, .start = {100}},
    [pv_percentage] = {PERFORMANCE("standin_percentage", "a tenth of the level", PERCENTAGE, MPI_DOUBLE), SHOWN},
    [pv_high] = {PERFORMANCE("standin_high", "the highest level", HIGHWATERMARK, MPI_UNSIGNED_LONG),
                 .continuous = true},
    [pv_low] = {PERFORMANCE("standin_low", "falls by 2", LOWWATERMARK, MPI_DOUBLE), SHOWN, .start = {50}},
    [pv_counter] = {PERFORMANCE("standin_counter", "by 3", COUNTER, MPI_UNSIGNED_LONG), .atomic = true,
                    .verbosity = MPI_T_VERBOSITY_TUNER_BASIC},
    [pv_aggregate] = {PERFORMANCE("standin_aggregate", "by 2 and 4", AGGREGATE, MPI_UNSIGNED_LONG), .count = 2},
    [pv_timer] = {PERFORMANCE("standin_timer", "by 0.25", TIMER, MPI_DOUBLE)},
    [pv_generic] = {PERFORMANCE("standin_generic", "by 1", GENERIC, MPI_COUNT), SHOWN},
    [pv_text] = {PERFORMANCE("standin_text", "a text", GENERIC, MPI_CHAR), SHOWN, .count = 16},
    [pv_around] = {PERFORMANCE("standin_around", "comes round", COUNTER, MPI_UNSIGNED), SHOWN, .start = {4000000000U}},
    [pv_restarts] = {PERFORMANCE("standin_restarts", "begins anew", COUNTER, MPI_UNSIGNED_LONG), SHOWN, .start = {7}},
    [pv_still] = {PERFORMANCE("standin_still", "never moves", COUNTER, MPI_UNSIGNED), .readonly = true},
    [pv_fading] = {PERFORMANCE("standin_fading", "becomes invalid", LEVEL, MPI_UNSIGNED_LONG), SHOWN, .start = {1}},
    [pv_allocated] = {PERFORMANCE("mv2_vbuf_allocated_array", "buffers of each pool", LEVEL, MPI_UNSIGNED_LONG), SHOWN,
                      .category = in_pools, .count = 4, .start = {64, 64, 64, 64}},
    [pv_most_used] = {PERFORMANCE("mv2_vbuf_max_use_array", "the most that were used of each pool", HIGHWATERMARK,
                                  MPI_UNSIGNED_LONG),
                      SHOWN, .category = in_pools, .count = 4},
    [pv_pool_memory] = {PERFORMANCE("mv2_total_vbuf_memory", "bytes of all buffers", SIZE, MPI_UNSIGNED_LONG_LONG),
                        SHOWN, .category = in_pools, .start = {64 * (256 + 1024 + 4096 + 16384)}},
#define BOUND(kind, word)                                                                       \
  {                                                                                             \
    PERFORMANCE("standin_of_" word, "of an object: by 1 and 10", AGGREGATE, MPI_UNSIGNED_LONG), \
        .binding = MPI_T_BIND_MPI_##kind, .category = in_bindings, .count = 2                   \
  }
    [pv_first_bound] = BOUND(COMM, "comm"),
    BOUND(DATATYPE, "datatype"),
    BOUND(ERRHANDLER, "errhandler"),
    BOUND(FILE, "file"),
    BOUND(GROUP, "group"),
    BOUND(OP, "op"),
    BOUND(REQUEST, "request"),
    BOUND(WIN, "window"),
    BOUND(MESSAGE, "message"),
    BOUND(INFO, "info"),
#undef BOUND
    {PERFORMANCE("standin_late", "calls of MPI_Comm_size", COUNTER, MPI_UNSIGNED_LONG), .category = in_late},
};
const int performance_limit = sizeof performances / sizeof *performances;
