// SPDX-License-Identifier: BSD-3-Clause
// comm_operation.hpp - sorts of collective calls, as far as MPI libraries have algorithms of their own for them
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace cairn::formats::comm {

enum class Operation : std::uint8_t {
  barrier,
  bcast,
  reduce,
  allreduce,
  gather,
  scatter,
  allgather,
  alltoall,
  reduce_scatter,
  scan,
  direct,  // each part goes from the process that has it to the one that gets it
};
inline constexpr std::array<std::string_view, 10> operation_names = {
    "barrier", "bcast", "reduce", "allreduce", "gather", "scatter", "allgather", "alltoall", "reduce_scatter", "scan"};

/// Is told by the root, for all; other operations by each process for itself.
constexpr bool is_rooted(Operation what) {
  using enum Operation;
  return what == bcast || what == reduce || what == gather || what == scatter;
}

}  // namespace cairn::formats::comm
