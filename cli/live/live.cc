// SPDX-License-Identifier: BSD-3-Clause
// live.cc - `cairn live`: a running job in a browser, on a terminal, or for Prometheus.

#include <dlfcn.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <iterator>
#include <map>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "base/message.hpp"
#include "cli/asking.hpp"
#include "cli/command.hpp"
#include "cli/live/recording.hpp"
#include "cli/program.hpp"
#include "cli/run/policies.hpp"
#include "cli/where/selection.hpp"
#include "live/saving.hpp"
#include "live/site.hpp"
#include "where/followed_nodes.hpp"

namespace cairn::cli {

namespace {

struct LiveOptions {
  Selection wanted;
  std::string token_file;
  std::string save;
  double interval = 1;
  unsigned port = 0;
  std::size_t fan_out = 16;
  bool text = false;
  bool read_only = false;
};

LiveOptions live_options;

void add_live_options(OptionAdder& add) {
  add.option("job", live_options.wanted.job,
             "A run's folder or the beginning of a run's name, also of one to come; default: the latest job; or a "
             "recording, to play it again")
      .type_name("JOB");
  add.option("--port", live_options.port, "Port on this machine's loopback address; default: one that is free")
      .type_name("N")
      .range(0, 65535);
  add.option("--every", live_options.interval, "Seconds between looks at the job; default: 1")
      .type_name("SECONDS")
      .range(0.05, 3600.0);
  add.option("--token-file", live_options.token_file,
             "File with the token that clients must show, created if missing; default: a new token each time")
      .type_name("FILE");
  add.flag("--text", live_options.text, "Show the job on the terminal instead, from when there is one until it ends");
  add.flag("--read-only", live_options.read_only, "Do not let the page set control variables or give the job a policy");
  add.option("--fan-out", live_options.fan_out,
             "How many other nodes are asked from here, and from each of these, where the job is on many; default: 16")
      .type_name("NODES")
      .range(1, 4096);
  add.option("--save", live_options.save, "Record the job in a new file: 'cairn live FILE' plays it again")
      .type_name("FILE");
}

/// For groups and findings: what has lasted for less is no waiting.
constexpr double least_waiting_s = 1;

/// Enough to tell who asks again and again.
constexpr std::size_t history = 64;

/// One line for all nodes that are silent for the same reason, if they are many.
std::vector<std::string> silence_text(const std::map<std::string, std::string>& silent) {
  constexpr std::size_t many = 4;
  std::map<std::string, std::vector<std::string>> by_reason;
  for (const auto& [host, why] : silent) by_reason[why].push_back(host);
  std::vector<std::string> lines;
  for (const auto& [why, hosts] : by_reason) {
    if (hosts.size() < many) {
      for (const std::string& host : hosts) lines.push_back(fmt::format("node '{}' is not seen: {}", host, why));
      continue;
    }
    lines.push_back(
        fmt::format("{} nodes ('{}' to '{}') are not seen: {}", hosts.size(), hosts.front(), hosts.back(), why));
  }
  return lines;
}

/// Whoever asks for a run that is over would wait for another one.
bool is_of_earlier_run(const std::string& folder) {
  std::error_code error;
  return std::filesystem::is_regular_file(std::filesystem::path(folder) / "run.json", error);
}

/// The job, and the nodes that it is on.
class Looking {
 public:
  live::Watched watched{symbols(), live_options.interval, least_waiting_s};

  void look() {
    const std::uint64_t began_ns = nanoseconds_now();
    std::vector<std::string> problems;
    const std::vector<where::JobPages> jobs = jobs_here(live_options.wanted, problems, nodes_.processes(problems));
    ask_others(jobs);
    std::ranges::move(silence_text(nodes_.silent()), std::back_inserter(problems));
    if (std::string left_out = nodes_.left_out(); !left_out.empty()) problems.push_back(std::move(left_out));
    const std::string& wanted = live_options.wanted.job;
    if (jobs.empty() && !watched.has_job() && nodes_.all_have_answered() && is_of_earlier_run(wanted))
      problems.push_back(
          fmt::format("'{0}' has results, but no running job with 'where': 'cairn report {0}' shows them", wanted));
    const std::chrono::duration<double> now = std::chrono::system_clock::now().time_since_epoch();
    watched.look(jobs, problems, now.count(), began_ns, nodes_.all_have_answered());
    for (const auto& [host, orders] : watched.orders_under_way()) nodes_.give(host, orders);
  }
  void wait() { nodes_.wait(live_options.interval); }

 private:
  void ask_others(const std::vector<where::JobPages>& jobs) {
    const where::JobPages* const job = watched.next_of(jobs);
    std::optional<where::Question> question;
    if (job != nullptr || jobs.empty()) question = question_about(job, live_options.wanted);
    if (watched.is_over() && (!question || question->job == watched.job())) {
      nodes_ = where::FollowedNodes();
    } else if (question) {
      question->history = history;
      question->every_s = live_options.interval;
      question->takes_orders = !live_options.text && !live_options.read_only;
      question->fan_out = live_options.fan_out;
      nodes_.ask(*question);
    }
  }

  where::FollowedNodes nodes_;
};

std::optional<live::Saving> saving_if_asked() {
  if (live_options.save.empty()) return std::nullopt;
  return on_behalf_of("--save " + live_options.save, [] {
    return std::optional<live::Saving>(std::in_place, live_options.save, live_options.interval);
  });
}

// ------------------------------------------------------------ on the terminal

/// A terminal, which shows the latest look; or a file or a pipe, which keeps all that differ from the one before.
class Screen {
 public:
  bool is_terminal() const { return is_terminal_; }
  void show(const std::string& text) {
    if (!is_terminal_ && text == last_) return;
    fmt::print("{}{}{}", is_terminal_ ? "\033[H\033[2J" : "", text, is_terminal_ ? "" : "\n");
    std::fflush(stdout);
    last_ = text;
  }

 private:
  bool is_terminal_ = isatty(STDOUT_FILENO) != 0;
  std::string last_;
};

int show_on_terminal() {
  Screen screen;
  Looking looking;
  std::optional<live::Saving> saving = saving_if_asked();
  while (true) {
    looking.look();
    if (saving) saving->add(looking.watched);
    screen.show(looking.watched.text());
    if (looking.watched.is_over()) return 0;
    looking.wait();
  }
}

/// Nobody waits for a file.
int play_on_terminal(const Recording& recording) {
  Screen screen;
  for (std::size_t i = 0; i < recording.looks.size(); ++i) {
    if (screen.is_terminal() && i != 0)
      std::this_thread::sleep_for(std::chrono::duration<double>(recording.looks[i].time - recording.looks[i - 1].time));
    screen.show(recording.looks[i].text);
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
  if (live_options.token_file.empty()) return live::new_token();
  return on_behalf_of("--token-file " + live_options.token_file,
                      [] { return live::token_in(live_options.token_file); });
}

/// Returns when the page is there; the library's thread goes on until the process ends, and so must what answers.
void serve(live::JobAnswers answers) {
  const live::WebLibrary& library = web_library();
  const std::string key = token();
  const auto& site = *new live::Site(std::move(answers), key, library.assets());
  int port = static_cast<int>(live_options.port);
  const std::string problem = library.serve(port, [&](const live::Request& request) { return site.answer(request); });
  if (!problem.empty())
    throw Problem(fmt::format("port {} cannot be used: {}", port, problem),
                  "another port, or none: 'cairn live' then takes a free one", fmt::format("--port {}", port));
  fmt::print("http://127.0.0.1:{}/#{}\n", port, key);
  std::fflush(stdout);
}

/// Of the job that is watched, as `cairn run` checks it before a job.
std::string why_no_policy(const live::Watched& watched, const std::string& name, const std::string& text) try {
  const auto [program, folder] = watched.program_and_folder();
  check_policy_for_job(name, text, folder, program);
  return "";
} catch (const Problem& problem) {
  return problem.what() + (problem.remedy.empty() ? "" : "\n  try: " + problem.remedy);
}

[[noreturn]] void serve_job() {
  auto& looking = *new Looking;
  web_library();  // reports whatever is missing before a file is made
  std::optional<live::Saving> saving = saving_if_asked();
  looking.look();
  const auto check = [&looking](const std::string& name, const std::string& text) {
    return why_no_policy(looking.watched, name, text);
  };
  serve(live::answers_about(looking.watched, !live_options.read_only, check));
  while (true) {
    if (saving) saving->add(looking.watched);
    looking.wait();
    looking.look();
  }
}

[[noreturn]] void serve_recording(Recording recording) {
  const auto& looks = *new std::string(std::move(recording.all));
  serve(live::answers_about(looks));
  while (true) pause();
}

// ------------------------------------------------------------ the command

int play() {
  if (!live_options.save.empty())
    throw Problem("a recording is played, not saved again", "cp", "--save " + live_options.save);
  Recording recording = read_recording(live_options.wanted.job);
  if (recording.is_cut)
    tell(Severity::warning, "'" + live_options.wanted.job + "' is truncated: its last look is left out");
  if (live_options.text) return play_on_terminal(recording);
  serve_recording(std::move(recording));
}

int live_job(const std::vector<std::string>& /*program*/) {
  live_options.wanted.history = history;
  std::error_code error;
  if (std::filesystem::is_regular_file(live_options.wanted.job, error)) return play();
  if (live_options.text) return show_on_terminal();
  serve_job();
}

}  // namespace

Command live_command() {
  return {
      .name = "live",
      .synopsis =
          "[JOB] [--port N] [--every SECONDS] [--token-file FILE] [--text] [--read-only] [--fan-out NODES] "
          "[--save FILE]",
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
            "  started and stopped at any time: all is read from memory of the nodes (others by srun, the\n"
            "  launcher's agent or ssh).\n"
            "  http://127.0.0.1:PORT/metrics is for Prometheus, with 'Authorization: Bearer TOKEN' (docs/live.md).\n"
            "  With the tools comm, vars and steer in the stack the page also shows who sends how much to whom, lists "
            "and "
            "charts\n"
            "  performance variables, and sets control variables of the running job.\n"
            "  With --save it records one job, the first that it sees; 'cairn live FILE' shows it again, also with "
            "--text."},
           {"EXIT STATUS",
            "  0: with --text, the job has ended or the recording was shown; 125: an error. Without --text it runs "
            "until Ctrl-C."}},
      .add_options = add_live_options,
      .action = live_job,
  };
}

}  // namespace cairn::cli
