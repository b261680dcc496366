// SPDX-License-Identifier: BSD-3-Clause
// frees.hpp - the service "cairn.frees": tells when communicators and windows are freed, whatever call frees them
//
//   using Needs = cairn::ServiceList<cairn::Frees>;
//   explicit Tool(cairn::Self self) : frees_(self.need<cairn::Frees>()) { frees_.listen(&listener_); }
//   … if (frees_.watch_comm(comm) != 0) …                          // what is known of it may be kept by its handle
//   cairn::FreeListener listener_{this, [](void* tool, MPI_Comm comm) { … forget it … }, nullptr, nullptr};
//
// MPI libraries give the handle of a freed object to another one. Programs and libraries may free by PMPI_X, which
// passes no layer, so a tool that keeps facts by handle cannot rely on its own wrappers.
//
// Offered by a module that Cairn adds below the tools that need it. Include it after <mpi.h>.
#pragma once

#include <mpi.h>

#include <cstdint>

namespace cairn {

/// Belongs to the tool. The functions, which may be null, are called on any thread, within the call that frees: the
/// object is still valid, and nothing may be kept of it from then on. They must not call MPI with it.
struct FreeListener {
  void* tool;
  void (*comm_is_gone)(void* tool, MPI_Comm comm);
  void (*win_is_gone)(void* tool, MPI_Win win);
  FreeListener* next;  // the service's
};

struct Frees {
  static constexpr const char* service = "cairn.frees";
  static constexpr std::uint32_t version = 1;

  /// In the tool's constructor.
  void (*listen)(FreeListener* listener);

  // Once MPI has started; any thread. Local MPI calls. The object must be valid. 0: nobody would tell, so nothing may be
  // kept of it; it is being freed, or out of memory.
  int (*watch_comm)(MPI_Comm comm);
  int (*watch_win)(MPI_Win win);
};

}  // namespace cairn
