/* SPDX-License-Identifier: BSD-3-Clause */
/* qmpi.h - QMPI, the tool interface that MPICH's mpi.h declares, for any MPI: the same names, types and rules. */
/*
 * Include it after mpi.h, or compile a tool that was written for MPICH with -include qmpi.h. Where mpi.h declares QMPI
 * itself this file adds nothing. docs/qmpi.md tells the rules; in short:
 *
 *   static int next_id;
 *   static QMPI_Barrier_t *next;
 *   static int barrier(QMPI_Context context, int tool_id, MPI_Comm comm) { return next(context, next_id, comm); }
 *   static void init(int tool_id) {
 *     QMPI_Register_function(tool_id, MPI_BARRIER_T, (void (*)(void))barrier);
 *     QMPI_Get_function(tool_id, MPI_BARRIER_T, (void (**)(void))&next, &next_id);
 *   }
 *   __attribute__((constructor)) static void begin(void) { QMPI_Register_tool_name("mine", init); }
 *
 * Ownership: names and storages stay the tool's and must live as long as the process. A context lives as long as the
 *            call that it came with. Function pointers stay valid for ever.
 * Threads:   init functions run one after the other, the innermost layer's first, before the program's first MPI call
 *            goes on. QMPI_Get_function, _Get_tool_storage and _Get_calling_address may be called on any thread, at any
 *            time after that, also after MPI_Finalize.
 * Errors:    MPI_SUCCESS or MPI_ERR_ARG; what was wrong is told to the user with the tool's name.
 */
#ifndef CAIRN_QMPI_H
#define CAIRN_QMPI_H

#include <mpi.h>

#ifndef QMPI_MAX_TOOL_NAME_LENGTH /* mpi.h knows no QMPI */

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
  void **storage_stack; /* what it points to is Cairn's affair; null in an init function */
} QMPI_Context;

#define QMPI_MAX_TOOL_NAME_LENGTH 256

/* The numbers never change; they are not those of any MPICH. */
enum QMPI_Functions_enum {
#define CAIRN_QMPI_NUMBER(number, function) number,
#include "cairn/generated/qmpi_numbers.inc"
#undef CAIRN_QMPI_NUMBER
  MPI_LAST_FUNC_T
};

/* From a constructor of the tool's library: makes the tool known. `init` gets the number of the layer it is for. */
int QMPI_Register_tool_name(const char *tool_name, void (*init_function_ptr)(int tool_id));
/* In `init`: whatever the layer wants to have at hand. */
int QMPI_Register_tool_storage(int tool_id, void *tool_storage);
/* In `init`: the wrapper of one MPI function, of type QMPI_X_t. */
int QMPI_Register_function(int calling_tool_id, enum QMPI_Functions_enum function_enum, void (*function_ptr)(void));
/* What a wrapper calls to go on, and the id to pass there: of the next QMPI layer that wraps the function, or 0. */
int QMPI_Get_function(int calling_tool_id, enum QMPI_Functions_enum function_enum, void (**function_ptr)(void),
                      int *next_tool_id);
/* What the layer has registered as its storage. */
int QMPI_Get_tool_storage(QMPI_Context context, int tool_id, void **storage);
/* The address to which the call returns that brought the context into QMPI; null for a null context. */
int QMPI_Get_calling_address(QMPI_Context context, void **address);

/*
 * QMPI_X_t is the type of a wrapper of MPI_X; QMPI_X(context, tool_id, …) is the library's function as the layer sees
 * it, the same as PMPI_X.
 */
#define CAIRN_QMPI_FUNCTION(name, result, parameters, plain_parameters, arguments) \
  typedef result(Q##name##_t) parameters;                                          \
  extern result cairn_qmpi_library_##name plain_parameters __asm__("P" #name);     \
  static inline result Q##name parameters {                                        \
    (void)context;                                                                 \
    (void)tool_id;                                                                 \
    return cairn_qmpi_library_##name arguments;                                    \
  }
/* Further arguments can be passed on by a macro alone. */
#define CAIRN_QMPI_VARIADIC_FUNCTION(name, result, parameters, plain_parameters, arguments) \
  typedef result(Q##name##_t) parameters;
#include "cairn/generated/qmpi_types.inc"
#undef CAIRN_QMPI_FUNCTION
#undef CAIRN_QMPI_VARIADIC_FUNCTION
#define QMPI_Pcontrol(context, tool_id, ...) ((void)(context), (void)(tool_id), PMPI_Pcontrol(__VA_ARGS__))

#ifdef __cplusplus
}
#endif

#endif
#endif
