/* SPDX-License-Identifier: BSD-3-Clause */
/* qmpi.h - where the tools printed in the thesis include it from: "../src/obj/qmpi.h". */
#include "qmpi_thesis.h"
