// SPDX-License-Identifier: BSD-3-Clause
// views.hpp - what a run's traces are shown as
#pragma once

#include <string>

#include "cli/trace/run_traces.hpp"

namespace cairn::cli {

/// How much there is, and of which functions.
std::string summary_text(const RunTraces& run);

/// Prints all records, in the order of their times over all ranks.
void list_records(const RunTraces& run, where::Places& places);

/// JSON of trace events in this file; "-": on standard output. Throws Problem.
void write_perfetto(const RunTraces& run, where::Places& places, const std::string& path);

/// An OTF2 archive in a new folder. Throws Problem.
void write_otf2(const RunTraces& run, where::Places& places, const std::string& folder);

/// A C program that makes the same calls, in this file; "-": on standard output. Throws Problem.
void write_replay(const RunTraces& run, const std::string& path);

/// The run's folder again, with what traces have in common stored once; in a new folder. What to tell. Throws Problem.
std::string write_packed(const RunTraces& run, const std::string& folder, const std::string& to);

}  // namespace cairn::cli
