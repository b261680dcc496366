// SPDX-License-Identifier: BSD-3-Clause
// plug.c - a library that says which of several of the same file name it is.

const char *plug_name = PLUG;
