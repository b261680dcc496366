// SPDX-License-Identifier: BSD-3-Clause
// summary.hpp - who sent how much to whom as plain data, and its sums. No MPI in here.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "formats/comm.hpp"
#include "formats/ranks.hpp"

namespace comm {

using namespace cairn::formats::comm;
using cairn::formats::ranks_of;
using cairn::formats::ranks_text;

struct Summary : cairn::formats::comm::Summary {
  std::string tool;  // as the user named it, with " #2" for a second instance
};

/// What a summary has in all.
KindSums sums_by_kind(const Summary& summary);

/// Flows of one kind over all phases, ordered by sender and receiver, one per pair.
std::vector<Flow> over_phases(const Summary& summary, FlowKind kind);

/// What the one rank of a summary sends, or fetches, by partner; of collective calls with the shares.
std::map<int, Volume> row_of(const Summary& summary, FlowKind kind);

}  // namespace comm
