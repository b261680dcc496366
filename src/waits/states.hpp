// SPDX-License-Identifier: BSD-3-Clause
// states.hpp - which calls wait, since when, for whom (docs/waits.md has the definitions)
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "waits/graph.hpp"

namespace cairn::waits {

enum class WaitKind : std::uint8_t {
  late_sender,
  wrong_order,
  late_receiver,
  late_completion,
  wait_at_barrier,
  wait_at_n_to_n,
  wait_at_one_to_n,
  wait_at_n_to_one,
  early_reduce,
  wait_at_scan,
  wait_at_fence,
  communicator_creation,
  io_collective,
  wait_at_finalize,
  wait_at_neighbors,
  late_post,
  late_complete,
  lock_contention,
};
inline constexpr std::array<std::string_view, 18> wait_names = {
    "late_sender",    "wrong_order",           "late_receiver",    "late_completion",  "wait_at_barrier",
    "wait_at_n_to_n", "wait_at_one_to_n",      "wait_at_n_to_one", "early_reduce",     "wait_at_scan",
    "wait_at_fence",  "communicator_creation", "io_collective",    "wait_at_finalize", "wait_at_neighbors",
    "late_post",      "late_complete",         "lock_contention"};

/// From the entry of the call to the moment at which the other rank comes: `culprit` is the call that it comes with.
struct Wait {
  Index node = none;
  Index culprit = none;
  std::int64_t until = 0;
  std::int64_t early = 0;  // of a root: the part of it in which nobody had come
  WaitKind kind{};
  Index comm = 0;

  std::int64_t ns(const Graph& graph) const { return until - graph.nodes[node].entry; }
};

/// Largest message that was sent before its receiver asked for it, within nodes and between them.
struct EagerSizes {
  std::uint64_t within = 0;
  std::uint64_t between = 0;
};
EagerSizes eager_sizes(const Graph& graph);
/// Whether its sender needs the receiver.
bool is_rendezvous(const Graph& graph, const Link& link, const EagerSizes& eager);

struct Waits {
  explicit Waits(const Graph& graph);

  std::vector<Wait> all;  // by call
  std::vector<Index> at;  // of a call: its place in `all`; none
  EagerSizes eager;

  std::int64_t ns(const Graph& graph, Index node) const { return at[node] == none ? 0 : all[at[node]].ns(graph); }
};

}  // namespace cairn::waits
