// SPDX-License-Identifier: BSD-3-Clause
// run_json.cc - writing and reading run.json

#include "runtime/run_json.hpp"

#include <unistd.h>

#include <ctime>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "base/job.hpp"
#include "formats/tags.hpp"
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

std::string host_name() {
  char name[256] = "";
  gethostname(name, sizeof name - 1);
  return name;
}

/// When a process of this host started, in the kernel's clock; 0 if there is none, or one that has ended and waits for
/// its parent. The name may hold anything.
unsigned long long start_of(long process) {
  std::ifstream in("/proc/" + std::to_string(process) + "/stat");
  std::stringstream text;
  text << in.rdbuf();
  const std::string all = text.str();
  const std::size_t end_of_name = all.rfind(')');
  if (end_of_name == std::string::npos) return 0;
  constexpr int fields_between = 18;  // "state" and "starttime"; proc(5)
  std::istringstream fields(all.substr(end_of_name + 1));
  char state = 'X';
  fields >> state;
  if (state == 'Z' || state == 'X') return 0;
  std::string skipped;
  for (int i = 0; i < fields_between; ++i) fields >> skipped;
  unsigned long long start = 0;
  fields >> start;
  return start;
}

void add_gaps(nlohmann::ordered_json& run, const cairn_job_agreed& agreed) {
  for (std::size_t i = 0; i < agreed.gap_count; ++i) {
    const cairn_job_gap& gap = agreed.gaps[i];
    nlohmann::ordered_json entry;
    if (gap.tool != nullptr) entry = {{"tool", gap.tool}, {"instance", gap.instance}};
    entry["ranks"] = gap.ranks;
    run["missing"].push_back(entry);
  }
}

}  // namespace

std::string run_json(const std::string& identity, const RunFacts& facts, const cairn_job_agreed* agreed) {
  nlohmann::ordered_json run;
  run["format"] = formats::run_tag.text();
  run["run"] = identity;
  run["program"] = facts.program;
  run["started"] = now_text();
  run["host"] = host_name();
  run["process"] = {getpid(), start_of(getpid())};
  run["cores"] = sysconf(_SC_NPROCESSORS_ONLN);
  if (job_ranks_on_node() > 0) run["ranks_on_host"] = job_ranks_on_node();
  run["mpi"] = facts.mpi;
  run["settings"] = settings_in_force(facts.mpi);
  run["tools"] = nlohmann::ordered_json::array();
  for (const LayerRequest& layer : facts.layers) {
    nlohmann::ordered_json options = nlohmann::ordered_json::object();
    for (const ToolOption& option : layer.options) options[option.name] = option.value;
    nlohmann::ordered_json entry = {{"tool", layer.tool}, {"options", options}};
    for (const LayerFilter& filter : layer.filters) entry["filters"][filter.name] = filter.values;
    run["tools"].push_back(entry);
  }
  if (agreed != nullptr) add_gaps(run, *agreed);
  return run.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

std::optional<RunOwner> read_run_json(const std::string& path) {
  std::ifstream in(path);
  if (!in) return std::nullopt;
  RunOwner owner;
  const auto json = nlohmann::json::parse(in, nullptr, false);
  if (!json.is_object()) return owner;  // damaged: nobody's
  owner.identity = json.value("run", nlohmann::json()).is_string() ? json["run"].get<std::string>() : "";
  const auto process = json.value("process", nlohmann::json::array());
  const bool is_here = json.value("host", nlohmann::json()) == host_name();
  if (is_here && process.is_array() && process.size() == 2 && process[0].is_number_integer() && process[0] != getpid())
    owner.is_alive = process[1] == start_of(process[0].get<long>());
  const auto tools = json.value("tools", nlohmann::json::array());
  for (const auto& layer : tools)
    if (layer.is_object() && layer.contains("tool") && layer["tool"].is_string()) owner.tools.push_back(layer["tool"]);
  return owner;
}

}  // namespace cairn
