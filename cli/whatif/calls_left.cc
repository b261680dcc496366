// SPDX-License-Identifier: BSD-3-Clause
// calls_left.cc - waits.graph, else waits.rank-N.graph, else trace/

#include "cli/whatif/calls_left.hpp"

#include <algorithm>
#include <filesystem>

#include "cli/command.hpp"
#include "cli/program.hpp"
#include "cli/trace/run_traces.hpp"
#include "formats/ending.hpp"
#include "formats/run.hpp"
#include "formats/text.hpp"
#include "trace/file.hpp"
#include "waits/packing.hpp"
#include "waits/reduce.hpp"

namespace cairn::cli {

namespace {

constexpr std::string_view whole_run = "waits.graph";

/// Of the tool's first instance: that of the whole run, or those of its ranks; whichever is newer, as a folder may be
/// used again.
std::vector<std::string> graphs_in(const std::string& folder) {
  std::error_code error;
  std::vector<std::string> parts;
  std::string whole;
  std::filesystem::file_time_type newest = std::filesystem::file_time_type::min();
  for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
    const std::string name = entry.path().filename().string();
    if (name == whole_run) whole = entry.path().string();
    if (!name.starts_with("waits.rank-") || !name.ends_with(".graph")) continue;
    parts.push_back(entry.path().string());
    std::error_code unknown;
    newest = std::max(newest, std::filesystem::last_write_time(entry.path(), unknown));
  }
  if (error) throw Problem("no run: '" + folder + "': " + error.message(), try_folder, "'" + folder + "'");
  if (!whole.empty() && (parts.empty() || std::filesystem::last_write_time(whole, error) > newest)) return {whole};
  std::ranges::sort(parts);
  return parts;
}

void read(const std::string& graph, const std::string& run, const SectionVisit& visit, const Warn& warn) {
  const waits::GraphReader file(graph);
  formats::run::check_belongs(graph, file.run(), run);
  const std::string damage = file.read(visit);
  if (!damage.empty()) warn(Problem("'" + graph + "' is damaged: " + damage + "; the rest is used", ""));
}

bool is_whole(const std::vector<std::string>& graphs) { return graphs.size() == 1 && graphs[0].ends_with(whole_run); }

/// Their first sections, which are the same ones for all. One that cannot be read does not take the others away.
std::vector<waits::RankRecords> ranks_in(const std::vector<std::string>& graphs, const std::string& run,
                                         const Warn& warn) {
  std::vector<waits::RankRecords> all;
  const auto keep = [&](std::vector<waits::RankRecords> ranks) {
    for (waits::RankRecords& one : ranks)
      if (one.section == 0) all.push_back(std::move(one));
  };
  for (const std::string& graph : graphs) try {
      read(graph, run, keep, warn);
    } catch (const Problem& problem) {
      warn(problem);
    }
  return all;
}

std::vector<waits::RankRecords> traced_in(const std::string& folder, const Warn& warn) {
  if (trace::files_in(folder + "/trace").empty()) return {};
  RunTraces run = read_traces(folder, "");
  std::vector<waits::RankRecords> all;
  for (const auto& process : run.processes) all.push_back(waits::reduce(process->file));
  for (const Problem& problem : run.warnings) warn(problem);
  for (const Problem& damage : run.damages()) warn(damage);
  return all;
}

/// Whether there are any.
bool leave_empty_out(std::vector<waits::RankRecords>& all) {
  std::erase_if(all, [](const auto& one) { return one.rank < 0 || one.calls.empty(); });
  return !all.empty();
}

}  // namespace

bool each_section(const std::string& folder, const SectionVisit& visit, const Warn& warn) {
  bool is_any = false;
  const auto tell = [&](std::vector<waits::RankRecords> all) {
    if (!leave_empty_out(all)) return;
    is_any = true;
    visit(std::move(all));
  };
  const std::string run = formats::run::of_folder(folder).identity;
  const std::vector<std::string> graphs = graphs_in(folder);
  if (is_whole(graphs)) {
    read(graphs.front(), run, tell, warn);
    return is_any;
  }
  std::vector<waits::RankRecords> all = ranks_in(graphs, run, warn);
  if (graphs.empty()) all = traced_in(folder, warn);
  tell(std::move(all));
  return is_any;
}

std::optional<formats::waits::Summary> left_by_ranks(const std::string& folder, const Warn& warn) try {
  const std::vector<std::string> graphs = graphs_in(folder);
  if (graphs.empty() || is_whole(graphs)) return std::nullopt;
  std::vector<waits::RankRecords> all = ranks_in(graphs, formats::run::of_folder(folder).identity, warn);
  if (!leave_empty_out(all)) return std::nullopt;
  const bool is_at_end = std::ranges::all_of(all, formats::could_not_gather, &waits::RankRecords::end);
  const std::string why = is_at_end ? "the ranks could not gather their results when MPI ended"
                                    : "the run did not reach MPI_Finalize, or is still running";
  const std::string ranks = formats::plural(all.size(), "rank");
  formats::waits::Summary summary = waits::summarize(std::move(all), waits::naming_by(symbols()));
  warn(Problem("'" + folder + "/waits.json' is missing: " + why + "; what " + ranks + " left is analysed instead"));
  return summary;
} catch (const Problem& problem) {
  warn(problem);
  return std::nullopt;
}

}  // namespace cairn::cli
