// SPDX-License-Identifier: BSD-3-Clause
// details.hpp - what a reader that follows every call wants to know beside it: which requests a call has started,
// completed or freed, and what messages it has received
//
//   Details<F> details(wanted, call);  // before the call: afterwards the program's handles are null
//   …
//   details.tell(mine, begun, call, requests);  // after a call that has succeeded
#pragma once

#include <mpi.h>

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "arguments.hpp"
#include "cairn/kit/moves.hpp"
#include "cairn/kit/own_work.hpp"
#include "cairn/kit/status_bytes.hpp"
#include "open_requests.hpp"
#include "recording.hpp"
#include "shared/scratch.hpp"

namespace recorder {

/// visit(i, s): the call has completed its i-th request; the s-th status tells of it.
template <Function F, class Visit>
[[gnu::always_inline]] inline void for_each_completed(const cairn::Call<F>& call, Visit visit) {
  if constexpr (cairn::has<F>(Role::flag))
    if (*arg<Role::flag>(call) == 0) return;
  if constexpr (cairn::has<F>(Role::completed_indices)) {
    const int done = *arg<Role::completed_count>(call);  // MPI_UNDEFINED is negative
    for (int i = 0; i < done; ++i)
      visit(static_cast<std::size_t>(arg<Role::completed_indices>(call)[i]), static_cast<std::size_t>(i));
  } else if constexpr (cairn::has<F>(Role::completed_index)) {
    if (const int index = *arg<Role::completed_index>(call); index >= 0) visit(static_cast<std::size_t>(index), 0);
  } else {
    for (std::size_t i = 0, count = request_count(call); i < count; ++i) visit(i, i);
  }
}

template <Function F>
constexpr bool starts_or_frees_requests() {
  return F == Function::MPI_Start_ || F == Function::MPI_Startall_ || F == Function::MPI_Request_free_;
}
template <Function F>
constexpr bool receives_at_once() {
  return cairn::received_by_status<F>() && cairn::has<F>(Role::status) && !cairn::has<F>(Role::request_inout);
}
/// Of the request that the function makes.
template <Function F>
constexpr bool requests_message() {
  return cairn::has<F>(Role::new_request) && (cairn::has<F>(Role::source) || cairn::has<F>(Role::message_inout));
}

template <std::size_t... I>
constexpr auto receiving_functions(std::index_sequence<I...>) {
  return std::array<bool, sizeof...(I)>{requests_message<static_cast<Function>(I)>()...};
}
inline constexpr auto receives = receiving_functions(std::make_index_sequence<cairn::function_count>());

/// Of a receive that was cancelled, a status tells nothing else.
class Cancelled {
 public:
  static void expect() { may_be_.store(true, std::memory_order_relaxed); }
  static bool is(const MPI_Status& status) { return may_be_.load(std::memory_order_relaxed) && ask(status); }

 private:
  [[gnu::noinline, gnu::cold]] static bool ask(const MPI_Status& status) {
    const cairn::OwnWork own;
    int is_cancelled = 0;
    return PMPI_Test_cancelled(&status, &is_cancelled) == MPI_SUCCESS && is_cancelled != 0;
  }
  static inline std::atomic<bool> may_be_{false};  // the program has called MPI_Cancel
};

template <Function F>
class Details {
 public:
  Details(bool wanted, cairn::Call<F>& call)
      : handles_(wanted ? handle_count(call) : 0), own_(wanted ? statuses_ignored(call) : 0) {
    if (wanted) [[unlikely]]
      prepare(call);
  }

  void tell(bool wanted, Recording& mine, const Recording::Begun& begun, const cairn::Call<F>& call,
            const OpenRequests& requests) {
    if (wanted && handles_.has_room()) [[unlikely]]
      tell_all(mine, begun, call, requests);
  }

 private:
  static constexpr bool has_requests = completes_requests<F>() || starts_or_frees_requests<F>();

  void prepare(cairn::Call<F>& call) {
    if constexpr (has_requests)
      for (std::size_t i = 0, count = handles_.has_room() ? request_count(call) : 0; i < count; ++i)
        handles_[i] = cairn::handle_bits(requests_of(call)[i]);
    if constexpr (cairn::has<F>(Role::statuses)) take_statuses(call, arg<Role::statuses>(call));
    else if constexpr (cairn::has<F>(Role::status)) take_statuses(call, arg<Role::status>(call));
  }
  static std::size_t handle_count(const cairn::Call<F>& call) {
    if constexpr (has_requests) return request_count(call);
    else return 0;
  }
  static std::size_t statuses_ignored(const cairn::Call<F>& call) {
    if constexpr (cairn::has<F>(Role::statuses))
      return &arg<Role::statuses>(call)[0] == MPI_STATUSES_IGNORE ? request_count(call) : 0;
    else if constexpr (cairn::has<F>(Role::status)) return arg<Role::status>(call) == MPI_STATUS_IGNORE ? 1 : 0;
    else return 0;
  }
  /// Passes room for those that the program ignores.
  template <class Place>
  void take_statuses(const cairn::Call<F>& call, Place& place) {
    const bool are_ignored = statuses_ignored(call) != 0;
    if (are_ignored && own_.has_room()) place = own_.data();
    statuses_ = are_ignored && !own_.has_room() ? nullptr : &place[0];
  }

  [[gnu::noinline]] void tell_all(Recording& mine, const Recording::Begun& begun, const cairn::Call<F>& call,
                                  const OpenRequests& requests) {
    if constexpr (completes_requests<F>()) {
      for_each_completed(call, [&](std::size_t i, std::size_t s) {
        if (handles_[i] == cairn::handle_bits(MPI_REQUEST_NULL)) return;
        const page::Thread& head = mine.head();
        const std::uint16_t known = i < head.waited_for_count ? head.waited_for[i] : OpenRequests::unknown;
        const bool is_message = known != OpenRequests::unknown && receives[requests.at(known).function];
        tell_one(mine, page::request_completed, begun, handles_[i],
                 is_message && statuses_ != nullptr ? statuses_ + s : nullptr);
      });
    } else if constexpr (has_requests) {
      constexpr page::Detail what = kind_of<F>() == Kind::start ? page::request_started : page::request_freed;
      for (std::size_t i = 0, count = request_count(call); i < count; ++i)
        tell_one(mine, what, begun, handles_[i], nullptr);
    } else {
      tell_one(mine, page::message_received, begun, 0, statuses_);
    }
  }
  static void tell_one(Recording& mine, page::Detail what, const Recording::Begun& begun, std::uint64_t handle,
                       const MPI_Status* status) {
    page::Record& told = mine.begin_detail(what, begun);
    told.other = handle;
    if (status != nullptr && !Cancelled::is(*status)) {
      told.peer = status->MPI_SOURCE;
      told.tag = status->MPI_TAG;
      told.count = cairn::StatusBytes::of(*status);
      told.flags = page::has_peer | page::has_tag | page::has_count;
    }
    mine.end_detail();
  }

  services::Scratch<std::uint64_t> handles_;
  MPI_Status* statuses_;
  services::Scratch<MPI_Status> own_;
};

/// Of all other calls there is no more to tell.
template <Function F>
requires(!completes_requests<F>() && !starts_or_frees_requests<F>() && !receives_at_once<F>()) class Details<F> {
 public:
  Details(bool /*wanted*/, cairn::Call<F>& /*call*/) {}
  void tell(bool /*wanted*/, Recording& /*mine*/, const Recording::Begun& /*begun*/, const cairn::Call<F>& /*call*/,
            const OpenRequests& /*requests*/) {}
};

}  // namespace recorder
