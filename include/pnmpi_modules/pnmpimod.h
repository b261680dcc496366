/* SPDX-License-Identifier: BSD-3-Clause */
/* pnmpimod.h - what modules call, all of it; hooks.h, which they define, is not here: older ones return int. */
#ifndef PNMPIMOD_H
#define PNMPIMOD_H

#include "pnmpi.h"
#include "pnmpi/const.h"
#include "pnmpi/newstack.h"
#include "pnmpi/service.h"
#include "pnmpi/xmpi.h"

#define PNMPI_MODHANDLE_NULL -1
#define PNMPI_REGISTRATION_POINT "PNMPI_RegistrationPoint"

#define MPI_ERROR_MEM MPI_ERR_INTERN
#define MPI_ERROR_PNMPI MPI_ERR_INTERN

#endif
