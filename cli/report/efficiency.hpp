// SPDX-License-Identifier: BSD-3-Clause
// efficiency.hpp - the figures of the POP model, from the facts of the tools that tell them
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cli/report/section.hpp"

namespace cairn::report {

/// The fact by which two runs' work is compared: seconds outside MPI, of all ranks.
inline constexpr const char* work_fact = "work_total_s";
/// A table of `profile`.
inline constexpr std::string_view over_ranks_table = "over_ranks";
/// Of a run whose end is left out: which part of it the section is about.
inline constexpr const char* analysed_fact = "analysed";
/// Of a run in which some ranks have left no records: how many have.
inline constexpr const char* known_ranks_fact = "known_ranks";

/// "load balance" for "load_balance"
std::string_view efficiency_title(std::string_view key);

/// None where no tool in the run tells any.
std::vector<Efficiency> efficiency_of(const Report& report);

/// With TALP's names; of two runs, both values.
Table efficiency_table(const std::vector<Efficiency>& figures);

/// B's, with A's before.
std::vector<Efficiency> compare_efficiency(const Report& a, const Report& b);

}  // namespace cairn::report
