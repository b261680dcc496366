// SPDX-License-Identifier: BSD-3-Clause
// report.hpp - what a job is doing, as text and as where.json
#pragma once

#include <string>

#include "formats/where.hpp"
#include "where/verdict.hpp"

namespace cairn::where {

/// Ranks that do the same at the same place.
struct Group {
  std::vector<int> ranks;
  std::size_t threads = 0;  // of these
  std::string doing;        // "MPI_Recv on MPI_COMM_WORLD from 2, tag 7"
  std::string place;        // "halo.c:88 exchange"; ""
  double shortest_s = 0;
  double longest_s = 0;
  const Actor* first = nullptr;
  std::vector<std::string> callers;  // of the first, from the caller of its call up; none where they are unknown
};

std::vector<Group> group(const Job& job, Places& places);

/// In a few words, without the line's end: "this job does not move", "ranks wait for rank 1, which has been outside MPI for 20 s".
std::string title_text(const Job& job, const Verdict& verdict);
std::string report_text(const Job& job, const Verdict& verdict, Places& places);
formats::where::Summary summary_of(const Job& job, const Verdict& verdict, Places& places);
std::string report_json(const Job& job, const Verdict& verdict, Places& places);

}  // namespace cairn::where
