// SPDX-License-Identifier: BSD-3-Clause
// run.hpp - run.json (docs/run-folder.md): which run a folder belongs to; its structures, and the keys of their members
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/message.hpp"
#include "formats/tags.hpp"

namespace cairn::formats::run {

/// Of the first rank that has Cairn.
struct Process {
  long id = 0;
  std::uint64_t start = 0;  // in the kernel's clock; 0: not known

  static void row(auto& file, auto& process) { file.values(process.id, process.start); }
};

/// A tool, as it was asked for.
struct Layer {
  std::string tool;
  std::vector<std::pair<std::string, std::string>> options;
  std::vector<std::pair<std::string, std::vector<std::string>>> filters;

  static void fields(auto& file, auto& layer) {
    file("tool", layer.tool);
    file.by_name("options", layer.options);
    file.by_name("filters", layer.filters, !layer.filters.empty());
  }
};

/// Ranks that do not have all there is.
struct Gap {
  std::string tool;  // "": they run without Cairn
  std::uint32_t instance = 0;
  std::string ranks;        // "0-2,5"
  bool everywhere = false;  // no rank could load the tool

  static void fields(auto& file, auto& gap) {
    file.optional("tool", gap.tool, !gap.tool.empty());
    file.optional("instance", gap.instance, !gap.tool.empty());
    file("ranks", gap.ranks);
    file.optional("everywhere", gap.everywhere, gap.everywhere);
  }
};

/// Where ranks run.
struct Place {
  std::string node;
  std::string processors;  // "0-3,8", the system's numbers; "": not known
  std::string ranks;

  static void fields(auto& file, auto& place) {
    file("node", place.node);
    file("processors", place.processors);
    file("ranks", place.ranks);
  }
};

struct Summary {
  std::string identity;
  std::string program;
  std::string started;
  std::string host;
  Process process;
  long cores = 0;          // online processors of the host; 0: not known
  long ranks_on_host = 0;  // 0: not known
  std::string mpi;         // "Open MPI 4.1.4"
  std::vector<std::pair<std::string, std::string>> settings;
  std::vector<Layer> tools;  // the outermost first
  std::vector<Gap> missing;
  std::vector<std::pair<std::string, std::string>> nodes;  // host and ranks, if there are several
  std::string launcher;                                    // how these are reached (base/launcher.hpp)
  std::vector<Place> places;
  std::vector<std::pair<std::string, std::string>> labels;  // the user's own

  static void fields(auto& file, auto& run) {
    file.derived("format", run_tag.text());
    file("run", run.identity);
    file("program", run.program);
    file("started", run.started);
    file("host", run.host);
    file("process", run.process);
    file("cores", run.cores);
    file.optional("ranks_on_host", run.ranks_on_host, run.ranks_on_host > 0);
    file("mpi", run.mpi);
    file.by_name("settings", run.settings);
    file.by_name("labels", run.labels, !run.labels.empty());
    file("tools", run.tools);
    file.optional("missing", run.missing, !run.missing.empty());
    file.by_name("nodes", run.nodes, !run.nodes.empty());
    file.optional("launcher", run.launcher, !run.launcher.empty());
    file.lines("places", run.places, !run.places.empty());
  }
};

std::string file_text(const Summary& run);

/// Also in the process under study. Of a damaged file: nothing.
Summary read_text(std::string_view text);  // run_reader.cc

/// What a run's folder tells of it: nothing where its run.json is missing or damaged.
Summary of_folder(const std::string& folder);  // run_reader.cc

/// A file that some other run has left in the folder.
struct OtherRun : Problem {
  using Problem::Problem;
};
/// Whether something that says of which run it is, or "", is of another one than the folder's; "": that is not known.
inline bool is_of_another(const std::string& own, const std::string& run) {
  return !own.empty() && !run.empty() && own != run;
}
/// Throws OtherRun if the file is of another run; files of older versions do not say it.
void check_belongs(const std::string& file, const std::string& own, const std::string& run);  // run_reader.cc

}  // namespace cairn::formats::run
