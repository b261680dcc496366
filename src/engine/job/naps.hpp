// SPDX-License-Identifier: BSD-3-Clause
// naps.hpp - waiting for a message without keeping the processor, which the process that sends it may need
#pragma once

#include <mpi.h>
#include <sched.h>

#include <algorithm>
#include <chrono>
#include <thread>

#include "job/library.hpp"

namespace cairn::engine {

/// Short beside what the wait has taken so far, and at most 1 ms.
class Naps {
 public:
  void take() {
    const std::chrono::nanoseconds waited = std::chrono::steady_clock::now() - began_;
    constexpr std::chrono::nanoseconds longest = std::chrono::milliseconds(1);
    if (waited < std::chrono::microseconds(100)) sched_yield();
    else std::this_thread::sleep_for(std::min(longest, waited / 8));
  }

 private:
  std::chrono::steady_clock::time_point began_ = std::chrono::steady_clock::now();
};

/// MPI_Recv, and naps until the message is there.
inline int receive_with_naps(void* buffer, int count, MPI_Datatype type, int source, int tag, MPI_Comm comm) {
  int is_there = 0;
  for (Naps naps; library.Iprobe(source, tag, comm, &is_there, MPI_STATUS_IGNORE) == MPI_SUCCESS && is_there == 0;)
    naps.take();
  return library.Recv(buffer, count, type, source, tag, comm, MPI_STATUS_IGNORE);
}

}  // namespace cairn::engine
