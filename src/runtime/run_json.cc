// SPDX-License-Identifier: BSD-3-Clause
// run_json.cc - writing and reading run.json

#include "runtime/run_json.hpp"

#include <unistd.h>

#include <ctime>
#include <sstream>

#include "base/file_bytes.hpp"
#include "base/host_name.hpp"
#include "base/job.hpp"
#include "base/launcher.hpp"
#include "base/processes.hpp"
#include "formats/run.hpp"
#include "request/settings_in_force.hpp"

namespace cairn {

namespace {

std::string now_text() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  localtime_r(&now, &parts);
  char text[64];
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%S%z", &parts);
  return text;
}

/// 0 if there is none, or one that has ended and waits for its parent.
std::uint64_t start_of(long process) {
  const TaskFacts facts = facts_of_process(static_cast<int>(process));
  return facts.has_ended() ? 0 : facts.start;
}

std::vector<formats::run::Layer> tools_of(const std::vector<LayerRequest>& requests) {
  std::vector<formats::run::Layer> tools;
  for (const LayerRequest& request : requests) {
    formats::run::Layer& layer = tools.emplace_back();
    layer.tool = request.tool;
    for (const ToolOption& option : request.options) layer.options.emplace_back(option.name, option.value);
    for (const LayerFilter& filter : request.filters) layer.filters.emplace_back(filter.name, filter.values);
  }
  return tools;
}

std::vector<formats::run::Gap> gaps_of(const cairn_job_agreed& agreed) {
  std::vector<formats::run::Gap> gaps;
  for (std::size_t i = 0; i < agreed.gap_count; ++i) {
    const cairn_job_gap& gap = agreed.gaps[i];
    gaps.push_back({gap.tool == nullptr ? "" : gap.tool, gap.instance, gap.ranks, gap.everywhere != 0});
  }
  return gaps;
}

/// Of lines "HOST RANKS".
std::vector<std::pair<std::string, std::string>> nodes_of(const char* text) {
  std::vector<std::pair<std::string, std::string>> nodes;
  std::istringstream lines(text);
  for (std::string node, ranks; lines >> node >> ranks;) nodes.emplace_back(node, ranks);
  return nodes;
}

std::vector<formats::run::Place> places_of(const cairn_job_agreed& agreed) {
  std::vector<formats::run::Place> places;
  for (std::size_t i = 0; i < agreed.place_count; ++i)
    places.push_back({agreed.places[i].node, agreed.places[i].processors, agreed.places[i].ranks});
  return places;
}

}  // namespace

std::string run_json(const std::string& identity, const RunFacts& facts, const cairn_job_agreed* agreed) {
  formats::run::Summary run;
  run.identity = identity;
  run.program = facts.program;
  run.started = now_text();
  run.host = host_name();
  run.process = {getpid(), start_of(getpid())};
  run.cores = sysconf(_SC_NPROCESSORS_ONLN);
  run.ranks_on_host = job_ranks_on_node();
  run.mpi = facts.mpi;
  for (const auto& [name, value] : settings_in_force(facts.mpi)) run.settings.emplace_back(name, value);
  run.labels = facts.labels;
  run.tools = tools_of(facts.layers);
  if (agreed != nullptr) {
    run.missing = gaps_of(*agreed);
    run.nodes = nodes_of(agreed->nodes);
    run.places = places_of(*agreed);
  }
  if (!run.nodes.empty()) run.launcher = launcher_of_environment();
  return file_text(run);
}

std::optional<RunOwner> read_run_json(const std::string& path) {
  const std::optional<std::string> text = whole_file(path);
  if (!text) return std::nullopt;
  const formats::run::Summary run = formats::run::read_text(*text);  // damaged: nobody's
  RunOwner owner;
  owner.identity = run.identity;
  const formats::run::Process process = run.process;
  const bool is_another = run.host == host_name() && process.id != 0 && process.id != getpid();
  owner.is_alive = is_another && process.start == start_of(process.id);
  for (const formats::run::Layer& layer : run.tools)
    if (!layer.tool.empty()) owner.tools.push_back(layer.tool);
  return owner;
}

}  // namespace cairn
