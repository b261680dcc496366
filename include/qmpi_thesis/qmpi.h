/* SPDX-License-Identifier: BSD-3-Clause */
/* qmpi.h - the thesis's QMPI under its own name, for tools that are compiled as printed (docs/qmpi.md). */
#include "qmpi_thesis.h"
