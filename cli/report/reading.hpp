// SPDX-License-Identifier: BSD-3-Clause
// reading.hpp - a run's folder as a report: one reader per kind of file
#pragma once

#include <string>

#include "cli/report/section.hpp"

namespace cairn::report {

/// What a reader must know of the run.
struct Reader {
  std::string_view tool;  // its files are TOOL.json, TOOL.2.json, …; they say "format": "cairn-TOOL N"
  unsigned newest;        // the highest N that is understood
  void (*read)(const Json& file, Section& section);
  /// Where set, the files are TOOL/TOOL.json, TOOL.2/TOOL.json, …; while such a one is not there, snapshots of single
  /// ranks, TOOL/rank.N.json, are put together by this.
  void (*merge)(Json& into, const Json& other) = nullptr;
  /// What other files in that folder say is put into the JSON.
  void (*complete)(const std::string& folder, Json& file) = nullptr;
};

/// In the order in which sections are shown. A new tool's reader is added in reading.cc.
const std::vector<Reader>& readers();

void read_profile(const Json& file, Section& section);  // profile_section.cc
void read_comm(const Json& file, Section& section);     // comm_section.cc
void read_vars(const Json& file, Section& section);     // vars_section.cc
void read_policy(const Json& file, Section& section);   // policy_section.cc

/// Throws Problem unless there is such a folder, and if a file is no JSON object.
void check_folder(const std::string& folder);
Json parse_file(const std::string& path);
/// A file that some other run has left in the folder.
struct OtherRun : Problem {
  using Problem::Problem;
};
/// The same for a tool's file beside the run.json given. Throws OtherRun if it says that it belongs to another; files
/// of older versions say nothing.
Json parse_result(const std::string& path, const Json& run);

/// Throws Problem if there is nothing to report; what is only missing in part is among the warnings.
Report read_run(const std::string& folder);

}  // namespace cairn::report
