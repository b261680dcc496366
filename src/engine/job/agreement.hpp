// SPDX-License-Identifier: BSD-3-Clause
// agreement.hpp - what the ranks tell each other while MPI starts: who has what and runs where, which run it
// is, where its results go
#pragma once

#include <mpi.h>

#include <string>

#include "cairn/services/clocks.hpp"
#include "contracts/job_host.h"
#include "job/neighbours.hpp"
#include "job/node_page.hpp"
#include "job/places.hpp"
#include "job/roster.hpp"

namespace cairn::engine {

struct Agreement {
  std::string run;
  std::string folder;
  Roster roster;
  Places places;  // only of the first rank that has Cairn, all ranks'
  ClockComparison clock;
};

/// Collective over the ranks that have Cairn, of which the first leads. `mine`: this rank's tools. `page`: all of a node
/// open it.
Agreement agree(const JobRanks& ranks, const Roster& mine, const cairn_job_host& host, NodePage& page);

}  // namespace cairn::engine
