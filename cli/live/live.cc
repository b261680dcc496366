// SPDX-License-Identifier: BSD-3-Clause
// live.cc - `cairn live`: a running job in a browser, on a terminal, or for Prometheus.

#include <dlfcn.h>
#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <thread>

#include "base/message.hpp"
#include "cli/command.hpp"
#include "cli/program.hpp"
#include "cli/where/selection.hpp"
#include "live/site.hpp"

namespace cairn::cli {

namespace {

struct Options {
  Selection wanted;
  std::string token_file;
  double interval = 1;
  unsigned port = 0;
  bool text = false;
};

Options options;

void add_options(OptionAdder& add) {
  add.option("job", options.wanted.job,
             "A run's folder or the beginning of a run's name; it may begin later; default: the job that began last")
      .type_name("JOB");
  add.option("--port", options.port, "Port on this machine's loopback address; default: one that is free")
      .type_name("N")
      .range(0, 65535);
  add.option("--every", options.interval, "Seconds between looks at the job; default: 1")
      .type_name("SECONDS")
      .range(0.05, 3600.0);
  add.option("--token-file", options.token_file,
             "File with the token that clients must show, made if it is not there; default: a new token each time")
      .type_name("FILE");
  add.flag("--text", options.text, "Show the job on the terminal instead, until it ends");
}

/// For groups and findings: what has lasted for less is no waiting.
constexpr double patience_s = 1;

/// Enough to tell who asks again and again.
constexpr std::size_t history = 64;

void look(live::Watched& watched) {
  const std::uint64_t began_ns = nanoseconds_now();
  std::vector<std::string> damaged;
  const std::vector<where::JobPages> jobs = jobs_here(options.wanted, damaged);
  const std::chrono::duration<double> now = std::chrono::system_clock::now().time_since_epoch();
  watched.look(jobs, damaged, now.count(), began_ns);
}

void wait_for_next_look() { std::this_thread::sleep_for(std::chrono::duration<double>(options.interval)); }

int show_on_terminal() {
  live::Watched watched(symbols(), options.interval, patience_s);
  const bool is_terminal = isatty(STDOUT_FILENO) != 0;
  while (true) {
    look(watched);
    fmt::print("{}{}", is_terminal ? "\033[H\033[2J" : "", watched.text());
    if (watched.is_over()) return 0;
    if (!is_terminal) fmt::print("\n");
    std::fflush(stdout);
    wait_for_next_look();
  }
}

const live::WebLibrary& web_library() {
  const void* const symbol = beside_libcairn("live", live::web_library_symbol);
  if (symbol == nullptr)
    throw Problem(std::string("the page in the browser needs libmicrohttpd: ") + dlerror(),
                  "apt-get install libmicrohttpd12, or 'cairn live --text' without it");
  return *static_cast<const live::WebLibrary*>(symbol);
}

std::string token() {
  try {
    return options.token_file.empty() ? live::new_token() : live::token_in(options.token_file);
  } catch (const Problem& problem) {
    throw Problem(problem.what(), problem.remedy, "--token-file " + options.token_file);
  }
}

int serve() {
  const live::WebLibrary& library = web_library();
  const std::string key = token();
  auto& watched = *new live::Watched(symbols(), options.interval, patience_s);  // as long as the library's thread
  const auto& site = *new live::Site(watched, key, library.assets());
  look(watched);
  int port = static_cast<int>(options.port);
  const std::string problem = library.serve(port, [&](const live::Request& request) { return site.answer(request); });
  if (!problem.empty())
    throw Problem(fmt::format("port {} cannot be used: {}", port, problem),
                  "another port, or none: one that is free is taken then", fmt::format("--port {}", port));
  fmt::print("http://127.0.0.1:{}/#{}\n", port, key);
  std::fflush(stdout);
  while (true) {
    wait_for_next_look();
    look(watched);
  }
}

int live_job(const std::vector<std::string>& /*program*/) {
  options.wanted.history = history;
  return options.text ? show_on_terminal() : serve();
}

}  // namespace

Command live_command() {
  return {
      .name = "live",
      .synopsis = "[JOB] [--port N] [--every SECONDS] [--token-file FILE] [--text]",
      .summary = "Show a running job in a browser, on the terminal, or to Prometheus",
      .more =
          {{"EXAMPLES",
            "  mpirun -n 64 cairn run --tools where ./app &\n"
            "  cairn live\n"
            "  cairn live --text\n"
            "  cairn live results --port 8917 --token-file ~/.cairn-token"},
           {"OUTPUT",
            "  One line: the address of the page, with the token behind '#' that keeps other users of the machine out. "
            "The\n"
            "  page shows what each rank does now, which part of its time it spends in MPI, and how often it calls "
            "which\n"
            "  function. From another machine: ssh -L 8917:127.0.0.1:8917 HOST, with --port 8917 there.\n"
            "  The job needs the tool 'where' in its stack. It is not slowed, stopped or asked, and 'cairn live' can "
            "be\n"
            "  started and stopped at any time: all is read from memory of the node. Ranks on other nodes are not "
            "shown.\n"
            "  http://127.0.0.1:PORT/metrics is for Prometheus, with 'Authorization: Bearer TOKEN' (docs/live.md)."},
           {"EXIT STATUS", "  0: with --text, the job has ended; 125: an error. Without --text it runs until Ctrl-C."}},
      .add_options = add_options,
      .action = live_job,
  };
}

}  // namespace cairn::cli
