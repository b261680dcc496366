/* SPDX-License-Identifier: BSD-3-Clause */
/* model.h - what the files of the stand-in that wrap MPI's functions share. The caller of the first two is alone. */
#pragma once

#include "standin.h"

#pragma GCC visibility push(hidden)

void move_object(int binding, const void *handle); /* by 1 and 10 */
void lose_object(int binding, const void *handle);
void raise_events(MPI_Comm comm);
#pragma GCC visibility pop
