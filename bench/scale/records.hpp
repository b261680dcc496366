// SPDX-License-Identifier: BSD-3-Clause
// records.hpp - what `waits` has of the ranks of a job: steps of work, a message to the next rank and a reduction
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "formats/text.hpp"
#include "job.hpp"
#include "waits/records.hpp"

namespace cairn::scale {

/// Of all ranks, a section of the run: steps [first, last) of `all`, of four calls each.
struct Steps {
  std::uint32_t first = 0;
  std::uint32_t last = 0;
  std::uint32_t all = 0;
};
std::vector<waits::RankRecords> records(const Job& job, const Steps& steps);
/// Of the places in these.
formats::SourcePosition name_place(const std::string& object, std::uint64_t line);

}  // namespace cairn::scale
