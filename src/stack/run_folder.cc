// SPDX-License-Identifier: BSD-3-Clause
// run_folder.cc - naming and making the run's folder, and writing run.json.

#include "stack/run_folder.hpp"

#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "base/job.hpp"
#include "base/message.hpp"
#include "base/text.hpp"
#include "cairn/kit/result_file.hpp"
#include "stack/settings_in_force.hpp"

namespace cairn {

namespace {

std::string time_text(const char* format) {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  localtime_r(&now, &parts);
  char text[64];
  std::strftime(text, sizeof text, format, &parts);
  return text;
}

std::string current_folder() {
  std::error_code ignored;
  return std::filesystem::current_path(ignored).string();
}

/// As with mkdir -p, with the system's own words for what went wrong.
void make_folder(const std::string& path) {
  std::error_code error;
  std::filesystem::create_directories(path, error);
  if (!error && !std::filesystem::is_directory(path, error)) error = std::make_error_code(std::errc::not_a_directory);
  if (error) throw Problem(error.message());
}

/// The first of NAME, NAME-2, NAME-3, … that is not there yet.
std::string unused(const std::string& name) {
  std::string path = name;
  for (int i = 2; access(path.c_str(), F_OK) == 0; ++i) path = name + "-" + std::to_string(i);
  return path;
}

std::string host_name() {
  char name[256] = "";
  gethostname(name, sizeof name - 1);
  return name;
}

void write(const std::string& path, const std::string& text) {
  if (!write_file(path, text)) throw Problem("'" + path + "' cannot be written: " + std::strerror(errno));
}

void write_run_json(const std::string& path, const RunFacts& facts) {
  nlohmann::ordered_json run;
  run["format"] = "cairn-run 1";
  run["program"] = facts.program;
  run["started"] = time_text("%Y-%m-%dT%H:%M:%S%z");
  run["host"] = host_name();
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
  write(path + "/run.json", run.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n");
}

/// Tools add their parts to this file, so an earlier run's must go.
void begin_report(const std::string& path) { write(path + "/report.txt", ""); }

}  // namespace

RunFolder::RunFolder(const std::string& wanted, const std::string& asked_by, RunFacts facts)
    : chosen_by_user_(!wanted.empty()), asked_by_(asked_by), facts_(std::move(facts)) {
  path_ = chosen_by_user_ ? wanted : "cairn-" + std::string(file_of(facts_.program)) + "-" + time_text("%Y%m%d-%H%M%S");
  if (const std::string here = current_folder(); path_.front() != '/' && !here.empty()) path_ = here + "/" + path_;
}

const char* RunFolder::make() {
  const bool first = speaks_for_job();
  if (!chosen_by_user_ && !first) return nullptr;  // its name would be another
  const std::lock_guard lock(making_);
  if (state_ == not_made) {
    try {
      if (!chosen_by_user_) path_ = unused(path_);
      make_folder(path_);
      if (first || access((path_ + "/run.json").c_str(), F_OK) != 0) write_run_json(path_, facts_);
      if (first) begin_report(path_);
      state_ = made;
    } catch (const std::exception& error) {
      state_ = failed;
      if (first)
        tell(Severity::error, "no results written: '" + path_ + "': " + error.what(), asked_by_,
             "--out DIR with a folder that can be written");
    }
  }
  return state_ == made ? path_.c_str() : nullptr;
}

}  // namespace cairn
