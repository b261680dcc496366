// SPDX-License-Identifier: BSD-3-Clause
// pages.hpp - the pages that the recorder keeps of a running job, of a job that never was
#pragma once

#include <string>
#include <string_view>

#include "job.hpp"

namespace cairn::scale {

/// Who waits for whom.
enum class Shape {
  late,   // all for one rank, in a reduction
  half,   // half of them for the other half, in a reduction
  chain,  // each for a message of the next one, which the last one does not send
  ring,   // the same, and the last one for the first
  apart,  // each in a reduction of another number, for all whose number is lower
};
/// Throws std::runtime_error if there is none of that name.
Shape shape_of(std::string_view name);

/// FOLDER/NODE/RANK.page for every rank, and FOLDER/agent, which the launcher of this job starts commands with on its
/// nodes. Every process of the job is the caller's parent.
void write_pages(const Job& job, const std::string& folder, Shape shape);

}  // namespace cairn::scale
