// SPDX-License-Identifier: BSD-3-Clause
// cut.hpp - records of several processes for the same time: where one's end because of a limit, the others' end, too
#pragma once

#include <cstdint>
#include <vector>

#include "waits/records.hpp"

namespace cairn::waits {

/// Whose clock its moments are on: that of its node, or where clocks were compared the job's first.
std::uint64_t clock_of(const RankRecords& records);
/// Moments on one clock are compared as they are, others by the nodes' time of day, which each process has read for itself.
void share_time(std::vector<RankRecords>& records);

/// On the time that they share; `no_end`: nothing is missing.
std::int64_t end_of(const RankRecords& records);
/// Without calls from that moment on. Of those under way then, only that they have begun remains.
void cut(RankRecords& records, std::int64_t until);
/// By the first of their ends; `no_end`: nothing is missing.
std::int64_t common_end(const std::vector<RankRecords>& records);
void cut_alike(std::vector<RankRecords>& records);
/// Ranks of the job that have left no calls, not even such as were cut.
std::vector<int> ranks_without(const std::vector<RankRecords>& records);

}  // namespace cairn::waits
