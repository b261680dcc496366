// SPDX-License-Identifier: BSD-3-Clause
// recorder.hpp - the service "cairn.recorder": the last calls of each thread, in memory that other processes can read
//
//   using Needs = cairn::ServiceList<cairn::Recorder>;
//   explicit Tool(cairn::Self self) : recorder_(self.need<cairn::Recorder>()) {}
//
// Listing it in Needs is enough: from then on every call of the program that can wait, and every call that begins
// or ends what others wait for, is recorded (page.hpp). Not recorded are calls that only ask or compute, such as
// MPI_Comm_rank and MPI_Type_vector, and calls that tools make for themselves.
// Offered by a module that Cairn adds below the tools that need it.
#pragma once

#include <cstdint>

#include "cairn/page.hpp"

namespace cairn {

/// Belongs to the tool. `wake` is called on the thread that records: it may only tell another thread.
struct RecordReader {
  void* tool;
  void (*wake)(void* tool);
  RecordReader* next;  // the service's
};

struct Recorder {
  static constexpr const char* service = "cairn.recorder";
  static constexpr std::uint32_t version = 8;

  /// Before MPI_Init, in the tool's constructor: the least number of calls to keep per thread (0: the default, 4,096);
  /// rounded up to a power of two. The largest number that any tool asks for counts. Not 0: too many (1,048,576).
  int (*keep_calls)(std::uint64_t calls);
  /// Likewise: records of requests and messages too (page::Detail), for a reader that follows all calls.
  void (*keep_details)();
  /// Likewise, beside details: what MPI_Alltoallv and the like send to each process (page::share), a record for each.
  void (*keep_shares)();

  /// Likewise: a reader that takes records out of the rings from time to time is woken whenever a thread has filled a
  /// quarter of its ring, so that it misses none.
  void (*wake_reader)(RecordReader* reader);

  /// The calling thread is in that region from here on, as the tool in that layer numbers them: a detail.
  void (*tell_region)(std::uint64_t region, std::int32_t layer);

  /// This process's page and its file; null before its first recorded call. The path is "" if no file can be created,
  /// and the page is in private memory then. Valid until the process ends. Any thread.
  const page::PageHeader* (*page)();
  const char* (*path)();
  /// The i-th thread's block, with its ring; null: there is none yet. Valid until the process ends. Any thread.
  const page::Thread* (*thread)(std::uint32_t i);

  /// The i-th object and datatype that records name; null beyond the last. Valid until the process ends. Any thread.
  const page::Object* (*object)(std::uint32_t i);
  const page::Datatype* (*datatype)(std::uint32_t i);

  /// These processes were the first to die of `watched` others of the job on this node (page::DeathsSeen). Once; any
  /// thread.
  void (*tell_deaths)(const std::int32_t* pids, std::uint32_t count, std::uint32_t watched);

  /// The calling tool is about to end this process, with _exit: the page tells that as its end, in at most 100 letters.
  void (*tell_end)(const char* how);
};

}  // namespace cairn
