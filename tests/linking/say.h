// SPDX-License-Identifier: BSD-3-Clause
// say.h - a line of a test's tool, written whole to the file that TEST_TOOL_LOG names, or else to standard error.
#ifndef SAY_H
#define SAY_H

#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

__attribute__((format(printf, 1, 2))) static inline void say(const char *format, ...) {
  char line[2000];
  va_list values;
  va_start(values, format);
  int length = vsnprintf(line, sizeof line - 1, format, values);
  va_end(values);
  if (length > (int)sizeof line - 2) length = (int)sizeof line - 2;
  line[length++] = '\n';
  const char *path = getenv("TEST_TOOL_LOG");
  const int file = path == NULL ? STDERR_FILENO : open(path, O_WRONLY | O_CREAT | O_APPEND, 0666);
  // All ranks append to one file: only a single write keeps their lines apart.
  if (write(file, line, (size_t)length) != length) abort();
  if (path != NULL) close(file);
}

#endif
