// SPDX-License-Identifier: BSD-3-Clause
// opens.c - libopens.so, a library that opens others for its program.

#include <dlfcn.h>

void *open_for_program(const char *name);

void *open_for_program(const char *name) { return dlopen(name, RTLD_NOW); }
