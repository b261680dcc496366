// SPDX-License-Identifier: BSD-3-Clause
// gather.hpp - every rank's call sites become the whole run's summary
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cairn/functions.hpp"
#include "cairn/services/symbols.hpp"
#include "frames.hpp"
#include "record.hpp"
#include "summary.hpp"

namespace profile {

/// One rank's total for a call site, or for a function where `chain` is empty.
struct RankTotal {
  cairn::Function function;
  Chain chain;
  const Figures* figures;
};

/// Collective over MPI_COMM_WORLD. Sites are told apart by file and address in the file, so equal ones of all ranks
/// meet wherever they were loaded; they are merged pairwise in a binomial tree. Returns the summary on rank 0 and one
/// with ranks == 0 elsewhere. `functions` and `sites` belong to the caller; `symbols` may be null.
Summary gather(const std::vector<RankTotal>& functions, const std::vector<RankTotal>& sites, std::uint64_t merged_calls,
               const cairn::Symbols* symbols, Summary heading);

}  // namespace profile
