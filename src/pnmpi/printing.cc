// SPDX-License-Identifier: BSD-3-Clause
// printing.cc - a module's words (include/pnmpi_modules/pnmpi/debug_io.h), with the rank in front where there are several.

#include <cstdarg>
#include <cstdio>
#include <cstdlib>

#include "base/job.hpp"

#pragma GCC visibility push(default)
#include "pnmpi/debug_io.h"

namespace {

long number_in(const char* variable, long otherwise) {
  const char* const text = std::getenv(variable);
  return text == nullptr ? otherwise : std::strtol(text, nullptr, 10);
}

/// In one go, so that ranks do not mix their lines. A prefix that is too long is cut.
void print(std::FILE* stream, const char* prefix, const char* format, std::va_list values) {
  char whole[1024];
  const bool is_alone = number_in("OMPI_COMM_WORLD_SIZE", number_in("PMI_SIZE", 1)) == 1;
  if (is_alone) std::snprintf(whole, sizeof whole, "%s%s", prefix, format);
  else std::snprintf(whole, sizeof whole, "%ld: %s%s", cairn::job_rank(), prefix, format);
  std::vfprintf(stream, whole, values);
  std::fflush(stream);
}

}  // namespace

extern "C" {

void pnmpi_print_debug(PNMPI_debug_level_t level, const char* format, ...) {
  const bool is_asked_for = (number_in("PNMPI_DBGLEVEL", 0) & level) != 0;
  if (!is_asked_for || number_in("PNMPI_DBGNODE", cairn::job_rank()) != cairn::job_rank()) return;
  std::va_list values;
  va_start(values, format);
  print(stdout, "", format, values);
  va_end(values);
}

void pnmpi_print_warning(const char* format, ...) {
  std::va_list values;
  va_start(values, format);
  print(stderr, "", format, values);
  va_end(values);
}

void pnmpi_print_error(const char* prefix, const char* function, int line, const char* format, ...) {
  char place[256];
  std::snprintf(place, sizeof place, "[%s] %s:%d: ", prefix, function, line);
  std::va_list values;
  va_start(values, format);
  print(stderr, place, format, values);
  va_end(values);
  std::exit(EXIT_FAILURE);
}

}  // extern "C"
