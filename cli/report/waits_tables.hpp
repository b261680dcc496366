// SPDX-License-Identifier: BSD-3-Clause
// waits_tables.hpp - the tables and charts of waits.json, and its places in words
#pragma once

#include <string>
#include <vector>

#include "cli/report/section.hpp"
#include "formats/waits.hpp"

namespace cairn::report {

using WaitsSummary = formats::waits::Summary;

std::vector<Table> waits_tables(const WaitsSummary& waits);
std::vector<Json> waits_charts(const WaitsSummary& waits, const std::vector<Table>& tables);

std::string kind_text(const std::string& kind);                  // "late sender"
std::string piece_text(const formats::waits::PathPiece& piece);  // "work between … and …"

}  // namespace cairn::report
