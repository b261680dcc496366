// SPDX-License-Identifier: BSD-3-Clause
// requests.hpp - the service "cairn.requests": a value that goes with a request from the call that makes it to its end
//
// A tool attaches a value when a request has been made, and is called when the request completes, by whatever of
// MPI_Wait… and MPI_Test… and on whatever thread (MPI-4.1 section 3.7). kit/per_request.hpp is the comfortable form.
// Offered by a module that Cairn puts under the tools that need it. Include it after <mpi.h>.
//
// One handle, several requests. MPI libraries give all requests that are complete when they are made (small sends,
// MPI_PROC_NULL) one handle. Values of such requests come back once each, but in any order; so attach to every request
// that is made, or values may come back for others of that handle.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>

namespace cairn {

/// What a tool wants to be told; copied. Called on the thread that completes, starts or
/// frees, within that call and without locks; may call MPI by PMPI_X, but not complete requests. Null: not wanted.
struct RequestWatcher {
  void* tool;  // handed back
  /// The transfer is complete. `status` is null where the program ignores it and `wants_status` is not set; it is valid
  /// during the call. A request that was cancelled completes too (MPI_Test_cancelled).
  void (*completed)(void* tool, std::uint64_t value, const MPI_Status* status);
  /// A persistent or partitioned request is about to be started (MPI_Start…): one `completed` follows each.
  void (*started)(void* tool, std::uint64_t value);
  /// The value comes back for the last time: right after `completed`, or because the program frees the request
  /// (MPI_Request_free). Only here memory behind the value can be reused.
  void (*ended)(void* tool, std::uint64_t value);
  /// Not 0: statuses are asked for even where the program ignores them; some nanoseconds per completion.
  int wants_status;
};

struct Requests {
  static constexpr const char* service = "cairn.requests";
  static constexpr std::uint32_t version = 2;

  /// Once per tool, when it starts. A number for attach; 0 if there are too many watchers (1,000), or
  /// requests are followed already.
  std::uint32_t (*watch)(const RequestWatcher* watcher);

  /// After a call has made a request and before the program gets it. `persistent`: it is to be started first
  /// (describes_transfer() of the call's category). Not 0: memory is out, and nothing will be told. Any thread, for
  /// different requests. Memory is taken only when more requests are under way than ever before. Null requests are
  /// ignored.
  int (*attach)(std::uint32_t watcher, MPI_Request request, std::uint64_t value, int persistent);

  /// The same for `data_size` bytes that the service copies and keeps: the value is their address, good until `ended`.
  int (*attach_data)(std::uint32_t watcher, MPI_Request request, const void* data, int persistent);
  static constexpr std::size_t data_size = 32;
};

}  // namespace cairn
