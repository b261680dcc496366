// SPDX-License-Identifier: BSD-3-Clause
// jobs.cc - finding pages, and putting those of a job together

#include "where/jobs.hpp"

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>

#include "base/message.hpp"
#include "base/text.hpp"

namespace cairn::where {

namespace fs = std::filesystem;

std::optional<std::vector<std::string>> list_pages(const std::string& folder) {
  std::vector<std::string> paths;
  std::error_code error;
  for (fs::directory_iterator entry(folder, error); !error && entry != fs::directory_iterator(); entry.increment(error))
    if (entry->path().extension() == ".page") paths.push_back(entry->path().string());
  if (error) return std::nullopt;
  std::ranges::sort(paths);
  return paths;
}

std::vector<std::string> pages_in(const std::string& folder) {
  return list_pages(folder).value_or(std::vector<std::string>{});
}

bool JobPages::is_alive() const {
  return std::ranges::any_of(processes, [](const Process& one) { return one.is_alive; });
}

std::vector<const Process*> JobPages::all() const {
  std::vector<const Process*> all;
  for (const Process& one : processes) all.push_back(&one);
  return all;
}

bool JobPages::is_over_here() const {
  return std::ranges::all_of(processes, [](const Process& one) { return one.is_here && !one.is_alive; });
}

std::string JobPages::first(std::string Process::*text) const {
  const auto found = std::ranges::find_if(processes, [text](const Process& one) { return !(one.*text).empty(); });
  return found == processes.end() ? "" : (*found).*text;
}

namespace {

/// A page says of which run it is only once the process has found out with the others: until then it belongs to those of
/// the same launcher that have.
class JobNames {
 public:
  explicit JobNames(const std::vector<Process>& all) {
    for (const Process& process : all)
      if (!process.run.empty() && process.is_alive) runs_[process.job].insert(process.run);
  }
  std::string of(const Process& process) const {
    if (!process.run.empty()) return process.run;
    const auto runs = runs_.find(process.job);
    return runs != runs_.end() && runs->second.size() == 1 && process.is_alive ? *runs->second.begin() : process.job;
  }

 private:
  std::map<std::string, std::set<std::string>> runs_;  // by launcher's name
};

}  // namespace

std::vector<JobPages> read_jobs(const std::vector<std::string>& paths, std::vector<std::string>& damaged,
                                std::size_t history, std::vector<Process> sent) {
  PageReader reader;
  std::vector<Process> all;
  std::set<std::string> known;  // as sent pages are named
  const auto add = [&](Process process) {
    if (known.insert(process.host + "/" + std::string(file_of(process.path))).second) all.push_back(std::move(process));
  };
  for (const std::string& path : paths) try {
      add(reader.read(path, history));
    } catch (const Problem& problem) {
      damaged.push_back(problem.what());
    }
  for (Process& process : sent) add(std::move(process));
  const JobNames names(all);
  std::map<std::string, JobPages> by_name;
  for (Process& process : all) {
    const std::string name = names.of(process);
    JobPages& job = by_name[name];
    job.name = name;
    job.processes.push_back(std::move(process));
  }
  std::vector<JobPages> jobs;
  for (auto& [name, job] : by_name) {
    std::ranges::stable_sort(job.processes, {}, &Process::rank);
    jobs.push_back(std::move(job));
  }
  std::ranges::stable_sort(jobs, std::greater(), [](const JobPages& job) { return job.processes.front().started; });
  return jobs;
}

}  // namespace cairn::where
