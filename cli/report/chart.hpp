// SPDX-License-Identifier: BSD-3-Clause
// chart.hpp - what the page can draw, as the JSON that web/report.js reads
#pragma once

#include <string>
#include <string_view>

#include "cli/report/section.hpp"

namespace cairn::report {

// Rows of zeros are not drawn; a chart without rows is null.

/// "seconds", …
std::string_view kind_name(Kind kind);

/// Bars of `value` for the first rows of the table, named by `label` and, if given, `detail`. A change column gives
/// bars to both sides.
Json bar_chart(const std::string& title, const Table& table, const std::string& label, const std::string& detail,
               const std::string& value);

/// From the least to the greatest over ranks, with the mean marked: columns STEM_min_s, STEM_mean_s, STEM_max_s.
Json range_chart(const std::string& title, const Table& table, const std::string& label, const std::string& stem);

/// A value per rank (columns) and row. Rows: {name, [values]}.
Json heat_chart(const std::string& title, Kind kind, const Json& rows);

/// Numbers of calls up to limits, on log axes. Series: {name, [[limit, calls], …]}, one shown at a time.
Json histogram_chart(const std::string& title, Kind kind, const Json& series);

}  // namespace cairn::report
