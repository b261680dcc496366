// SPDX-License-Identifier: BSD-3-Clause
// records.hpp - what `waits` has of the ranks of a job: five steps of work, a message to the next rank and a reduction
#pragma once

#include <vector>

#include "job.hpp"
#include "waits/records.hpp"

namespace cairn::scale {

std::vector<waits::RankRecords> all_records(const Job& job);

}  // namespace cairn::scale
