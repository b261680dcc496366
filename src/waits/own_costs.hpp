// SPDX-License-Identifier: BSD-3-Clause
// own_costs.hpp - what its own waits cost a process, several of whose threads may wait at once or while others work
#pragma once

#include <vector>

#include "waits/states.hpp"

namespace cairn::waits {

/// A process that waits loses a second per second, whichever of its threads do: they share it. A bystander loses nothing:
/// a thread that hardly works (less than a tenth of what the busiest one of an average process does) while another one of
/// its process does, as one that waits for the word to stop. But the main thread may wait for it again and again (Join):
/// then its waits count since that one's last call.
class OwnCosts {
 public:
  OwnCosts(const Graph& graph, const Waits& waits);

  /// Nanoseconds of a wait, by its place among all.
  double operator[](Index wait) const { return ns_[wait]; }
  /// By rank: it has less than an eighth of the work of a mean one, of each its busiest thread's, as one that hands out work
  /// to others or collects their results. Not one without records.
  const std::vector<bool>& idle_ranks() const { return is_idle_; }

 private:
  struct Process {
    Index main = none;     // lanes
    Index busiest = none;  // none: there is but one
    std::vector<Index> waits;
  };
  void find_who_hardly_works(std::vector<Process>& processes);
  std::int64_t since(const Wait& wait, Index main) const;
  void share(const Process& process);

  const Graph& graph_;
  const Waits& waits_;
  std::vector<bool> is_bystander_;  // by lane
  std::vector<bool> is_idle_;       // by rank
  std::vector<double> ns_;
};

}  // namespace cairn::waits
