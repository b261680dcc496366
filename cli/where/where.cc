// SPDX-License-Identifier: BSD-3-Clause
// where.cc - `cairn where`: what each rank of a job is doing, or did last, and who keeps the others waiting.

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <optional>
#include <thread>

#include "base/message.hpp"
#include "cli/command.hpp"
#include "cli/output_file.hpp"
#include "cli/program.hpp"
#include "cli/where/selection.hpp"
#include "cli/where/sending.hpp"
#include "where/jobs.hpp"
#include "where/report.hpp"

namespace cairn::cli {

namespace {

namespace fs = std::filesystem;

struct WhereOptions {
  Selection wanted;
  std::string json;
  double patience = 1;
  double interval = 2;
  Sending sending;
  bool watch = false;
};

WhereOptions where_options;

void add_where_options(OptionAdder& add) {
  add.option("job", where_options.wanted.job,
             "A run's folder, the beginning of a run's name, or the number of a Slurm job; default: all running jobs")
      .type_name("JOB");
  add.option("--json", where_options.json, "Write the answer for programs instead; '-': to standard output")
      .type_name("FILE");
  add.option("--patience", where_options.patience,
             "Seconds that a rank must have waited to count as waiting; default: 1")
      .type_name("SECONDS")
      .range(0.0, 1e9);
  add.option("--nodes", where_options.wanted.nodes,
             "More nodes to ask, separated by commas; default: those that the job has")
      .type_name("HOSTS");
  add.option("--timeout", where_options.wanted.limit_s, "Seconds that another node may take to answer; default: 10")
      .type_name("SECONDS")
      .range(0.1, 1e6);
  add.option("--pages", where_options.sending.calls,
             "Write the job's pages on this node to standard output, with so many calls of each thread: what "
             "'cairn where' starts on other nodes, and 'cairn live' with --watch")
      .type_name("CALLS");
  add.flag("--orders", where_options.sending.orders,
           "With --pages and --watch: give ranks the orders that come on standard input, as 'cairn live' does");
  add.option("--through", where_options.sending.through,
             "With --pages and --watch: ask --nodes too, by that launcher, and pass on what they send, as 'cairn live' "
             "has it done for jobs on many nodes")
      .type_name("LAUNCHER");
  add.option("--fan-out", where_options.sending.fan_out,
             "With --through: how many nodes each node asks, and through them the others; default: 16")
      .type_name("NODES")
      .range(1, 4096);
  add.flag("--watch", where_options.watch, "Show the answer again and again, until the job is over or Ctrl-C");
  add.option("--every", where_options.interval, "Seconds between answers with --watch; default: 2")
      .type_name("SECONDS")
      .range(0.05, 1e6);
}

[[noreturn]] void fail_without_job() {
  const std::string start = "a job started with 'cairn run --tools where'";
  const std::string& job = where_options.wanted.job;
  if (job.empty()) throw Problem("none of your jobs on this node records its calls in '" + page::folder() + "'", start);
  if (where_options.wanted.names_folder())
    throw Problem(
        "the run of '" + job + "' left no pages: it ended well, did not record its calls, or runs on other nodes",
        start, "'" + job + "'");
  if (where_options.wanted.is_path()) {
    std::error_code why;
    const bool is_missing = !fs::exists(fs::status(job, why));
    throw Problem("no run: '" + job + "'" + (is_missing ? ": " + why.message() : " is not a folder"), try_folder,
                  "'" + job + "'");
  }
  throw Problem("none of your jobs on this node has a name that begins with '" + job + "'",
                "'cairn where' for those that run; jobs of other users cannot be read", "'" + job + "'");
}

struct Answer {
  std::string text;  // or JSON, as is asked for
  bool is_well = true;
};

Answer answer(const std::vector<where::JobPages>& jobs) {
  where::Places places(symbols());
  Answer all;
  for (const where::JobPages& job : jobs) {
    const where::Job seen = where::look_at_job(job.all());
    const where::Verdict verdict = where::judge(seen, places, where_options.patience);
    all.is_well = all.is_well && (verdict.state == where::State::moving || verdict.state == where::State::over);
    if (where_options.json.empty())
      all.text += (all.text.empty() ? "" : "\n") + where::report_text(seen, verdict, places);
    else all.text += where::report_json(seen, verdict, places);
  }
  return all;
}

struct Look {
  int code = 0;
  bool goes_on = false;  // some of it is alive
};

Look show_jobs(bool again) {
  const std::vector<where::JobPages> jobs = jobs_everywhere(where_options.wanted);
  if (jobs.empty()) {
    if (!again) fail_without_job();
    fmt::print("the job is over\n");
    return {};
  }
  const Answer found = answer(jobs);
  if (where_options.watch && isatty(STDOUT_FILENO) != 0) fmt::print("\033[H\033[2J");
  if (where_options.json.empty()) fmt::print("{}", found.text);
  else write_output(where_options.json, found.text, "--json " + where_options.json);
  std::fflush(stdout);
  return {found.is_well ? 0 : 1, std::ranges::any_of(jobs, &where::JobPages::is_alive)};
}

int tell_where(const std::vector<std::string>& /*program*/) {
  if (where_options.sending.calls != 0) {
    if (where_options.watch) where_options.sending.every = where_options.interval;
    return send_pages(where_options.wanted, where_options.sending);
  }
  Look look = show_jobs(false);
  while (where_options.watch && look.goes_on) {
    std::this_thread::sleep_for(std::chrono::duration<double>(where_options.interval));
    look = show_jobs(true);
  }
  return look.code;
}

}  // namespace

Command where_command() {
  return {
      .name = "where",
      .synopsis =
          "[JOB] [--json FILE] [--patience SECONDS] [--nodes HOSTS] [--timeout SECONDS] [--pages CALLS] [--orders] "
          "[--through LAUNCHER] [--fan-out NODES] [--watch] [--every SECONDS]",
      .summary = "Show what each rank of a job is doing, and who keeps the others waiting",
      .more =
          {{"EXAMPLES",
            "  mpirun -n 64 cairn run --tools where ./app &\n"
            "  cairn where\n"
            "  cairn where --watch\n"
            "  cairn where results --json -\n"
            "  cairn where 1234"},
           {"OUTPUT",
            "  Ranks that do the same at the same place share a line. Then comes who is to blame: collective calls\n"
            "  that do not match, messages that nobody sends or receives, ranks that wait for each other, "
            "and\n"
            "  ranks that others wait for. The job is not slowed, stopped or asked: its calls are read from memory of\n"
            "  the node (docs/hangs.md).\n"
            "  On other nodes of the job the command starts itself: by srun in a job of Slurm's, by the program that "
            "Open\n"
            "  MPI (OMPI_MCA_plm_rsh_agent) or Hydra (HYDRA_LAUNCHER_EXEC) was told to use, else by ssh. Their pages "
            "come\n"
            "  as lines of text on standard output."},
           {"EXIT STATUS",
            "  0: the job moves, or has ended well; 1: it waits, is stuck, or has died; 125: no such job."}},
      .add_options = add_where_options,
      .action = tell_where,
  };
}

}  // namespace cairn::cli
