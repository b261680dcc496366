// SPDX-License-Identifier: BSD-3-Clause
// library.hpp - the MPI library's own functions, for what Cairn sends for itself
//
// A call of PMPI_X in the engine reaches what lies under the stack: a PMPI tool that the program is linked with or that
// the user preloads, if there is one. That tool must see what the program and its tools call, and nothing of Cairn's.
#pragma once

#include <mpi.h>

#include <string>

namespace cairn::engine {

// clang-format off
#define CAIRN_LIBRARY_FUNCTIONS(ONE) \
  ONE(Comm_create_group) ONE(Comm_free) ONE(Comm_get_errhandler) ONE(Comm_group) \
  ONE(Comm_rank) ONE(Comm_set_errhandler) ONE(Comm_size) ONE(Comm_split) \
  ONE(Errhandler_free) ONE(Group_free) ONE(Group_range_incl) ONE(Group_rank) \
  ONE(Group_size) ONE(Iprobe) ONE(Recv) ONE(Send) CAIRN_SESSION_FUNCTIONS(ONE)

#if MPI_VERSION >= 4
#define CAIRN_SESSION_FUNCTIONS(ONE) \
  ONE(Session_init) ONE(Session_finalize) ONE(Group_from_session_pset) ONE(Comm_create_from_group) \
  ONE(Irecv) ONE(Test) ONE(Wait)
#else
#define CAIRN_SESSION_FUNCTIONS(ONE)
#endif
// clang-format on

struct Library {
#define CAIRN_POINTER(name) decltype(&PMPI_##name) name = nullptr;
  CAIRN_LIBRARY_FUNCTIONS(CAIRN_POINTER)
#undef CAIRN_POINTER
};

/// Filled in before MPI is started; never changed afterwards.
inline constinit Library library;

/// What the library says of itself, such as "Open MPI v4.1.4, package: …"; also before MPI is started.
std::string library_version();

/// `find` gives the MPI library's function of a name such as "MPI_Send".
void fill_library(void* (*find)(const char* name));

}  // namespace cairn::engine
