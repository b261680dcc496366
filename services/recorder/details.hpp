// SPDX-License-Identifier: BSD-3-Clause
// details.hpp - what a reader that follows every call wants to know beside it: which requests a call has started,
// completed or freed, and what messages it has found or received
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
#include "request_notes.hpp"
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
/// Reads or writes a file, or a request that does.
template <Function F>
constexpr bool accesses_file() {
  return cairn::has<F>(Role::file) && (cairn::has<F>(Role::read_buffer) || cairn::has<F>(Role::write_buffer));
}
template <Function F>
constexpr bool receives_at_once() {
  return (cairn::received_by_status<F>() || accesses_file<F>()) && cairn::has<F>(Role::status) &&
         !cairn::has<F>(Role::request_inout);
}
template <Function F>
constexpr bool finds_message() {
  const cairn::Category category = cairn::facts(F).category;
  return (category == cairn::Category::probe || category == cairn::Category::probe_nonblocking) &&
         cairn::has<F>(Role::source) && cairn::has<F>(Role::status);
}
/// That MPI_Mprobe or MPI_Improbe has found.
template <Function F>
constexpr bool takes_message() {
  return cairn::has<F>(Role::message_inout) && cairn::has<F>(Role::recv_buffer);
}
template <Function F>
constexpr bool readies_partition() {
  return cairn::facts(F).category == cairn::Category::start && cairn::has<F>(Role::request);
}

/// Of the request that the function makes.
template <Function F>
constexpr bool requests_message() {
  return cairn::has<F>(Role::new_request) && (cairn::has<F>(Role::source) || cairn::has<F>(Role::message_inout));
}

/// What a status tells of a completed request, by the function that made it; 0: nothing.
template <Function F>
constexpr std::uint16_t told_by_status() {
  if (requests_message<F>()) return page::has_peer | page::has_tag | page::has_count;
  return accesses_file<F>() && cairn::has<F>(Role::new_request) ? page::has_count : 0;
}
template <std::size_t... I>
constexpr auto all_told_by_status(std::index_sequence<I...>) {
  return std::array<std::uint16_t, sizeof...(I)>{told_by_status<static_cast<Function>(I)>()...};
}
inline constexpr auto status_tells = all_told_by_status(std::make_index_sequence<cairn::function_count>());

/// Of a request that was cancelled, a status tells nothing else.
class Cancelled {
 public:
  static void expect() { may_be_.store(true, std::memory_order_relaxed); }
  static bool is_expected() { return may_be_.load(std::memory_order_relaxed); }
  static bool is(const MPI_Status& status) { return is_expected() && ask(status); }

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
  /// After one that has failed: a message that does not fit is taken all the same.
  void tell_failed(bool wanted, Recording& mine, const Recording::Begun& begun, int result) {
    if constexpr (takes_message<F>()) {
      if (wanted && is_truncated(result)) tell_one(mine, page::message_taken, begun, handles_[0], nullptr, 0);
    } else if constexpr (receives_at_once<F>() && !accesses_file<F>()) {
      if (wanted && is_truncated(result)) tell_one(mine, page::message_received, begun, 0, statuses_, of_message);
    }
  }

 private:
  static constexpr bool has_requests = completes_requests<F>() || starts_or_frees_requests<F>();
  static constexpr std::uint16_t of_message = page::has_peer | page::has_tag | page::has_count;

  [[gnu::noinline, gnu::cold]] static bool is_truncated(int result) {
    const cairn::OwnWork own;
    int error_class = 0;
    return PMPI_Error_class(result, &error_class) == MPI_SUCCESS && error_class == MPI_ERR_TRUNCATE;
  }

  void prepare(cairn::Call<F>& call) {
    if constexpr (has_requests)
      for (std::size_t i = 0, count = handles_.has_room() ? request_count(call) : 0; i < count; ++i)
        handles_[i] = cairn::handle_bits(requests_of(call)[i]);
    if constexpr (takes_message<F>())
      if (const MPI_Message* const message = arg<Role::message_inout>(call); message != nullptr)
        handles_[0] = cairn::handle_bits(*message);
    if constexpr (cairn::has<F>(Role::statuses)) take_statuses(call, arg<Role::statuses>(call));
    else if constexpr (cairn::has<F>(Role::status)) take_statuses(call, arg<Role::status>(call));
  }
  static std::size_t handle_count(const cairn::Call<F>& call) {
    if constexpr (has_requests) return request_count(call);
    else if constexpr (takes_message<F>()) return 1;
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
      const std::size_t count = request_count(call);
      for_each_completed(call, [&](std::size_t i, std::size_t s) {
        if (handles_[i] == cairn::handle_bits(MPI_REQUEST_NULL)) return;
        const std::uint16_t known = noted(mine, i, count);
        const std::uint16_t told = known != OpenRequests::unknown ? status_tells[requests.at(known).function] : 0;
        const bool is_wanted = statuses_ != nullptr && (told != 0 || Cancelled::is_expected());
        tell_one(mine, page::request_completed, begun, handles_[i], is_wanted ? statuses_ + s : nullptr, told);
      });
    } else if constexpr (has_requests) {
      constexpr page::Detail what = kind_of<F>() == Kind::start ? page::request_started : page::request_freed;
      for (std::size_t i = 0, count = request_count(call); i < count; ++i)
        tell_one(mine, what, begun, handles_[i], nullptr, 0);
    } else if constexpr (finds_message<F>()) {
      tell_found(mine, begun, call, statuses_);
    } else if constexpr (readies_partition<F>()) {
      tell_one(mine, page::partition_ready, begun, cairn::handle_bits(arg<Role::request>(call)), nullptr, 0);
    } else {
      if constexpr (takes_message<F>()) tell_one(mine, page::message_taken, begun, handles_[0], nullptr, 0);
      constexpr std::uint16_t of_file = page::has_count;
      if constexpr (receives_at_once<F>())
        tell_one(mine, page::message_received, begun, 0, statuses_, accesses_file<F>() ? of_file : of_message);
    }
  }
  /// Such a status does not tell of cancelling.
  static void tell_found(Recording& mine, const Recording::Begun& begun, const cairn::Call<F>& call,
                         const MPI_Status* status) {
    if constexpr (cairn::has<F>(Role::flag))
      if (*arg<Role::flag>(call) == 0) return;
    if (status == nullptr) return;
    page::Record& told = mine.begin_detail(page::message_found, begun);
    if constexpr (cairn::has<F>(Role::new_message)) told.other = cairn::handle_bits(*arg<Role::new_message>(call));
    set_message(told, *status, of_message);
    mine.end_detail();
  }
  static void set_message(page::Record& told, const MPI_Status& status, std::uint16_t flags) {
    if ((flags & page::has_peer) != 0) {
      told.peer = status.MPI_SOURCE;
      told.tag = status.MPI_TAG;
    }
    told.count = cairn::StatusBytes::of(status);
    told.flags = flags;
  }
  static void tell_one(Recording& mine, page::Detail what, const Recording::Begun& begun, std::uint64_t handle,
                       const MPI_Status* status, std::uint16_t flags) {
    page::Record& told = mine.begin_detail(what, begun);
    told.other = handle;
    if (status != nullptr && Cancelled::is(*status)) {
      told.flags = page::failed;
    } else if (status != nullptr && flags != 0) {
      set_message(told, *status, flags);
    }
    mine.end_detail();
  }

  services::Scratch<std::uint64_t> handles_;
  MPI_Status* statuses_;
  services::Scratch<MPI_Status> own_;
};

/// Of all other calls there is no more to tell.
template <Function F>
requires(!completes_requests<F>() && !starts_or_frees_requests<F>() && !receives_at_once<F>() && !finds_message<F>() &&
         !takes_message<F>() && !readies_partition<F>()) class Details<F> {
 public:
  Details(bool /*wanted*/, cairn::Call<F>& /*call*/) {}
  void tell(bool /*wanted*/, Recording& /*mine*/, const Recording::Begun& /*begun*/, const cairn::Call<F>& /*call*/,
            const OpenRequests& /*requests*/) {}
  void tell_failed(bool /*wanted*/, Recording& /*mine*/, const Recording::Begun& /*begun*/, int /*result*/) {}
};

}  // namespace recorder
