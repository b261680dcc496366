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

/// Of an operation.
WaitKind kind_of(Pattern pattern);

/// The first part of a wait, where that is one of another kind.
struct EarlyPart {
  std::int64_t ns =
      0;  // of a root: until somebody came; of a late completion: until the other one had begun the transfer
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

/// Largest, or smallest, messages of some kind.
struct Sizes {
  std::uint64_t within = 0;  // nodes
  std::uint64_t between = 0;

  std::uint64_t of(const Link& link) const { return link.is_within_node ? within : between; }
  void take(const Link& link) {
    std::uint64_t& size = link.is_within_node ? within : between;
    size = std::max(size, link.bytes);
  }
  void take_least(const Link& link) {
    std::uint64_t& size = link.is_within_node ? within : between;
    size = std::min(size, link.bytes);
  }
};

/// Of sends, by size (the power of two): how many were over while their receiver made no call, and how many only when it
/// had made one. A receiver whose tests find nothing makes calls that nobody records.
struct Aid {
  static constexpr std::size_t sizes = 64;
  std::array<std::uint32_t, sizes> unaided{}, aided{};

  /// Up to that size, most are over without, as far as is known.
  std::uint64_t most_unaided() const;
};

/// What sends need, as far as the run has shown.
struct SendSizes {
  Sizes eager;                            // sent before its receiver asked for it
  Sizes awaited{UINT64_MAX, UINT64_MAX};  // the smallest of which one has waited until its receiver asked for it
  Sizes unaided;                          // up to that, sends do not need their receiver's library
  Aid aid_within, aid_between;

  /// Whether it is not sent before its receiver asks for it.
  bool is_rendezvous(const Link& link) const {
    return link.mode == SendMode::synchronous || link.bytes > eager.of(link);
  }
  /// Takes up what the graph shows. Returns Waits::taken_by.
  std::vector<Index> learn(const Graph& graph);
};

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
