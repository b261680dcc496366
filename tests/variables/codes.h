/* SPDX-License-Identifier: BSD-3-Clause */
/* codes.h - error codes of MPI_T by name, as their numbers differ between the MPIs. */
#pragma once

#include <mpi.h>

static const char *name_of_code(int code) {
#define NAME_IT(name) \
  if (code == name) return #name;
  NAME_IT(MPI_SUCCESS)
  NAME_IT(MPI_T_ERR_MEMORY)
  NAME_IT(MPI_T_ERR_NOT_INITIALIZED)
  NAME_IT(MPI_T_ERR_INVALID_INDEX)
  NAME_IT(MPI_T_ERR_INVALID_ITEM)
  NAME_IT(MPI_T_ERR_INVALID_HANDLE)
  NAME_IT(MPI_T_ERR_INVALID_SESSION)
  NAME_IT(MPI_T_ERR_CVAR_SET_NOT_NOW)
  NAME_IT(MPI_T_ERR_CVAR_SET_NEVER)
  NAME_IT(MPI_T_ERR_PVAR_NO_STARTSTOP)
  NAME_IT(MPI_T_ERR_PVAR_NO_WRITE)
  NAME_IT(MPI_T_ERR_PVAR_NO_ATOMIC)
  NAME_IT(MPI_T_ERR_INVALID_NAME)
  NAME_IT(MPI_T_ERR_INVALID)
#undef NAME_IT
  return "another code";
}
