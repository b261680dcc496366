// SPDX-License-Identifier: BSD-3-Clause
// jobs.cc - finding pages, and clearing away those of the dead

#include "where/jobs.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <set>
#include <system_error>

#include "base/file_bytes.hpp"
#include "base/message.hpp"
#include "base/processes.hpp"
#include "base/text.hpp"
#include "cairn/board.hpp"
#include "formats/text.hpp"

namespace cairn::where {

namespace fs = std::filesystem;

std::vector<std::string> pages_in(const std::string& folder) {
  std::vector<std::string> paths;
  DIR* const there = opendir(folder.c_str());
  if (there == nullptr) return paths;
  while (const dirent* const entry = readdir(there))
    if (std::string_view(entry->d_name).ends_with(".page")) paths.push_back(folder + "/" + entry->d_name);
  closedir(there);
  std::ranges::sort(paths);
  return paths;
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

std::vector<JobPages> read_jobs(const std::vector<std::string>& paths, std::vector<std::string>& damaged,
                                std::size_t history, std::vector<Process> sent) {
  PageReader reader;
  std::map<std::string, JobPages> by_name;
  std::set<std::string> known;  // as sent pages are named
  const auto add = [&](Process process) {
    const std::string name = process.run.empty() ? process.job : process.run;
    if (!known.insert(process.host + "/" + std::string(file_of(process.path))).second) return;
    JobPages& job = by_name[name];
    job.name = name;
    job.processes.push_back(std::move(process));
  };
  for (const std::string& path : paths) try {
      add(reader.read(path, history));
    } catch (const Problem& problem) {
      damaged.push_back(problem.what());
    }
  for (Process& process : sent) add(std::move(process));
  std::vector<JobPages> jobs;
  for (auto& [name, job] : by_name) {
    std::ranges::stable_sort(job.processes, {}, &Process::rank);
    jobs.push_back(std::move(job));
  }
  std::ranges::stable_sort(jobs, std::greater(), [](const JobPages& job) { return job.processes.front().started; });
  return jobs;
}

namespace {

/// Whether the folder is still that of the run.
bool belongs_to(const std::string& folder, const std::string& run) {
  const std::string text = whole_file(folder + "/run.json").value_or("");
  return !run.empty() && text.find('"' + run + '"') != text.npos;
}

/// Where a run's folder keeps the pages of the dead.
void keep(const Process& process) {
  if (process.host.find('/') != process.host.npos || !belongs_to(process.folder, process.run)) return;
  std::error_code error;
  const fs::path to = fs::path(process.folder) / "pages";
  fs::create_directory(to, error);
  const auto keep_one = [&](const fs::path& path) {
    fs::copy_file(path, to / (process.host + "-" + path.filename().string()), error);
  };
  keep_one(process.path);
  for (const std::string_view ending : board::all) keep_one(board::beside(process.path, ending));
}

void clear(const JobPages& job, const std::string& folder) {
  for (const Process& process : job.processes) {
    keep(process);
    unlink(process.path.c_str());
    for (const std::string_view ending : board::all) unlink(board::beside(process.path, ending).c_str());
  }
  if (job.name.find('/') == job.name.npos) unlink((folder + "/" + job.name + ".run").c_str());
  unlink((folder + "/" + page::watch_name(job.processes.front().job)).c_str());
}

}  // namespace

void clear_dead_jobs() try {
  const std::string folder = page::folder();
  if (!is_private_folder(folder)) return;
  const int lock = open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (lock < 0) return;
  if (flock(lock, LOCK_EX | LOCK_NB) == 0) {
    std::vector<std::string> damaged;
    for (const JobPages& job : read_jobs(pages_in(folder), damaged, 0))
      if (job.is_over_here()) clear(job, folder);
  }
  close(lock);
} catch (const std::exception&) {  // the program is to run all the same
}

}  // namespace cairn::where
