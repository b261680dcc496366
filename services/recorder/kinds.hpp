// SPDX-License-Identifier: BSD-3-Clause
// kinds.hpp - which functions are recorded, and as what
#pragma once

#include <mpi.h>

#include <string_view>

#include "cairn/functions.hpp"
#include "cairn/kit/moves.hpp"
#include "cairn/page.hpp"

namespace recorder {

namespace page = cairn::page;

using cairn::Category;
using cairn::Function;
using cairn::Role;
using page::Kind;

/// Whether all processes of a communicator, window or file call the function, each in the same order.
template <Function F>
constexpr bool is_collective() {
  using enum Category;
  constexpr Category category = cairn::facts(F).category;
  constexpr std::string_view name = cairn::facts(F).name;
  constexpr bool on_object = cairn::has<F>(Role::comm) || cairn::has<F>(Role::comm_inout) || cairn::has<F>(Role::win) ||
                             cairn::has<F>(Role::win_inout) || cairn::has<F>(Role::file) ||
                             cairn::has<F>(Role::file_inout);
  if (!on_object) return false;
  switch (category) {
    case collective:
    case collective_nonblocking:
    case collective_persistent:
    case neighborhood:
    case neighborhood_nonblocking:
    case neighborhood_persistent:
    case io_collective:
    case io_collective_nonblocking:
    case window_creation:
      return true;
    case one_sided_synchronization:
      return name == "MPI_Win_fence";
    case communicator_creation:
      return !name.starts_with("MPIX_") && (!cairn::has<F>(Role::group) || name == "MPI_Comm_create");
    case process:
      return cairn::has<F>(Role::root);
    case file:
      return cairn::has<F>(Role::new_file) || cairn::has<F>(Role::file_inout) || name.starts_with("MPI_File_set_") ||
             name == "MPI_File_sync" || name == "MPI_File_preallocate";
    default:
      return false;
  }
}

template <Function F>
constexpr Kind kind_of_message() {
  const bool sends = cairn::has<F>(Role::dest);
  const bool receives = cairn::has<F>(Role::source);
  if (sends && receives) return Kind::exchange;
  return sends ? Kind::send : Kind::receive;
}

template <Function F>
constexpr Kind kind_of_lifecycle() {
  const std::string_view name = cairn::facts(F).name;
  if (name == "MPI_Abort") return Kind::abort;
  return name.ends_with("inalize") ? Kind::finalize : Kind::init;
}

template <Function F>
constexpr Kind kind_of() {
  using enum Category;
  if (cairn::has<F>(Role::new_request)) return Kind::begin;
  if (is_collective<F>()) return Kind::collective;
  switch (cairn::facts(F).category) {
    case point_to_point:
      return kind_of_message<F>();
    case probe:
      return Kind::probe;
    case probe_nonblocking:
    case completion_nonblocking:
      return Kind::test;
    case completion:
      return Kind::wait;
    case start:
      return Kind::start;
    case one_sided:
      return Kind::window;
    case one_sided_synchronization:
      return cairn::has<F>(Role::flag) ? Kind::test : Kind::sync;
    case io:
    case io_collective:
    case file:
      return Kind::file;
    case lifecycle:
      return kind_of_lifecycle<F>();
    default:
      return Kind::other;
  }
}

/// Calls that can wait, and those that others wait for.
template <Function F>
constexpr bool is_recorded() {
  using enum Category;
  constexpr Category category = cairn::facts(F).category;
  return kind_of<F>() != Kind::other || category == send_buffering || category == communicator_creation ||
         category == process || cairn::has<F>(Role::request_inout);
}

/// Whether the program gives the call requests that it may complete.
template <Function F>
constexpr bool completes_requests() {
  constexpr Category category = cairn::facts(F).category;
  return (category == Category::completion || category == Category::completion_nonblocking) &&
         (cairn::has<F>(Role::requests_inout) || cairn::has<F>(Role::request_inout));
}

/// Whether it may return without having found anything.
template <Function F>
constexpr bool may_be_in_vain() {
  return kind_of<F>() == Kind::test && (cairn::has<F>(Role::flag) || cairn::has<F>(Role::completed_count));
}

/// Programs call these so often that nanoseconds count: what is done for them stands in their own code. The others share
/// theirs, or the compiler would take twice as long.
template <Function F>
constexpr bool is_frequent() {
  using enum Category;
  if (std::string_view(cairn::facts(F).name).ends_with("_c")) return false;
  switch (cairn::facts(F).category) {
    case point_to_point:
    case point_to_point_nonblocking:
    case probe:
    case completion:
    case start:
    case collective:
    case collective_nonblocking:
    case one_sided:
      return true;
    default:
      return may_be_in_vain<F>();
  }
}

/// After it a datatype can be used: that is committed, that is a copy, which may be of a committed one, or predefined.
template <Function F>
constexpr bool readies_datatype() {
  constexpr std::string_view name = cairn::facts(F).name;
  return name == "MPI_Type_commit" || name == "MPI_Type_dup" || name.starts_with("MPI_Type_create_f90_");
}

/// Whether the datatype that is recorded matters to MPI wherever something is sent or received: then it is good if the
/// call succeeds.
template <Function F>
constexpr bool always_has_datatype() {
  if (cairn::has<F>(Role::count)) return cairn::has<F>(Role::datatype);
  if (cairn::has<F>(Role::send_count)) return cairn::has<F>(Role::dest);
  if (cairn::has<F>(Role::origin_count)) return !cairn::has<F>(Role::result_buffer);  // MPI_NO_OP
  return cairn::has<F>(Role::read_count) || cairn::has<F>(Role::write_count);
}

/// Whether count and datatype must come to the same in all processes.
template <Function F>
constexpr bool is_same_for_all() {
  return cairn::is_collective<F>() && cairn::has<F>(Role::count) && cairn::has<F>(Role::datatype);
}

}  // namespace recorder
