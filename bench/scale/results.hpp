// SPDX-License-Identifier: BSD-3-Clause
// results.hpp - the results folder of a job that never was
#pragma once

#include <string>

#include "job.hpp"

namespace cairn::scale {

/// run.json, profile.json, comm/ and waits.json, as the tools would have written them with `profile=ranks:on`.
void write_results(const Job& job, const std::string& folder);

}  // namespace cairn::scale
