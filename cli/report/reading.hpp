// SPDX-License-Identifier: BSD-3-Clause
// reading.hpp - a run's folder as a report: one reader per kind of file
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/report/section.hpp"
#include "formats/run.hpp"
#include "formats/tags.hpp"

namespace cairn::report {

/// The next of several files; none after the last.
using NextFile = std::function<std::optional<Json>()>;

struct Reader {
  std::string_view tool;  // its files are TOOL.json, TOOL.2.json, …
  formats::Tag tag;       // the newest format that is understood
  void (*read)(const Json& file, Section& section);
  /// Where set, it is used instead, and the files are TOOL/TOOL.json, TOOL.2/TOOL.json, …; or, while there is no such
  /// one, snapshots of single ranks, TOOL/rank.N.json. There is at least one.
  void (*read_folder)(const std::string& folder, const NextFile& next, Section& section) = nullptr;
};

/// In the order in which sections are shown. A new tool's reader is added in reading.cc.
const std::vector<Reader>& readers();

void read_profile(const Json& file, Section& section);                              // profile_section.cc
void read_comm(const std::string& folder, const NextFile& next, Section& section);  // comm_section.cc
void read_vars(const Json& file, Section& section);                                 // vars_section.cc
void read_policy(const Json& file, Section& section);                               // policy_section.cc
void read_waits(const Json& file, Section& section);                                // waits_section.cc

/// Adds a section for each recording of `cairn live` in the folder; those of another run than this one, and what is wrong
/// with them, are among the warnings (live_section.cc).
void read_recordings(const std::string& folder, const std::string& run, Report& report);

/// Adds a section for what kept the job from moving, and one for how it died, as far as its ranks had the tool `where`, or
/// another that records their calls (where_section.cc).
void read_ends(const std::string& folder, const std::string& run, Report& report);

/// Throws Problem unless there is such a folder.
void check_folder(const std::string& folder);
/// Throws Problem if a file is no JSON object, or of a format that this version does not know.
Json parse_file(const std::string& path, const formats::Tag& tag);
using formats::run::OtherRun;
/// The same for a tool's file in the folder of the run with this identity. Throws OtherRun if it says that it belongs
/// to another; files of older versions say nothing.
Json parse_result(const std::string& path, const std::string& run, const formats::Tag& tag);

/// rank.N.json in a tool's folder, sorted: what ranks left of a run that is not over, or came to no good end.
std::vector<std::string> snapshots_in(const std::string& folder);
/// That there is nothing but those of so many ranks.
Problem snapshots_only(const std::string& folder, std::size_t ranks);

/// Throws Problem if there is nothing to report; what is only missing in part is among the warnings.
Report read_run(const std::string& folder);

}  // namespace cairn::report
