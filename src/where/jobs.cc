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
#include "cairn/kit/result_file.hpp"
#include "formats/run.hpp"
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
    by_name[name].name = name;
    by_name[name].processes.push_back(std::move(process));
  }
  std::vector<JobPages> jobs;
  for (auto& [name, job] : by_name) {
    std::ranges::stable_sort(job.processes, {}, &Process::rank);
    jobs.push_back(std::move(job));
  }
  std::ranges::stable_sort(jobs, std::greater(), [](const JobPages& job) { return job.processes.front().started; });
  return jobs;
}

namespace {

/// Whether the folder is that of the run.
bool belongs_to(const fs::path& folder, const std::string& run) {
  const std::string text = whole_file((folder / "run.json").string()).value_or("");
  return text.find('"' + run + '"') != text.npos;
}

/// A run that has written nothing has no folder yet, unless the user has chosen one.
bool make_folder(const fs::path& folder, const Process& process) {
  std::error_code error;
  fs::create_directories(folder, error);
  formats::run::Summary run;
  run.identity = process.run;
  run.program = process.program;
  run.host = process.host;
  run.mpi = process.mpi;
  return fs::is_directory(folder, error) && write_file((folder / "run.json").string(), formats::run::file_text(run));
}

/// Where the run's pages are kept: in its folder, or, if another run has that now, in one of its own there. Empty: they
/// cannot be.
fs::path place_for(const Process& process) {
  fs::path folder = process.folder;
  if (!belongs_to(folder, process.run)) {
    std::error_code error;
    if (fs::exists(folder / "run.json", error)) folder /= "run-" + std::string(file_of(process.run));
    if (!belongs_to(folder, process.run) && !make_folder(folder, process)) return {};
  }
  std::error_code error;
  fs::create_directory(folder / "pages", error);
  return error ? fs::path() : folder / "pages";
}

/// Whole or not at all.
bool copy_whole(const fs::path& from, const fs::path& to) {
  std::error_code error;
  fs::copy_file(from, to, fs::copy_options::overwrite_existing, error);
  std::error_code ignored;
  if (error && fs::is_regular_file(to, ignored)) fs::remove(to, ignored);
  return !error;
}

/// Whether everything of the page is in the run's folder now, or the process died before it had one.
bool keep(const Process& process) {
  if (process.run.empty() || process.folder.empty()) return true;
  const fs::path to = place_for(process);
  if (to.empty()) return false;
  const auto keep_one = [&](const fs::path& path) {
    std::error_code error;
    const std::string name = std::string(file_of(process.host)) + "-" + path.filename().string();
    return !fs::exists(path, error) || copy_whole(path, to / name);
  };
  return keep_one(process.path) && std::ranges::all_of(board::all, [&](std::string_view ending) {
           return keep_one(board::beside(process.path, ending));
         });
}

/// What cannot be kept stays where it is.
void clear(const JobPages& job, const std::string& folder) {
  bool is_all_kept = true;
  for (const Process& process : job.processes) {
    const bool is_kept = keep(process);
    is_all_kept = is_all_kept && is_kept;
    if (!is_kept) continue;
    unlink(process.path.c_str());
    for (const std::string_view ending : board::all) unlink(board::beside(process.path, ending).c_str());
  }
  if (!is_all_kept) return;
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
