// SPDX-License-Identifier: BSD-3-Clause
// counting.hpp - what a collective call sends to whom, from what it says of itself (cairn/kit/moves.hpp)
//
// Collectives are counted as if every part went directly from the process that has it to the process that gets it: a
// root's parts, the parts for a root, and what each gives to each; a process's own part is not counted.
#pragma once

#include <mpi.h>

#include <cstdint>

#include "cairn/kit/moves.hpp"
#include "communicators.hpp"
#include "monitor.hpp"
#include "persistent.hpp"
#include "traffic.hpp"

namespace comm {

using cairn::argument;
using cairn::Function;
using cairn::has;
using cairn::Role;

template <Function F>
constexpr bool accesses_file() {
  return has<F>(Role::file) && (has<F>(Role::read_count) || has<F>(Role::write_count));
}

/// By the roles of the parameters: several counts are a v or w form.
template <Function F>
constexpr Operation operation_of() {
  using enum Operation;
  if (cairn::is_neighborhood<F>()) return direct;
  if (has<F>(Role::root)) {
    if (has<F>(Role::buffer)) return bcast;
    if (has<F>(Role::send_counts) || has<F>(Role::recv_counts)) return direct;
    return has<F>(Role::send_count_each) ? scatter : has<F>(Role::datatype) ? reduce : gather;
  }
  constexpr cairn::Pattern pattern = cairn::pattern_of<F>();
  if (pattern == cairn::Pattern::shares) return reduce_scatter;
  if (pattern == cairn::Pattern::to_later) return scan;
  if (has<F>(Role::datatype)) return allreduce;
  if (has<F>(Role::send_counts)) return direct;
  return has<F>(Role::send_count_each) ? alltoall : has<F>(Role::send_buffer) ? allgather : barrier;
}

inline Key to_process(Kind kind, int world) { return {kind, world < 0 ? outside : world}; }

/// Takes parts: counts them at once or, where `kept` is given, for each start of a request.
struct Sink {
  void add(Key key, std::uint64_t bytes) {
    if (kept != nullptr) kept->push_back({key, bytes});
    else monitor.add(key, bytes);
  }
  Monitor& monitor;
  Parts* kept;
};

/// What there is to know of a call beside its arguments.
struct CollectiveFacts {
  Operation what;
  const Known& known;
  const cairn::Moves& moves;
  const cairn::Ranks& ranks;
  bool for_model;  // also what the model needs
};

/// Each part goes to `sink` once; a part that is the same for all partners is one, whatever their number. Throws
/// std::bad_alloc where parts are kept.
void count_collective(const cairn::Transfer& call, const CollectiveFacts& facts, Sink sink);

}  // namespace comm
