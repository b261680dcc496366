// SPDX-License-Identifier: BSD-3-Clause
// teams.hpp - the ranks that have the same instances of tools, and their communicators
#pragma once

#include <mpi.h>

#include <deque>
#include <vector>

#include "cairn/services/job.hpp"
#include "job/roster.hpp"
#include "job/world.hpp"

namespace cairn::engine {

class Team {
 public:
  Team(RankRanges ranks, const World& world);
  Team(const Team&) = delete;
  Team& operator=(const Team&) = delete;

  const JobMembers& members() const { return members_; }
  const RankRanges& ranks() const { return ranks_; }
  /// Collective over the team; counts those who ask.
  MPI_Comm communicator();
  void release();
  void free();
  /// Asleep, until the first has put together what all have recorded.
  void wait_for_first() const;

 private:
  const World& world_;
  RankRanges ranks_;
  std::vector<int> in_world_;
  JobMembers members_;
  MPI_Comm comm_ = MPI_COMM_NULL;
  int users_ = 0;
};

class Teams {
 public:
  /// One for each set of ranks; stays where it is.
  Team* find_or_add(const RankRanges& ranks, const World& world);
  /// Frees their communicators. `waits`: when the first ranks have done what the tools do together. In MPI_Finalize all
  /// would wait for these anyway, and keep the processors that they may need.
  void end(bool waits);

 private:
  std::deque<Team> teams_;
};

}  // namespace cairn::engine
