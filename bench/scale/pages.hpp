// SPDX-License-Identifier: BSD-3-Clause
// pages.hpp - the pages that the recorder keeps of a running job, of a job that never was
#pragma once

#include <string>

#include "job.hpp"

namespace cairn::scale {

/// FOLDER/NODE/RANK.page for every rank, in a reduction that waits for one rank, and FOLDER/agent, which the launcher of
/// this job starts commands with on its nodes. Every process of the job is the caller's parent.
void write_pages(const Job& job, const std::string& folder);

}  // namespace cairn::scale
