// SPDX-License-Identifier: BSD-3-Clause
// dependencies.hpp - what each call of the run may need from others, and an order of all calls that replays can follow
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "waits/order.hpp"
#include "waits/states.hpp"

namespace cairn::waits {

/// What a call may need of another one, from all that it has completed: in the order of calls, so that a replay reads
/// memory in sequence.
struct Source {
  enum What : std::uint8_t {
    entry,       // of `call`
    rendezvous,  // of `call`, unless what is sent at `of` no longer needs its receiver
    sender,      // nothing; but `completion` depends on whether what is sent at `of` still needs its receiver
    completion,  // of `call`, if one of the messages still needs its receiver
    part,        // of `call`, unless nobody waits in the operation `of`
    all_parts,   // of the operation `of`, unless nobody waits in it
    neighbors,   // those of the part `call`, unless nobody waits in the operation `of`
  };
  std::int64_t recorded = 0;  // when `call` began; of all parts, the one that began last
  Index call = none;
  Index of = none;  // a site, an operation, or not asked for
  What what{};
};

/// Never changed: several replays may use it at once. It refers to both.
class Dependencies {
 public:
  Dependencies(const Graph& graph, const Waits& waits);

  const Graph& graph() const { return graph_; }
  const Waits& waits() const { return waits_; }
  std::span<const Source> sources(Index call) const {
    return {sources_.data() + sources_at_[call], sources_.data() + sources_at_[call + 1]};
  }
  /// visit(call) for the calls of the neighbors that `node` has waited for, to complete that part.
  template <class Visit>
  void for_all_neighbors(Index node, Index part, Visit visit) const {
    graph_.for_all_neighbors(part, [&](Index call) {
      if (is_in_time(node, call)) visit(call);
    });
  }
  /// Operations that begin with the call.
  std::span<const Index> begun(Index call) const {
    return {begun_.data() + begun_at_[call], begun_.data() + begun_at_[call + 1]};
  }
  const Order& order() const { return order_; }

 private:
  /// What came later was not waited for.
  bool is_in_time(Index node, Index call) const { return graph_.nodes[call].entry <= graph_.nodes[node].exit; }
  void add_begun();
  void add_sources(Index node, const std::vector<Comers>& comers);
  void add_parts(Index node, Index part, const Comers& comers);
  void add_source(Index node, Source::What what, Index call, Index of);

  const Graph& graph_;
  const Waits& waits_;
  std::vector<Index> begun_at_;
  std::vector<Index> begun_;
  std::vector<Index> sources_at_;
  std::vector<Source> sources_;
  Order order_;
};

}  // namespace cairn::waits
