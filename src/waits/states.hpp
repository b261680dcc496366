// SPDX-License-Identifier: BSD-3-Clause
// states.hpp - which calls wait, since when, for whom (docs/waits.md has the definitions)
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "waits/graph.hpp"
#include "waits/send_sizes.hpp"

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
  late_fetch,
};
inline constexpr std::array<std::string_view, 19> wait_names = {
    "late_sender",    "wrong_order",           "late_receiver",    "late_completion",  "wait_at_barrier",
    "wait_at_n_to_n", "wait_at_one_to_n",      "wait_at_n_to_one", "early_reduce",     "wait_at_scan",
    "wait_at_fence",  "communicator_creation", "io_collective",    "wait_at_finalize", "wait_at_neighbors",
    "late_post",      "late_complete",         "lock_contention",  "late_fetch"};

/// Of a transfer that both sides had begun.
constexpr bool is_completion(WaitKind kind) {
  return kind == WaitKind::late_completion || kind == WaitKind::late_fetch;
}

/// Of an operation.
WaitKind kind_of(Pattern pattern);

/// The first part of a wait, where that is one of another kind.
struct EarlyPart {
  // Of a root: until somebody came. Of a late completion: until the other one had begun the transfer, or until what the
  // call needed besides had come, of whomever.
  std::int64_t ns = 0;
  WaitKind kind{};
  Index began = none;  // the call with which it did: the part is charged to what was before that
};

/// From the entry of the call to the moment at which the other rank comes: `culprit` is the call that it comes with.
struct Wait {
  Index node = none;
  Index culprit = none;
  std::int64_t until = 0;
  WaitKind kind{};
  Index comm = 0;
  EarlyPart early;

  std::int64_t ns(const Graph& graph) const { return until - graph.nodes[node].entry; }
};

/// Calls with which processes took part in an operation, by when they came.
struct Comers {
  Index first_other = none;  // than the root
  Index last_other = none;
  Index last = none;
  Index root = none;
};
Comers comers_of(const Graph& graph, const Operation& operation);

struct Waits {
  explicit Waits(const Graph& graph, SendSizes known = {});

  std::vector<Wait> all;  // by call
  std::vector<Index> at;  // of a call: its place in `all`; none
  /// Calls that needed a process of which nothing is known then: how much of them is waiting for it, nobody can say.
  std::vector<bool> is_unknown;
  SendSizes sends;
  /// By link: of a send that is no rendezvous, but is over only when its receiver's library has taken the message out of a
  /// buffer of the sender's, the receiver's call that is taken for it. None: it does not wait for that, or nobody knows.
  std::vector<Index> taken_by;

  std::int64_t ns(const Graph& graph, Index node) const { return at[node] == none ? 0 : all[at[node]].ns(graph); }
  /// What is transfer of a call's time for certain.
  std::int64_t transfer_ns(const Graph& graph, Index node) const {
    return is_unknown[node] ? 0 : graph.nodes[node].exit - graph.nodes[node].entry - ns(graph, node);
  }
};

}  // namespace cairn::waits
