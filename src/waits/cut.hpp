// SPDX-License-Identifier: BSD-3-Clause
// cut.hpp - records of several processes for the same time: where one's end because of a limit, the others' end, too
#pragma once

#include <cstdint>
#include <vector>

#include "waits/records.hpp"

namespace cairn::waits {

/// On the time of day, which all nodes have; `no_end`: nothing is missing.
std::int64_t end_of(const RankRecords& records);
/// Without calls from that moment on.
void cut(RankRecords& records, std::int64_t until);
void cut_alike(std::vector<RankRecords>& records);

}  // namespace cairn::waits
