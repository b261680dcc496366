// SPDX-License-Identifier: BSD-3-Clause
// innermost.cc - a layer below all others that reads the arguments of MPI_Pcontrol and writes them to a file
//
// The file is pcontrol.RANK in the folder CONFORMANCE_COUNTS. Which arguments a level has is settled with program.cc.

#include <mpi.h>

#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <string>

namespace {

std::FILE* file() {
  const char* folder = std::getenv("CONFORMANCE_COUNTS");
  if (folder == nullptr) return nullptr;
  int rank = -1;
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  return std::fopen((std::string(folder) + "/pcontrol." + std::to_string(rank)).c_str(), "a");
}

void write_arguments(std::FILE* out, va_list arguments) {
  const int first = va_arg(arguments, int);
  const double second = va_arg(arguments, double);
  const char* third = va_arg(arguments, const char*);
  const long fourth = va_arg(arguments, long);
  std::fprintf(out, " %d %g %s %ld %g", first, second, third, fourth, va_arg(arguments, double));
  for (int i = 0; i < 5; ++i) std::fprintf(out, " %d", va_arg(arguments, int));
  for (int i = 0; i < 7; ++i) std::fprintf(out, " %g", va_arg(arguments, double));
  std::fprintf(out, " %d", va_arg(arguments, int));
}

}  // namespace

extern "C" __attribute__((visibility("default"))) int MPI_Pcontrol(const int level, ...) {
  std::FILE* out = file();
  if (out == nullptr) return MPI_SUCCESS;
  std::fprintf(out, "%d", level);
  if (level == 7) {
    va_list arguments;
    va_start(arguments, level);
    write_arguments(out, arguments);
    va_end(arguments);
  }
  std::fprintf(out, "\n");
  std::fclose(out);
  return MPI_SUCCESS;
}
