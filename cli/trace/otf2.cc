// SPDX-License-Identifier: BSD-3-Clause
// otf2.cc - has libcairn-otf2.so write an archive

#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "base/message.hpp"
#include "cli/program.hpp"
#include "cli/trace/views.hpp"
#include "trace/otf2_library.hpp"

namespace cairn::cli {

namespace {

namespace fs = std::filesystem;

const trace::Otf2Library& library(const std::string& asked_by) {
  const void* const symbol = beside_libcairn("otf2", trace::otf2_symbol);
  if (symbol == nullptr)
    throw Problem(std::string("this Cairn was built without OTF2: ") + dlerror(),
                  "building it where libotf2-trace-dev is installed", asked_by);
  return *static_cast<const trace::Otf2Library*>(symbol);
}

/// Of one node, all have one clock; of several, that of the nodes' time of day.
void set_shifts(trace::Otf2Run& made) {
  const std::string& boot = made.processes.front().file->process().boot;
  const auto is_there = [&](const auto& one) { return one.file->process().boot == boot; };
  if (std::ranges::all_of(made.processes, is_there)) return;
  tell(Severity::warning,
       "moments of different nodes are compared by the nodes' time of day, and as far apart as these differ");
  for (auto& [file, shift] : made.processes)
    shift = static_cast<std::int64_t>(file->first_moment().real_ns - file->first_moment().monotonic_ns);
}

std::int64_t first_of(const trace::Otf2Run& made) {
  std::int64_t first = INT64_MAX;
  for (const auto& [file, shift] : made.processes) {
    const trace::Records records(*file);
    if (records.now() != nullptr) first = std::min(first, file->nanoseconds(records.now()->entry) + shift);
  }
  return first;
}

}  // namespace

void write_otf2(const RunTraces& run, where::Places& places, const std::string& folder) {
  const std::string asked_by = "--otf2 " + folder;
  const trace::Otf2Library& otf2 = library(asked_by);
  std::error_code error;
  if (fs::exists(folder, error) && !fs::is_empty(folder, error))
    throw Problem("'" + folder + "' is there already", "another folder", asked_by);
  trace::Otf2Run made;
  made.folder = folder;
  for (const auto& process : run.processes) made.processes.push_back({&process->file, 0});
  set_shifts(made);
  made.first_ns = first_of(made);
  made.place = [&](std::size_t process, std::uint64_t site) -> trace::SourceLine {
    const formats::SourcePosition& position = places.of(run.processes[process]->mapped, site);
    return {position.file, position.line, position.caller};
  };
  if (const std::string why = otf2.write(made); !why.empty())
    throw Problem("'" + folder + "' cannot be written: " + why, "a folder in which you may create files", asked_by);
  fmt::print("{}/traces.otf2\n", folder);
}

}  // namespace cairn::cli
