// SPDX-License-Identifier: BSD-3-Clause
// changes.hpp - changes that are always asked for, and those that a user names
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "waits/causes.hpp"
#include "waits/queues.hpp"
#include "waits/replay.hpp"
#include "waits/work_sums.hpp"

namespace cairn::waits {

/// By rank, which of `size` ranks these are; none: all.
std::vector<bool> marked_ranks(const std::vector<int>& ranks, int size);

/// Of a run, to which they refer: they are of use while all of it exists.
class Changes {
 public:
  Changes(const Graph& graph, const Waits& waits, const Queues& queues, const WorkSums& work);

  /// These ranks, in order, spend no more on each of them than the others do that have any to speak of; if none has,
  /// nothing. They are work, or calls without their waiting.
  Change as_the_others(const Pieces& pieces, const std::vector<int>& ranks) const;
  /// All that do this work have as much of it before each call, and together as much as they had; not those that have hardly
  /// any of it.
  Change evenly(const Pieces& pieces) const;
  /// These ranks do that work after the call that follows it, and after those that follow at once, as an exchange is
  /// several: what they send leaves before it. No ranks: all. Nothing: they send nothing there.
  std::optional<Change> sent_first(const Pieces& pieces, const std::vector<int>& ranks) const;
  /// Nobody waits in calls at those sites.
  Change without_waiting(std::vector<bool> sites) const;
  Change scaled(const Pieces& pieces, const std::vector<int>& ranks, double factor) const;
  Change ideal_network() const;
  Change perfect_balance() const;
  Change eager_messages() const;
  Change free_collectives() const;
  /// Of the graph's, that one alone.
  std::vector<bool> only(Index site) const;
  /// The calls at those sites, and those that receive messages from there, take no time, and nobody waits in them. The
  /// work before each goes with it if it is 0.4 us at most, as in a loop that does nothing else; else as much of
  /// it as is usual between calls of that thread that are so close: what records them takes that.
  Change free_calls(const std::vector<bool>& sites) const;
  /// Of transfers between nodes that are begun at that site and completed by other calls: the work that follows the
  /// completion is done while they go on. Nothing: all are within a node, where it is the ranks that copy.
  std::optional<Change> overlapped(Index site) const;
  /// Messages that are sent at those sites do not need their receiver.
  Change eager(std::vector<bool> sites) const;
  /// Receives that find their messages among many others take no longer than is usual. Nothing: that is not known.
  std::optional<Change> expected_messages() const;
  /// Those at that site.
  Change expected_messages(Index site) const;
  /// A call that frees a communicator or makes another one from it, and where that was made. The records do not tell, so one
  /// that a thread has not used before is taken for the first of those that it has made and not used.
  struct Entailed {
    Index node;
    Index made_at;  // site
  };
  const std::vector<Entailed>& entailed() const { return entailed_; }
  /// Sites where transfers begin that other calls complete, and seconds of these without waiting; the dearest first.
  std::vector<std::pair<double, Index>> begun() const;

 private:
  /// A call completes transfers that another one has begun at the site.
  struct Completion {
    Index node;
    Index site;
    bool is_between_nodes;  // one at least
  };
  struct Times;
  std::vector<int> sizes_of_calls() const;
  std::vector<Times> times_of(const Pieces& pieces) const;
  std::int64_t own_ns(Index node) const;
  enum class OfCommunicators : std::uint8_t;
  static OfCommunicators kind_of(std::string_view function);
  void find_entailed(const Lane& lane, const std::vector<OfCommunicators>& kinds);

  const Graph& graph_;
  const Waits& waits_;
  const Queues& queues_;
  const WorkSums& work_;
  std::vector<Completion> completions_;
  std::vector<std::int64_t> recording_ns_;  // beside a call, by lane
  std::vector<Entailed> entailed_;
};

/// Changes of the whole run, under their names in waits.json and for `cairn whatif`.
struct NamedChange {
  const char* name;
  const char* meaning;
  std::optional<Change> (*of)(const Changes& run);
};
inline constexpr std::array named_changes = {
    NamedChange{"ideal_network", "all transfers take no time",
                [](const Changes& run) { return std::optional(run.ideal_network()); }},
    NamedChange{"perfect_balance", "all ranks have the same work",
                [](const Changes& run) { return std::optional(run.perfect_balance()); }},
    NamedChange{"eager_messages", "no send waits for its receiver",
                [](const Changes& run) { return std::optional(run.eager_messages()); }},
    NamedChange{"free_collectives", "collective calls take no time",
                [](const Changes& run) { return std::optional(run.free_collectives()); }},
    NamedChange{"expected_messages", "receives are posted before their messages come",
                [](const Changes& run) { return run.expected_messages(); }}};

}  // namespace cairn::waits
