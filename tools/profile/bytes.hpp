// SPDX-License-Identifier: BSD-3-Clause
// bytes.hpp - how many bytes a call sends and receives, computed from the roles of its arguments (cairn/roles.hpp has
// the rules)
//
// Counted is what the calling process hands to MPI: a collective counts its contribution once for each receiving
// process where each gets a part of its own, and once where all get the same; a broadcast counts at its root. Nothing
// is counted for MPI_PROC_NULL and for files. Persistent and partitioned transfers count where they are started.
// Received is what arrives in the process's memory: of a message what its status says, of a collective what its
// arguments describe, a process's own part included.
#pragma once

#include <mpi.h>

#include <cstdint>

#include "cairn/functions.hpp"
#include "shared/sizes.hpp"

namespace profile {

using cairn::argument;
using cairn::Function;
using cairn::has;
using cairn::Role;
using shared::group_size;
using shared::is_root;
using shared::Neighbors;
using shared::neighbors;
using shared::own_rank;
using shared::Partners;
using shared::peers;
using shared::size_of_type;

/// Whether the arguments describe something to send.
template <Function F>
constexpr bool describes_sending() {
  for (const Role role : {Role::send_buffer, Role::buffer, Role::origin_buffer})
    if (has<F>(role)) return true;
  return false;
}

/// Whether the call itself sends something that we count; false compiles the counting away.
template <Function F>
constexpr bool counts_bytes() {
  return cairn::moves_data(cairn::facts(F).category) && describes_sending<F>();
}

template <Function F, class Arguments>
MPI_Comm comm_of(const Arguments& arguments) {
  return argument<F, Role::comm>(arguments);
}

template <Function F>
constexpr bool is_neighborhood() {
  using enum cairn::Category;
  const auto category = cairn::facts(F).category;
  return category == neighborhood || category == neighborhood_nonblocking;
}

enum class Direction { sent, received };

/// Whom this process sends to in the call, or receives from.
template <Function F, class Arguments>
Partners partners(Direction direction, const Arguments& arguments) {
  if (!is_neighborhood<F>()) return {peers(comm_of<F>(arguments)), 0};
  const Neighbors all = neighbors(comm_of<F>(arguments));
  return direction == Direction::sent ? all.out : all.in;
}

template <class Counts>
std::uint64_t sum(const Counts* counts, Partners to) {
  std::uint64_t total = 0;
  for (std::uint64_t i = 0; i < to.entries; ++i) total += to.has(i) ? static_cast<std::uint64_t>(counts[i]) : 0;
  return total;
}

template <class Counts>
std::uint64_t sum(const Counts* counts, const MPI_Datatype* types, Partners to) {
  std::uint64_t total = 0;
  for (std::uint64_t i = 0; i < to.entries; ++i)
    if (to.has(i)) total += static_cast<std::uint64_t>(counts[i]) * size_of_type(types[i]);
  return total;
}

/// One side of a call: which roles hold its counts and datatypes.
struct Side {
  Direction direction;
  Role one, each, several, datatype, datatypes, partition;
};
inline constexpr Side send_side{Direction::sent,     Role::send_count,     Role::send_count_each,     Role::send_counts,
                                Role::send_datatype, Role::send_datatypes, Role::send_partition_count};
inline constexpr Side recv_side{Direction::received, Role::recv_count,     Role::recv_count_each,     Role::recv_counts,
                                Role::recv_datatype, Role::recv_datatypes, Role::recv_partition_count};

/// The bytes that one side's counts and datatypes describe, over all processes where they are given per process.
template <Function F, Side S, class Arguments>
std::uint64_t described_bytes(const Arguments& arguments) {
  if constexpr (has<F>(S.datatypes) && has<F>(S.several)) {
    return sum(&argument<F, S.several>(arguments)[0], &argument<F, S.datatypes>(arguments)[0],
               partners<F>(S.direction, arguments));
  } else if constexpr (has<F>(S.several)) {
    return sum(&argument<F, S.several>(arguments)[0], partners<F>(S.direction, arguments)) *
           size_of_type(argument<F, S.datatype>(arguments));
  } else if constexpr (has<F>(S.each)) {
    return static_cast<std::uint64_t>(argument<F, S.each>(arguments)) * partners<F>(S.direction, arguments).count() *
           size_of_type(argument<F, S.datatype>(arguments));
  } else if constexpr (has<F>(S.partition)) {
    return static_cast<std::uint64_t>(argument<F, Role::partitions>(arguments)) *
           static_cast<std::uint64_t>(argument<F, S.partition>(arguments)) *
           size_of_type(argument<F, S.datatype>(arguments));
  } else if constexpr (has<F>(S.one)) {
    return static_cast<std::uint64_t>(argument<F, S.one>(arguments)) * size_of_type(argument<F, S.datatype>(arguments));
  }
  return 0;
}

/// With MPI_IN_PLACE the receive side describes this process's part: all of it where every process sends parts to every
/// other, the process's own share where all processes contribute one part each.
template <Function F, class Arguments>
std::uint64_t in_place_bytes(const Arguments& arguments) {
  if constexpr (has<F>(Role::send_count_each) || has<F>(Role::send_counts)) {
    return described_bytes<F, recv_side>(arguments);
  } else if constexpr (has<F>(Role::recv_count_each)) {
    return static_cast<std::uint64_t>(argument<F, Role::recv_count_each>(arguments)) *
           size_of_type(argument<F, Role::recv_datatype>(arguments));
  } else if constexpr (has<F>(Role::recv_counts)) {
    return static_cast<std::uint64_t>(argument<F, Role::recv_counts>(arguments)[own_rank(comm_of<F>(arguments))]) *
           size_of_type(argument<F, Role::recv_datatype>(arguments));
  }
  return 0;
}

template <Function F>
constexpr bool sends_at_root_only() {
  if (!has<F>(Role::root)) return false;
  return has<F>(Role::buffer) || has<F>(Role::send_count_each) || has<F>(Role::send_counts);
}

/// Reductions and broadcasts: one count and datatype for both sides, or shares of which each process sends all.
template <Function F, class Arguments>
std::uint64_t both_sides_bytes(const Arguments& arguments) {
  const std::uint64_t size = size_of_type(argument<F, Role::datatype>(arguments));
  if constexpr (has<F>(Role::share_counts)) {
    return size * sum(&argument<F, Role::share_counts>(arguments)[0], {group_size(comm_of<F>(arguments)), 0});
  } else if constexpr (has<F>(Role::share_count)) {
    return size * static_cast<std::uint64_t>(argument<F, Role::share_count>(arguments)) *
           group_size(comm_of<F>(arguments));
  } else {
    return size * static_cast<std::uint64_t>(argument<F, Role::count>(arguments));
  }
}

template <Function F, class Arguments>
std::uint64_t one_sided_bytes(const Arguments& arguments) {
  if constexpr (has<F>(Role::op)) {
    if (argument<F, Role::op>(arguments) == MPI_NO_OP) return 0;  // fetches only
  }
  if constexpr (has<F>(Role::origin_count)) {
    return static_cast<std::uint64_t>(argument<F, Role::origin_count>(arguments)) *
           size_of_type(argument<F, Role::origin_datatype>(arguments));
  } else {
    return size_of_type(argument<F, Role::element_datatype>(arguments));
  }
}

template <Function F, class Arguments>
std::uint64_t sent_bytes(const Arguments& arguments) {
  if constexpr (has<F>(Role::dest)) {
    if (argument<F, Role::dest>(arguments) == MPI_PROC_NULL) return 0;
  }
  if constexpr (has<F>(Role::target_rank)) {
    if (argument<F, Role::target_rank>(arguments) == MPI_PROC_NULL) return 0;
  }
  if constexpr (has<F>(Role::root)) {
    const int root = argument<F, Role::root>(arguments);
    if (root == MPI_PROC_NULL) return 0;
    if (sends_at_root_only<F>() ? !is_root(root, comm_of<F>(arguments)) : root == MPI_ROOT) return 0;
  }
  if constexpr (has<F>(Role::origin_buffer)) {
    return one_sided_bytes<F>(arguments);
  } else if constexpr (has<F>(Role::datatype)) {
    return both_sides_bytes<F>(arguments);
  } else {
    if (static_cast<const void*>(argument<F, Role::send_buffer>(arguments)) == MPI_IN_PLACE)
      return in_place_bytes<F>(arguments);
    return described_bytes<F, send_side>(arguments);
  }
}

/// Whether the function can receive anything that we count at the call itself, not at its completion.
template <Function F>
constexpr bool counts_received() {
  if (!cairn::moves_data(cairn::facts(F).category)) return false;
  if (has<F>(Role::file) || has<F>(Role::message_inout)) return has<F>(Role::status) && !has<F>(Role::file);
  if (has<F>(Role::source)) return has<F>(Role::status);
  return has<F>(Role::recv_buffer) || has<F>(Role::root) || has<F>(Role::result_buffer);
}

/// Whether a status tells what the call has received.
template <Function F>
constexpr bool received_by_status() {
  return counts_received<F>() && has<F>(Role::status);
}

inline std::uint64_t bytes_of(const MPI_Status& status) {
  MPI_Count bytes = 0;
  return PMPI_Get_elements_x(&status, MPI_BYTE, &bytes) == MPI_SUCCESS && bytes > 0 ? static_cast<std::uint64_t>(bytes)
                                                                                    : 0;
}

template <Function F, class Arguments>
std::uint64_t fetched_bytes(const Arguments& arguments) {
  if (argument<F, Role::target_rank>(arguments) == MPI_PROC_NULL) return 0;
  if constexpr (has<F>(Role::result_count)) {
    return static_cast<std::uint64_t>(argument<F, Role::result_count>(arguments)) *
           size_of_type(argument<F, Role::result_datatype>(arguments));
  } else {
    return size_of_type(argument<F, Role::element_datatype>(arguments));
  }
}

/// Of reductions the whole result, or this process's share of it; of broadcasts the buffer.
template <Function F, class Arguments>
std::uint64_t result_bytes(const Arguments& arguments) {
  const std::uint64_t size = size_of_type(argument<F, Role::datatype>(arguments));
  if constexpr (has<F>(Role::share_counts)) {
    const int rank = own_rank(comm_of<F>(arguments));
    return size * static_cast<std::uint64_t>(argument<F, Role::share_counts>(arguments)[rank]);
  } else if constexpr (has<F>(Role::share_count)) {
    return size * static_cast<std::uint64_t>(argument<F, Role::share_count>(arguments));
  } else {
    return size * static_cast<std::uint64_t>(argument<F, Role::count>(arguments));
  }
}

/// Of calls without a status.
template <Function F, class Arguments>
std::uint64_t received_bytes(const Arguments& arguments) {
  if constexpr (has<F>(Role::root)) {
    const int root = argument<F, Role::root>(arguments);
    if (root == MPI_PROC_NULL) return 0;
    const bool at_root = is_root(root, comm_of<F>(arguments));
    const bool only_root = !sends_at_root_only<F>();
    if (only_root != at_root && (only_root || has<F>(Role::buffer) || root == MPI_ROOT)) return 0;
  }
  if constexpr (has<F>(Role::result_buffer)) {
    return fetched_bytes<F>(arguments);
  } else if constexpr (has<F>(Role::datatype)) {
    return result_bytes<F>(arguments);
  } else {
    if (static_cast<const void*>(argument<F, Role::recv_buffer>(arguments)) == MPI_IN_PLACE) return 0;
    return described_bytes<F, recv_side>(arguments);
  }
}

}  // namespace profile
