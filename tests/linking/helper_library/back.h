// SPDX-License-Identifier: BSD-3-Clause
// back.h - what the helper library offers to the modules in front of it.
#ifndef BACK_H
#define BACK_H

#include "functions.h"

#define DECLARE_BACK(name, parameters, arguments) int back_##name parameters;
FUNCTIONS(DECLARE_BACK)
/// Says the counts under the name of the module that asks, then finalizes.
int back_Finalize(const char *tool);

#endif
