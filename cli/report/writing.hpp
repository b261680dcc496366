// SPDX-License-Identifier: BSD-3-Clause
// writing.hpp - a report in each of its forms
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "cli/report/section.hpp"

namespace cairn::report {

/// What matters, for the terminal: the heading, and each section's lines.
std::string summary_text(const Report& report);

/// The same, and the tables; of very long ones the first rows, and how many more there are.
std::string full_text(const Report& report);

/// The facts, lines and tables; docs/report.md describes it. Of a table with more rows the first ones, and in `left_out` how
/// many more there are.
Json to_json(const Report& report, std::size_t most_rows = SIZE_MAX);
std::string json_text(const Report& report);

/// File names and contents, one per table that has rows (RFC 4180).
std::vector<std::pair<std::string, std::string>> csv_files(const Report& report);

/// One page that needs nothing else.
std::string page(const Report& report);

}  // namespace cairn::report
