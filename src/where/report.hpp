// SPDX-License-Identifier: BSD-3-Clause
// report.hpp - what a job is doing, as text and as where.json
#pragma once

#include <string>

#include "formats/where.hpp"
#include "where/verdict.hpp"

namespace cairn::where {

struct Group : formats::where::Group {
  const Actor* first = nullptr;  // whose callers it has
};

std::vector<Group> group(const Job& job, Places& places);

/// In a few words, without the line's end: "this job does not move", "ranks wait for rank 1, which has been outside MPI for 20 s".
std::string title_text(const Job& job, const Verdict& verdict);
std::string report_text(const Job& job, const Verdict& verdict, Places& places);
formats::where::Summary summary_of(const Job& job, const Verdict& verdict, Places& places);
std::string report_json(const Job& job, const Verdict& verdict, Places& places);

}  // namespace cairn::where
