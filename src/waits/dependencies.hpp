// SPDX-License-Identifier: BSD-3-Clause
// dependencies.hpp - what each call of the run may need from others, in the order in which replays ask for it
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "waits/states.hpp"

namespace cairn::waits {

/// What a call may need of another one, from all that it has completed: in the order of calls, so that a replay reads
/// memory in sequence.
struct Source {
  enum What : std::uint8_t {
    entry,       // of `call`
    rendezvous,  // of `call`, unless the sender no longer needs it
    sender,      // nothing; but the call's `completion` depends on whether the sender still needs the receiver
    completion,  // of `call`, if one of the messages still needs its receiver
    part,        // of an operation, whose number is in `call`
  };
  std::int64_t recorded = 0;  // when `call` began
  Index call = none;
  Index lane = none;  // of `call`
  Index site = none;  // where the message is sent
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
  /// Operations that begin with the call.
  std::span<const Index> begun(Index call) const {
    return {begun_.data() + begun_at_[call], begun_.data() + begun_at_[call + 1]};
  }
  /// The entry of an operation's last part, as recorded.
  std::int64_t last_of(Index operation) const { return last_of_[operation]; }
  /// The root's call in an operation.
  Index root_of(Index operation) const { return root_of_[operation]; }
  /// Sorted: a call, and the lane of a thread that begins after it.
  const std::vector<std::pair<Index, Index>>& starts() const { return starts_; }

 private:
  void add_operations();
  void add_sources(Index node);
  void add_source(Index node, Source::What what, Index call, const Link* link);

  const Graph& graph_;
  const Waits& waits_;
  std::vector<Index> begun_at_;
  std::vector<Index> begun_;
  std::vector<Index> sources_at_;
  std::vector<Source> sources_;
  std::vector<std::int64_t> last_of_;
  std::vector<Index> root_of_;
  std::vector<std::pair<Index, Index>> starts_;
};

}  // namespace cairn::waits
