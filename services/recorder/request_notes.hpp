// SPDX-License-Identifier: BSD-3-Clause
// request_notes.hpp - what a page keeps of requests: those that a call waits for, and new ones, with the call that made them
#pragma once

#include <mpi.h>

#include <algorithm>
#include <atomic>
#include <bitset>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "arguments.hpp"
#include "cairn/kit/clock.hpp"
#include "kinds.hpp"
#include "open_requests.hpp"
#include "recording.hpp"

namespace recorder {

inline void note_one(const OpenRequests& known, page::Thread& head, const MPI_Request* request) {
  head.waited_for_count = request != nullptr ? 1 : 0;
  if (request != nullptr) head.waited_for[0] = known.find(cairn::handle_bits(*request));
}

/// Of an array that is longer than the page has room for, those that are known, each once, with their places in the array:
/// no more can be than there are places for open requests.
[[gnu::noinline]] inline void note_known(const OpenRequests& known, Recording& mine, const MPI_Request* requests,
                                         std::size_t count) {
  static_assert(OpenRequests::size <= page::Thread::most_waited_for);
  page::Thread& head = mine.head();
  std::bitset<OpenRequests::size> is_noted;
  std::uint32_t noted = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint16_t index = known.find(cairn::handle_bits(requests[i]));
    if (index == OpenRequests::unknown || is_noted[index]) continue;
    is_noted[index] = true;
    mine.places()[noted] = i;
    head.waited_for[noted++] = index;
  }
  head.waited_for_count = noted;
}

inline void note(const OpenRequests& known, Recording& mine, const MPI_Request* requests, std::size_t count) {
  if (count > page::Thread::most_waited_for) [[unlikely]]
    return note_known(known, mine, requests, count);
  page::Thread& head = mine.head();
  for (std::size_t i = 0; i < count; ++i) head.waited_for[i] = known.find(cairn::handle_bits(requests[i]));
  head.waited_for_count = static_cast<std::uint32_t>(count);
}

/// Where the requests of the call are in the page: after it, their handles may be null.
template <Function F>
[[gnu::always_inline]] inline void note_requests(const OpenRequests& known, Recording& mine,
                                                 const cairn::Call<F>& call) {
  if constexpr (completes_requests<F>() && cairn::has<F>(Role::requests_inout))
    note(known, mine, requests_of(call), request_count(call));
  else if constexpr (completes_requests<F>()) note_one(known, mine.head(), requests_of(call));
  else if constexpr (kind_of<F>() == Kind::test) mine.head().waited_for_count = 0;
}

/// Of the i-th of so many requests; unknown: it was not noted.
inline std::uint16_t noted(Recording& mine, std::size_t i, std::size_t count) {
  const page::Thread& head = mine.head();
  if (count <= page::Thread::most_waited_for) [[likely]]
    return i < head.waited_for_count ? head.waited_for[i] : OpenRequests::unknown;
  const auto first = mine.places().begin();
  const auto end = first + head.waited_for_count;
  const auto place = std::lower_bound(first, end, i);
  return place != end && *place == i ? head.waited_for[place - first] : OpenRequests::unknown;
}

/// The call has completed it. `made_comm` is told of one that has made a communicator.
template <class MadeComm>
[[gnu::always_inline]] inline void settle(OpenRequests& known, std::uint16_t index, MPI_Request request,
                                          const MadeComm& made_comm) {
  if (index == OpenRequests::unknown) return;
  if (request != MPI_REQUEST_NULL) {
    known.at(index).state.store(page::Request::inactive, std::memory_order_relaxed);
    return;
  }
  if ((known.at(index).flags & page::makes_comm) != 0) [[unlikely]]
    made_comm(known.at(index));
  known.remove(index);
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
