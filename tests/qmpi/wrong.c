// SPDX-License-Identifier: BSD-3-Clause
// wrong.c - a QMPI tool that does one thing wrong: -DWAY is which

#include <mpi.h>
#include <stddef.h>

#define FUNCTION(f) ((void (*)(void))(f))

enum {
  unknown_number,
  null_pointer,
  foreign_id,
  two_names,
  no_name,
  no_storage,
  foreign_id_later,
  unknown_later,
  too_late
};

static int finalize(QMPI_Context context, int id) {
  QMPI_Finalize_t *next = NULL;
  void (*nothing)(void) = NULL;
  int next_id = 0;
  void *storage = &next_id;
  int answer = MPI_ERR_ARG;
  if (WAY == no_storage) answer = QMPI_Get_tool_storage(context, id, &storage);
  if (WAY == foreign_id_later) answer = QMPI_Get_function(77, MPI_SEND_T, &nothing, &next_id);
  if (WAY == unknown_later) answer = QMPI_Get_function(id, (enum QMPI_Functions_enum)9999, &nothing, &next_id);
  if (WAY == too_late) answer = QMPI_Register_function(id, MPI_SEND_T, FUNCTION(finalize));
  QMPI_Get_function(id, MPI_FINALIZE_T, (void (**)(void)) & next, &next_id);
  if (answer != MPI_ERR_ARG) return MPI_ERR_OTHER;
  return next(context, next_id);
}

static void init(int id) {
  if (WAY == unknown_number) QMPI_Register_function(id, (enum QMPI_Functions_enum)9999, FUNCTION(finalize));
  if (WAY == null_pointer) QMPI_Register_function(id, MPI_SEND_T, NULL);
  if (WAY == foreign_id) QMPI_Register_tool_storage(77, &id);
  QMPI_Register_function(id, MPI_FINALIZE_T, FUNCTION(finalize));
}

__attribute__((constructor)) static void make_known(void) {
  QMPI_Register_tool_name(WAY == no_name ? NULL : "first", init);
  if (WAY == two_names) QMPI_Register_tool_name("second", init);
}
