// SPDX-License-Identifier: BSD-3-Clause
// agreement.hpp - what the ranks tell each other in MPI_Init: who has what, which run it is, where its results go
#pragma once

#include <string>

#include "contracts/job_host.h"
#include "job/roster.hpp"
#include "job/store.hpp"

namespace cairn::engine {

struct Agreement {
  std::string run;
  std::string folder;
  Roster roster;
};

/// Collective over the ranks that have Cairn; the first of them leads. `store` may be null.
Agreement agree(int rank, int size, const Instances& here, Store* store, const cairn_job_host& host);

}  // namespace cairn::engine
