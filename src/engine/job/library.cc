// SPDX-License-Identifier: BSD-3-Clause
// library.cc - finding the MPI library's own functions.

#include "job/library.hpp"

namespace cairn::engine {

std::string library_version() {
  std::string text(MPI_MAX_LIBRARY_VERSION_STRING, '\0');  // too long for a small stack
  int length = 0;
  PMPI_Get_library_version(text.data(), &length);
  text.resize(text.find('\0'));
  return text;
}

void fill_library(void* (*find)(const char* name)) {
#define CAIRN_FILL(name) library.name = reinterpret_cast<decltype(library.name)>(find("MPI_" #name));
  CAIRN_LIBRARY_FUNCTIONS(CAIRN_FILL)
#undef CAIRN_FILL
}

}  // namespace cairn::engine
