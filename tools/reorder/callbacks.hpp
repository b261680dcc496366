// SPDX-License-Identifier: BSD-3-Clause
// callbacks.hpp - functions of the program that MPI hands a communicator to: they are given MPI_COMM_WORLD for the one
// that stands for it
//
// MPI gets a function of ours for each function of the program's, as error handlers have no place for a pointer of our own.
#pragma once

#include <mpi.h>

#include <array>
#include <cstddef>
#include <mutex>
#include <utility>

#include "cairn/kit/call.hpp"

namespace reorder {

/// What the program takes for MPI_COMM_WORLD once it is renumbered; MPI_COMM_NULL before. A layer has it once.
inline MPI_Comm stand_in = MPI_COMM_NULL;

inline MPI_Comm as_seen(MPI_Comm comm) { return comm == stand_in && comm != MPI_COMM_NULL ? MPI_COMM_WORLD : comm; }

inline constexpr std::size_t most_callbacks = 64;

template <class Function>
inline std::array<Function*, most_callbacks> behind{};  // in the order in which they were first seen

/// Attributes: int(MPI_Comm, …).
template <class Function>
struct Thunk;
template <class Result, class... More>
struct Thunk<Result(MPI_Comm, More...)> {
  template <std::size_t I>
  static Result call(MPI_Comm comm, More... more) {
    return behind<Result(MPI_Comm, More...)>[I](as_seen(comm), more...);
  }
};
/// Error handlers; libraries pass further arguments of their own.
template <>
struct Thunk<void(MPI_Comm*, int*, ...)> {
  template <std::size_t I>
  static void call(MPI_Comm* comm, int* code, ...) {
    CAIRN_TAKE_MORE(more, code);
    MPI_Comm seen = as_seen(*comm);
    more.pass(behind<void(MPI_Comm*, int*, ...)>[I], &seen, code);
  }
};

template <class Function>
class Callbacks {
 public:
  /// What MPI is to call in place of the program's function; that itself if it is null, or there is no room for more.
  Function* in_place_of(Function* function) {
    if (function == nullptr) return function;
    const std::lock_guard lock(lock_);
    for (std::size_t i = 0; i < most_callbacks; ++i) {
      if (behind<Function>[i] == nullptr) behind<Function>[i] = function;
      if (behind<Function>[i] == function) return thunks[i];
    }
    return function;
  }

 private:
  static constexpr std::array<Function*, most_callbacks> thunks = []<std::size_t... I>(std::index_sequence<I...>) {
    return std::array<Function*, most_callbacks>{&Thunk<Function>::template call<I>...};
  }
  (std::make_index_sequence<most_callbacks>());

  std::mutex lock_;
};

}  // namespace reorder
