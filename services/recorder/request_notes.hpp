// SPDX-License-Identifier: BSD-3-Clause
// request_notes.hpp - what a page keeps of requests: those that a call waits for, and new ones, with the call that made them
#pragma once

#include <mpi.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "arguments.hpp"
#include "cairn/kit/clock.hpp"
#include "kinds.hpp"
#include "open_requests.hpp"

namespace recorder {

inline void note_one(const OpenRequests& known, page::Thread& head, const MPI_Request* request) {
  head.waited_for_count = request != nullptr ? 1 : 0;
  if (request != nullptr) head.waited_for[0] = known.find(cairn::handle_bits(*request));
}

inline void note(const OpenRequests& known, page::Thread& head, const MPI_Request* requests, std::size_t count) {
  count = std::min(count, page::Thread::most_waited_for);
  for (std::size_t i = 0; i < count; ++i) head.waited_for[i] = known.find(cairn::handle_bits(requests[i]));
  head.waited_for_count = static_cast<std::uint32_t>(count);
}

/// Where the requests of the call are in the page: after it, their handles may be null.
template <Function F>
[[gnu::always_inline]] inline void note_requests(const OpenRequests& known, page::Thread& head,
                                                 const cairn::Call<F>& call) {
  if constexpr (completes_requests<F>() && cairn::has<F>(Role::requests_inout))
    note(known, head, requests_of(call), request_count(call));
  else if constexpr (completes_requests<F>()) note_one(known, head, requests_of(call));
  else if constexpr (kind_of<F>() == Kind::test) head.waited_for_count = 0;
}

/// A new one, which the record of the call under way describes; what was written last is not read back at once.
inline void add_request(OpenRequests& known, page::Record& record, std::uint64_t handle, page::Request::State state) {
  if (page::Request* const request = known.add(handle); request != nullptr) {
    std::memcpy(static_cast<void*>(request), &record, sizeof record);
    request->handle = handle;
    request->flags = record.flags | page::nonblocking;
    request->state.store(state, std::memory_order_release);
  }
  record.other = handle;
  record.flags |= page::nonblocking;
}

inline void start_requests(const OpenRequests& known, const MPI_Request* requests, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint16_t index = known.find(cairn::handle_bits(requests[i]));
    if (index == OpenRequests::unknown) continue;
    known.at(index).begin = cairn::ticks_now();
    known.at(index).state.store(page::Request::active, std::memory_order_release);
  }
}

}  // namespace recorder
