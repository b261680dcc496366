// SPDX-License-Identifier: BSD-3-Clause
// library.cc - finding the MPI library's own functions.

#include "job/library.hpp"

namespace cairn::engine {

void fill_library(void* (*find)(const char* name)) {
#define CAIRN_FILL(name) library.name = reinterpret_cast<decltype(library.name)>(find("MPI_" #name));
  CAIRN_LIBRARY_FUNCTIONS(CAIRN_FILL)
#undef CAIRN_FILL
}

}  // namespace cairn::engine
