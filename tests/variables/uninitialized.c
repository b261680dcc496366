/* SPDX-License-Identifier: BSD-3-Clause
 * uninitialized.c - calls MPI_T after it has finalized it, and finalizes it too often: before it has initialized it, too. */

#include <mpi.h>
#include <stdio.h>

#include "codes.h"

#define TELL(call) printf("%s: %s\n", #call, name_of_code(call))

static void call_all(void) {
  char name[100];
  int length = sizeof name;
  int value = 0;
  MPI_Datatype type;
  MPI_T_enum enumeration;
  MPI_T_pvar_session session = MPI_T_PVAR_SESSION_NULL;
  MPI_T_cvar_handle handle;
  TELL(MPI_T_cvar_get_num(&value));
  TELL(MPI_T_cvar_get_info(0, name, &length, &value, &type, &enumeration, NULL, NULL, &value, &value));
  TELL(MPI_T_cvar_get_index("none", &value));
  TELL(MPI_T_cvar_handle_alloc(0, NULL, &handle, &value));
  TELL(MPI_T_pvar_get_num(&value));
  TELL(MPI_T_pvar_get_info(0, name, &length, &value, &value, &type, &enumeration, NULL, NULL, &value, &value, &value,
                           &value));
  TELL(MPI_T_pvar_get_index("none", MPI_T_PVAR_CLASS_LEVEL, &value));
  TELL(MPI_T_pvar_session_create(&session));
  TELL(MPI_T_category_get_num(&value));
  TELL(MPI_T_category_get_info(0, name, &length, NULL, NULL, &value, &value, &value));
  TELL(MPI_T_category_get_index("none", &value));
  TELL(MPI_T_category_get_cvars(0, 1, &value));
  TELL(MPI_T_category_get_pvars(0, 1, &value));
  TELL(MPI_T_category_get_categories(0, 1, &value));
  TELL(MPI_T_category_changed(&value));
}

int main(int argc, char** argv) {
  int provided = -1;
  int rank = 0;
  MPI_Init(&argc, &argv);
  TELL(MPI_T_finalize());
  TELL(MPI_T_init_thread(MPI_THREAD_FUNNELED, &provided));
  printf("provided: %d of %d\n", provided, MPI_THREAD_FUNNELED);
  provided = -1;
  TELL(MPI_T_init_thread(MPI_THREAD_SINGLE, &provided));
  printf("provided again: %d\n", provided);
  TELL(MPI_T_finalize());
  TELL(MPI_T_finalize());
  call_all();
  TELL(MPI_T_finalize());
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  printf("rank %d\n", rank);
  MPI_Finalize();
  return 0;
}
