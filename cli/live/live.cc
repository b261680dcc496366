// SPDX-License-Identifier: BSD-3-Clause
// live.cc - `cairn live`: a running job in a browser, on a terminal, or for Prometheus.

#include <dlfcn.h>
#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <filesystem>
#include <optional>
#include <thread>

#include "base/message.hpp"
#include "cli/command.hpp"
#include "cli/live/recording.hpp"
#include "cli/program.hpp"
#include "cli/where/selection.hpp"
#include "live/saving.hpp"
#include "live/site.hpp"

namespace cairn::cli {

namespace {

struct Options {
  Selection wanted;
  std::string token_file;
  std::string save;
  double interval = 1;
  unsigned port = 0;
  bool text = false;
  bool read_only = false;
};

Options options;

void add_options(OptionAdder& add) {
  add.option(
         "job", options.wanted.job,
         "A run's folder or the beginning of a run's name; it may begin later; default: the job that began last; or "
         "a recording, to play it again")
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
  add.flag("--read-only", options.read_only, "Let nobody set control variables of the job from the page");
  add.option("--save", options.save, "Keep what is seen of the job in a new file: 'cairn live FILE' plays it again")
      .type_name("FILE");
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

void wait(double seconds) { std::this_thread::sleep_for(std::chrono::duration<double>(seconds)); }

std::optional<live::Saving> saving_if_asked() try {
  if (options.save.empty()) return std::nullopt;
  return std::optional<live::Saving>(std::in_place, options.save, options.interval);
} catch (const Problem& problem) {
  throw Problem(problem.what(), problem.remedy, "--save " + options.save);
}

// ------------------------------------------------------------ on the terminal

void show_screen(const std::string& text) {
  const bool is_terminal = isatty(STDOUT_FILENO) != 0;
  fmt::print("{}{}{}", is_terminal ? "\033[H\033[2J" : "", text, is_terminal ? "" : "\n");
  std::fflush(stdout);
}

int show_on_terminal() {
  live::Watched watched(symbols(), options.interval, patience_s);
  std::optional<live::Saving> saving = saving_if_asked();
  while (true) {
    look(watched);
    if (saving) saving->add(watched);
    show_screen(watched.text());
    if (watched.is_over()) return 0;
    wait(options.interval);
  }
}

/// Nobody waits for a file.
int play_on_terminal(const Recording& recording) {
  const bool is_terminal = isatty(STDOUT_FILENO) != 0;
  for (std::size_t i = 0; i < recording.looks.size(); ++i) {
    if (is_terminal && i != 0) wait(recording.looks[i].time - recording.looks[i - 1].time);
    show_screen(recording.looks[i].text);
  }
  return 0;
}

// ------------------------------------------------------------ in the browser

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

/// Returns when the page is there; the library's thread goes on until the process ends, and so must what answers.
void serve(live::JobAnswers answers) {
  const live::WebLibrary& library = web_library();
  const std::string key = token();
  const auto& site = *new live::Site(std::move(answers), key, library.assets());
  int port = static_cast<int>(options.port);
  const std::string problem = library.serve(port, [&](const live::Request& request) { return site.answer(request); });
  if (!problem.empty())
    throw Problem(fmt::format("port {} cannot be used: {}", port, problem),
                  "another port, or none: one that is free is taken then", fmt::format("--port {}", port));
  fmt::print("http://127.0.0.1:{}/#{}\n", port, key);
  std::fflush(stdout);
}

[[noreturn]] void serve_job() {
  auto& watched = *new live::Watched(symbols(), options.interval, patience_s);
  web_library();  // whatever is missing is told before a file is made
  std::optional<live::Saving> saving = saving_if_asked();
  look(watched);
  serve(live::answers_about(watched, !options.read_only));
  while (true) {
    if (saving) saving->add(watched);
    wait(options.interval);
    look(watched);
  }
}

[[noreturn]] void serve_recording(Recording recording) {
  const auto& looks = *new std::string(std::move(recording.all));
  serve(live::answers_about(looks));
  while (true) pause();
}

// ------------------------------------------------------------ the command

int play() {
  if (!options.save.empty()) throw Problem("a recording is played, not saved again", "cp", "--save " + options.save);
  Recording recording = read_recording(options.wanted.job);
  if (recording.is_cut) tell(Severity::warning, "'" + options.wanted.job + "' is cut: the last look in it is left out");
  if (options.text) return play_on_terminal(recording);
  serve_recording(std::move(recording));
}

int live_job(const std::vector<std::string>& /*program*/) {
  options.wanted.history = history;
  std::error_code error;
  if (std::filesystem::is_regular_file(options.wanted.job, error)) return play();
  if (options.text) return show_on_terminal();
  serve_job();
}

}  // namespace

Command live_command() {
  return {
      .name = "live",
      .synopsis = "[JOB] [--port N] [--every SECONDS] [--token-file FILE] [--text] [--read-only] [--save FILE]",
      .summary = "Show a running job in a browser, on the terminal, or to Prometheus",
      .more =
          {{"EXAMPLES",
            "  mpirun -n 64 cairn run --tools where ./app &\n"
            "  cairn live\n"
            "  cairn live --text\n"
            "  cairn live results --port 8917 --token-file ~/.cairn-token\n"
            "  cairn live --text --save monday.live\n"
            "  cairn live monday.live"},
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
            "  http://127.0.0.1:PORT/metrics is for Prometheus, with 'Authorization: Bearer TOKEN' (docs/live.md).\n"
            "  With the tools comm, vars and steer in the stack the page also shows who sends how much to whom, lists "
            "and "
            "charts\n"
            "  performance variables, and sets control variables of the running job.\n"
            "  What --save keeps is of one job, the first that is seen; 'cairn live FILE' shows it again, also with "
            "--text."},
           {"EXIT STATUS",
            "  0: with --text, the job has ended or the recording was shown; 125: an error. Without --text it runs "
            "until Ctrl-C."}},
      .add_options = add_options,
      .action = live_job,
  };
}

}  // namespace cairn::cli
