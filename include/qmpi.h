/* SPDX-License-Identifier: BSD-3-Clause */
/* qmpi.h - QMPI, the tool interface that MPICH's mpi.h declares, for any MPI: the same names, types and rules. */
/*
 * Include it after mpi.h, or compile a tool that was written for MPICH with -include qmpi.h. If mpi.h declares QMPI
 * itself, this file adds nothing. The rules are in docs/qmpi.md; in short:
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
 * Ownership: names and storage belong to the tool and must live as long as the process. A context is valid during the
 *            call that it came with. Function pointers stay valid until the process ends.
 * Threads:   init functions run one after the other, the innermost layer's first, during the program's first MPI call.
 *            QMPI_Get_function, _Get_tool_storage and _Get_calling_address may be called on any thread, at any
 *            time after that, also after MPI_Finalize.
 * Errors:    MPI_SUCCESS or MPI_ERR_ARG; the user is told what was wrong, with the tool's name.
 */
#ifndef CAIRN_QMPI_H
#define CAIRN_QMPI_H

#include <mpi.h>

#ifndef QMPI_MAX_TOOL_NAME_LENGTH /* mpi.h has no QMPI */

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
  void **storage_stack; /* private to Cairn; null in an init function */
} QMPI_Context;

#define QMPI_MAX_TOOL_NAME_LENGTH 256

/* These numbers never change; they differ from MPICH's. */
enum QMPI_Functions_enum {
#define CAIRN_QMPI_NUMBER(number, function) number,
#include "cairn/generated/qmpi_numbers.inc"
#undef CAIRN_QMPI_NUMBER
  MPI_LAST_FUNC_T
};

/* Called by a constructor of the tool's library: registers the tool. `init` gets the number of its layer. */
int QMPI_Register_tool_name(const char *tool_name, void (*init_function_ptr)(int tool_id));
/* In `init`: sets the layer's storage. */
int QMPI_Register_tool_storage(int tool_id, void *tool_storage);
/* In `init`: the wrapper of one MPI function, of type QMPI_X_t. */
int QMPI_Register_function(int calling_tool_id, enum QMPI_Functions_enum function_enum, void (*function_ptr)(void));
/* The function that a wrapper calls to continue, and the id to pass: of the next QMPI layer that wraps it, or 0. */
int QMPI_Get_function(int calling_tool_id, enum QMPI_Functions_enum function_enum, void (**function_ptr)(void),
                      int *next_tool_id);
/* The storage that the layer has registered. */
int QMPI_Get_tool_storage(QMPI_Context context, int tool_id, void **storage);
/* The return address of the MPI call that the context belongs to; null for a null context. */
int QMPI_Get_calling_address(QMPI_Context context, void **address);

/*
 * QMPI_X_t is the type of a wrapper of MPI_X; QMPI_X(context, tool_id, …) calls the function below the layer, as PMPI_X
 * does.
 */
#define CAIRN_QMPI_FUNCTION(name, result, parameters, plain_parameters, arguments) \
  typedef result(Q##name##_t) parameters;                                          \
  extern result cairn_qmpi_library_##name plain_parameters __asm__("P" #name);     \
  static inline result Q##name parameters {                                        \
    (void)context;                                                                 \
    (void)tool_id;                                                                 \
    return cairn_qmpi_library_##name arguments;                                    \
  }
/* Only a macro can pass on variadic arguments. */
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
