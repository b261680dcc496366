// SPDX-License-Identifier: BSD-3-Clause
// partners.hpp - with whom a call has to do that names no single rank: members of groups, neighbors in a topology
//
// Only for readers that follow every call (details.hpp): it asks MPI, in calls that programs make seldom.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <string_view>

#include "cairn/functions.hpp"
#include "cairn/kit/call.hpp"
#include "cairn/kit/handle.hpp"
#include "cairn/kit/own_work.hpp"
#include "cairn/services/ranks.hpp"
#include "objects.hpp"
#include "recording.hpp"
#include "shared/scratch.hpp"

namespace recorder {

template <cairn::Function F>
constexpr bool names_partners() {
  return F == cairn::Function::MPI_Win_post_ || F == cairn::Function::MPI_Win_start_;
}

template <cairn::Function F>
constexpr bool may_make_topology() {
  constexpr std::string_view name = cairn::facts(F).name;
  return cairn::has<F>(cairn::Role::new_comm) && !cairn::has<F>(cairn::Role::new_request) &&
         (name.find("Cart_") != name.npos || name.find("raph_create") != name.npos ||
          name.find("Comm_dup") != name.npos);
}

inline void tell_partner(Recording& mine, page::Record& told, int world) {
  told.peer = world;
  told.flags = page::has_peer;
  mine.end_detail();
}

[[gnu::noinline, gnu::cold]] inline void tell_partners(Recording& mine, const Recording::Begun& begun, MPI_Group group,
                                                       const cairn::Ranks& ranks) {
  const cairn::OwnWork own;
  int size = 0;
  PMPI_Group_size(group, &size);
  services::Scratch<int> worlds(static_cast<std::size_t>(size));
  if (!worlds.has_room()) return;
  ranks.translate(group, size, worlds.data());
  for (int i = 0; i < size; ++i)
    tell_partner(mine, mine.begin_detail(page::partner, begun), worlds[static_cast<std::size_t>(i)]);
}

/// Of a new communicator that may have a topology: whom its neighborhood calls receive from.
[[gnu::noinline, gnu::cold]] inline void tell_neighbors(Recording& mine, const Recording::Begun& begun,
                                                        std::uint32_t object, MPI_Comm comm,
                                                        const cairn::Ranks& ranks) {
  const cairn::Members* const members = object == 0 ? nullptr : ranks.members(comm);
  const bool may_have_some = members != nullptr && members->remote_size == 0;  // inter-communicators have none
  const cairn::Neighbors* const neighbors = may_have_some ? ranks.neighbors(comm) : nullptr;
  for (int i = 0; neighbors != nullptr && i < neighbors->in.count; ++i)
    if (const int world = ranks.world_rank(comm, neighbors->in.ranks[i]); world >= 0) {
      page::Record& told = mine.begin_detail_of_made(page::neighbor, begun);
      told.object = object;
      tell_partner(mine, told, world);
    }
}

/// Which window or file it is, after it is known.
template <cairn::Function F>
void tell_made(Recording& mine, const Recording::Begun& begun, const cairn::Call<F>& call, Objects& objects) {
  if constexpr (cairn::has<F>(cairn::Role::new_win) || cairn::has<F>(cairn::Role::new_file)) {
    page::Record& told = mine.begin_detail_of_made(page::object_made, begun);
    if constexpr (cairn::has<F>(cairn::Role::new_win)) {
      told.object = objects.of(cairn::handle_bits(*arg<cairn::Role::new_win>(call)));
    } else {
      const int access = arg<cairn::Role::access_mode>(call);
      told.object = objects.of(cairn::handle_bits(*arg<cairn::Role::new_file>(call)));
      told.tag = (access & MPI_MODE_RDWR) != 0     ? page::reads | page::writes
                 : (access & MPI_MODE_RDONLY) != 0 ? page::reads
                                                   : page::writes;
    }
    mine.end_detail();
  }
}

/// After a call that has succeeded, and after its new communicator is known.
template <cairn::Function F>
void tell_others(Recording& mine, const Recording::Begun& begun, const cairn::Call<F>& call, Objects& objects,
                 const cairn::Ranks& ranks) {
  if constexpr (names_partners<F>()) {
    tell_partners(mine, begun, arg<cairn::Role::group>(call), ranks);
  } else if constexpr (may_make_topology<F>()) {
    const MPI_Comm made = *arg<cairn::Role::new_comm>(call);
    tell_neighbors(mine, begun, objects.of(cairn::handle_bits(made)), made, ranks);
  }
}

}  // namespace recorder
