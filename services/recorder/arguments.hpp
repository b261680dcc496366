// SPDX-License-Identifier: BSD-3-Clause
// arguments.hpp - what is recorded of a call's arguments, by their roles
//
// They are the program's and may be wrong, so nothing here asks MPI, and pointers that may be null are checked.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>

#include "cairn/kit/call.hpp"
#include "cairn/kit/handle.hpp"
#include "kinds.hpp"
#include "objects.hpp"
#include "recording.hpp"

namespace recorder {

/// Of the communicator, window or file; 0: there is none.
template <Function F>
std::uint64_t handle_of(const cairn::Call<F>& call) {
  const auto read = [](const auto* handle) -> std::uint64_t {
    return handle == nullptr ? 0 : cairn::handle_bits(*handle);
  };
  if constexpr (cairn::has<F>(Role::comm)) return cairn::handle_bits(arg<Role::comm>(call));
  else if constexpr (cairn::has<F>(Role::win)) return cairn::handle_bits(arg<Role::win>(call));
  else if constexpr (cairn::has<F>(Role::file)) return cairn::handle_bits(arg<Role::file>(call));
  else if constexpr (cairn::has<F>(Role::comm_inout)) return read(arg<Role::comm_inout>(call));
  else if constexpr (cairn::has<F>(Role::win_inout)) return read(arg<Role::win_inout>(call));
  else if constexpr (cairn::has<F>(Role::file_inout)) return read(arg<Role::file_inout>(call));
  else return 0;
}

template <Function F>
[[gnu::always_inline]] inline void add_partner(CallFacts& facts, const cairn::Call<F>& call) {
  const auto set_peer = [&facts](int rank, std::uint16_t flag) {
    facts.peer = rank;
    facts.flags |= flag;
  };
  const auto set_tag = [&facts](int tag) {
    facts.tag = tag;
    facts.flags |= page::has_tag;
  };
  if constexpr (cairn::has<F>(Role::dest)) set_peer(arg<Role::dest>(call), page::has_peer);
  else if constexpr (cairn::has<F>(Role::source)) set_peer(arg<Role::source>(call), page::has_peer);
  else if constexpr (cairn::has<F>(Role::target_rank)) set_peer(arg<Role::target_rank>(call), page::has_peer);
  else if constexpr (cairn::has<F>(Role::root)) set_peer(arg<Role::root>(call), page::has_root);
  if constexpr (cairn::has<F>(Role::tag)) set_tag(arg<Role::tag>(call));
  else if constexpr (cairn::has<F>(Role::send_tag)) set_tag(arg<Role::send_tag>(call));
  if constexpr (cairn::has<F>(Role::lock_type))
    if (arg<Role::lock_type>(call) == MPI_LOCK_EXCLUSIVE) facts.flags |= page::exclusive;
  if constexpr (cairn::has<F>(Role::dest) && cairn::has<F>(Role::source))
    facts.other = static_cast<std::uint32_t>(arg<Role::source>(call)) |
                  static_cast<std::uint64_t>(static_cast<std::uint32_t>(arg<Role::recv_tag>(call))) << 32U;
}

/// As the arguments have it: whether they are good is not known before the call.
template <Function F>
[[gnu::always_inline]] inline void add_amount(CallFacts& facts, const cairn::Call<F>& call, Objects& objects) {
  const auto set = [&]<Role Count, Role Type>() {
    facts.count = static_cast<std::uint64_t>(arg<Count>(call));
    facts.type = objects.type_of(arg<Type>(call));
    facts.flags |= is_same_for_all<F>() ? page::has_count | page::same_for_all : page::has_count;
  };
  if constexpr (cairn::has<F>(Role::count) && cairn::has<F>(Role::datatype))
    set.template operator()<Role::count, Role::datatype>();
  else if constexpr (cairn::has<F>(Role::send_count)) set.template operator()<Role::send_count, Role::send_datatype>();
  else if constexpr (cairn::has<F>(Role::send_count_each))
    set.template operator()<Role::send_count_each, Role::send_datatype>();
  else if constexpr (cairn::has<F>(Role::recv_count)) set.template operator()<Role::recv_count, Role::recv_datatype>();
  else if constexpr (cairn::has<F>(Role::origin_count))
    set.template operator()<Role::origin_count, Role::origin_datatype>();
  else if constexpr (cairn::has<F>(Role::result_count))
    set.template operator()<Role::result_count, Role::result_datatype>();
  else if constexpr (cairn::has<F>(Role::read_count)) set.template operator()<Role::read_count, Role::read_datatype>();
  else if constexpr (cairn::has<F>(Role::write_count))
    set.template operator()<Role::write_count, Role::write_datatype>();
}

/// The one that is recorded.
template <Function F>
requires(always_has_datatype<F>()) MPI_Datatype datatype_of(const cairn::Call<F>& call) {
  if constexpr (cairn::has<F>(Role::count)) return arg<Role::datatype>(call);
  else if constexpr (cairn::has<F>(Role::send_count)) return arg<Role::send_datatype>(call);
  else if constexpr (cairn::has<F>(Role::origin_count)) return arg<Role::origin_datatype>(call);
  else if constexpr (cairn::has<F>(Role::read_count)) return arg<Role::read_datatype>(call);
  else return arg<Role::write_datatype>(call);
}

template <Function F>
std::size_t request_count(const cairn::Call<F>& call) {
  if constexpr (cairn::has<F>(Role::requests_inout)) {
    const auto count = static_cast<std::int64_t>(arg<Role::request_count>(call));
    return count > 0 && arg<Role::requests_inout>(call) != nullptr ? static_cast<std::size_t>(count) : 0;
  } else {
    return arg<Role::request_inout>(call) != nullptr ? 1 : 0;
  }
}
template <Function F>
const MPI_Request* requests_of(const cairn::Call<F>& call) {
  if constexpr (cairn::has<F>(Role::requests_inout)) return &arg<Role::requests_inout>(call)[0];
  else return arg<Role::request_inout>(call);
}

template <Function F>
[[gnu::always_inline]] inline bool is_in_vain(const cairn::Call<F>& call) {
  if constexpr (cairn::has<F>(Role::flag)) return *arg<Role::flag>(call) == 0;
  else return *arg<Role::completed_count>(call) == 0;
}

}  // namespace recorder
