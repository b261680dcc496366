// SPDX-License-Identifier: BSD-3-Clause
// reduce.hpp - from the trace of a process to the records that wait states are found in
#pragma once

#include "trace/file.hpp"
#include "waits/records.hpp"

namespace cairn::waits {

RankRecords reduce(const trace::File& file);

}  // namespace cairn::waits
