// SPDX-License-Identifier: BSD-3-Clause
// requests.hpp - the service "cairn.requests": attaches a value to a request until the request completes
//
// A tool attaches a value when a request has been created, and is called back when the request completes, in whichever
// MPI_Wait… or MPI_Test… and on whichever thread (MPI-4.1 section 3.7). kit/per_request.hpp is more convenient.
// Offered by a module that Cairn adds below the tools that need it. Include it after <mpi.h>.
//
// One handle, several requests: MPI libraries return the same handle for all requests that are complete when they are
// created (small sends, MPI_PROC_NULL). Each value of such requests comes back once, but in any order. So attach a
// value to every request, or values may come back for other requests of that handle.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>

namespace cairn {

/// A tool's callbacks; copied. They run on the thread that completes, starts or frees the request,
/// within that call and without locks, and may call PMPI_X, but not complete requests. Each may be null.
struct RequestWatcher {
  void* tool;  // passed to the callbacks
  /// The transfer is complete. `status` is valid during the call; it is null if the program ignores it and
  /// `wants_status` is not set. Cancelled requests complete too (MPI_Test_cancelled).
  void (*completed)(void* tool, std::uint64_t value, const MPI_Status* status);
  /// A persistent or partitioned request is about to be started (MPI_Start…); one `completed` follows.
  void (*started)(void* tool, std::uint64_t value);
  /// The value comes back for the last time: right after `completed`, or because the program frees the request
  /// (MPI_Request_free). Memory that the value refers to can be reused from here on.
  void (*ended)(void* tool, std::uint64_t value);
  /// Non-zero: statuses are requested even if the program ignores them, at some nanoseconds per completion.
  int wants_status;
};

struct Requests {
  static constexpr const char* service = "cairn.requests";
  static constexpr std::uint32_t version = 2;

  /// Once per tool, when it starts. Returns a number for attach; 0 if there are too many watchers (1,000) or
  /// requests are being followed already.
  std::uint32_t (*watch)(const RequestWatcher* watcher);

  /// After a call has created a request and before the program gets it. `persistent`: 1 if it has to be started first, else 0
  /// (describes_transfer() of the call's category). Non-zero: out of memory, and no callback will come. Any thread, for
  /// different requests. Memory is allocated only when more requests are active than ever before. MPI_REQUEST_NULL is
  /// ignored.
  int (*attach)(std::uint32_t watcher, MPI_Request request, std::uint64_t value, int persistent);

  /// The same with `data_size` bytes that the service copies: the value is their address, valid until `ended`.
  int (*attach_data)(std::uint32_t watcher, MPI_Request request, const void* data, int persistent);
  static constexpr std::size_t data_size = 32;
};

}  // namespace cairn
