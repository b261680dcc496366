// SPDX-License-Identifier: BSD-3-Clause
// where.cc - `cairn where`: what each rank of a job is doing, or did last, and who keeps the others waiting.

#include <dlfcn.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <thread>

#include "base/message.hpp"
#include "base/processes.hpp"
#include "cli/command.hpp"
#include "cli/output_file.hpp"
#include "cli/program.hpp"
#include "where/jobs.hpp"
#include "where/report.hpp"

namespace cairn::cli {

namespace {

namespace fs = std::filesystem;

struct Options {
  std::string job;
  std::string json;
  double patience = 1;
  double interval = 2;
  bool watch = false;
};

Options options;

void add_options(OptionAdder& add) {
  add.option("job", options.job, "A run's folder, or the beginning of a run's name; default: all running jobs")
      .type_name("JOB");
  add.option("--json", options.json, "Write the answer for programs instead; '-': to standard output")
      .type_name("FILE");
  add.option("--patience", options.patience, "Seconds that a rank may wait before it is asked for whom; default: 1")
      .type_name("SECONDS")
      .range(0.0, 1e9);
  add.flag("--watch", options.watch, "Show the answer again and again, until Ctrl-C");
  add.option("--every", options.interval, "Seconds between answers with --watch; default: 2")
      .type_name("SECONDS")
      .range(0.1, 1e6);
}

/// Where the library is missing, places are addresses.
const Symbols* symbols() {
  static const Symbols* const library = []() -> const Symbols* {
    const std::string path = folder_of(libcairn()) + "/cairn/libcairn-symbols.so";
    void* const handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    return handle == nullptr ? nullptr : static_cast<const Symbols*>(dlsym(handle, "cairn_symbols"));
  }();
  return library;
}

bool is_folder(const std::string& path) {
  std::error_code error;
  return fs::is_directory(path, error);
}

/// Of a run's folder that is written with a '/', the name is one also when there is no such folder.
bool is_path(const std::string& job) { return job.find('/') != std::string::npos; }

std::string canonical(const std::string& path) {
  std::error_code error;
  const fs::path found = fs::weakly_canonical(path, error);
  return error ? path : found.string();
}

bool is_wanted(const where::JobPages& job, const std::string& wanted) {
  if (wanted.empty()) return job.is_alive();
  if (is_folder(wanted) || is_path(wanted))
    return canonical(job.folder()) == canonical(wanted) || job.processes.front().path.starts_with(wanted + "/pages/");
  return job.name.starts_with(wanted);
}

std::vector<where::JobPages> wanted_jobs() {
  std::vector<std::string> paths;
  if (is_private_folder(page::folder())) paths = where::pages_in(page::folder());
  const bool in_folder = is_folder(options.job);
  if (in_folder) std::ranges::move(where::pages_in(options.job + "/pages"), std::back_inserter(paths));
  std::vector<std::string> damaged;
  std::vector<where::JobPages> jobs = where::read_jobs(paths, damaged);
  for (const std::string& what : damaged) tell(Severity::warning, what);
  const bool any_alive = std::ranges::any_of(jobs, &where::JobPages::is_alive);
  if (options.job.empty() && !any_alive && !jobs.empty()) jobs.resize(1);  // the one that ended last
  else std::erase_if(jobs, [](const where::JobPages& job) { return !is_wanted(job, options.job); });
  return jobs;
}

[[noreturn]] void fail_without_job() {
  const std::string start = "a job that is started with 'cairn run --tools where'";
  if (options.job.empty())
    throw Problem("no job of yours on this node records its calls, in '" + page::folder() + "'", start);
  if (is_folder(options.job))
    throw Problem("the run of '" + options.job +
                      "' has left no pages: it ended well, did not record its calls, or runs on other nodes",
                  start, "'" + options.job + "'");
  if (is_path(options.job)) {
    std::error_code why;
    const bool is_missing = !fs::exists(fs::status(options.job, why));
    throw Problem("no run: '" + options.job + "'" + (is_missing ? ": " + why.message() : " is not a folder"),
                  try_folder, "'" + options.job + "'");
  }
  throw Problem("no job of yours on this node has a name that begins with '" + options.job + "'",
                "'cairn where' for those that run; jobs of other users cannot be read", "'" + options.job + "'");
}

struct Answer {
  std::string text;  // or JSON, as is asked for
  bool is_well = true;
};

Answer answer(const std::vector<where::JobPages>& jobs) {
  where::Places places(symbols());
  Answer all;
  for (const where::JobPages& job : jobs) {
    std::vector<const where::Process*> processes;
    for (const where::Process& process : job.processes) processes.push_back(&process);
    const where::Job seen = where::look_at_job(processes);
    const where::Verdict verdict = where::judge(seen, places, options.patience);
    all.is_well = all.is_well && (verdict.state == where::State::moving || verdict.state == where::State::over);
    if (options.json.empty()) all.text += (all.text.empty() ? "" : "\n") + where::report_text(seen, verdict, places);
    else all.text += where::report_json(seen, verdict, places);
  }
  return all;
}

int show(bool again) {
  const std::vector<where::JobPages> jobs = wanted_jobs();
  if (jobs.empty()) {
    if (!again) fail_without_job();
    fmt::print("the job is over\n");
    return 0;
  }
  const Answer found = answer(jobs);
  if (options.watch && isatty(STDOUT_FILENO) != 0) fmt::print("\033[H\033[2J");
  if (options.json.empty()) fmt::print("{}", found.text);
  else write_output(options.json, found.text, "--json " + options.json);
  std::fflush(stdout);
  return found.is_well ? 0 : 1;
}

int tell_where(const std::vector<std::string>& /*program*/) {
  int code = show(false);
  while (options.watch) {
    std::this_thread::sleep_for(std::chrono::duration<double>(options.interval));
    code = show(true);
    if (wanted_jobs().empty()) break;
  }
  return code;
}

}  // namespace

Command where_command() {
  return {
      .name = "where",
      .synopsis = "[JOB] [--json FILE] [--patience SECONDS] [--watch] [--every SECONDS]",
      .summary = "Show what each rank of a job is doing, and who keeps the others waiting",
      .more =
          {{"EXAMPLES",
            "  mpirun -n 64 cairn run --tools where ./app &\n"
            "  cairn where\n"
            "  cairn where --watch\n"
            "  cairn where results --json -"},
           {"OUTPUT",
            "  Ranks that do the same at the same place are one line. Then follows who is to blame: collective calls\n"
            "  that do not fit each other, messages that nobody sends or receives, ranks that wait for each other, "
            "and\n"
            "  ranks that others wait for. The job is not slowed, stopped or asked: its calls are read from memory of\n"
            "  the node (docs/hangs.md)."},
           {"EXIT STATUS",
            "  0: the job moves, or has ended well; 1: it waits, is stuck, or has died; 125: no such job."}},
      .add_options = add_options,
      .action = tell_where,
  };
}

}  // namespace cairn::cli
