// SPDX-License-Identifier: BSD-3-Clause
// other_nodes.cc - starting a command on each node, and collecting what they send

#include "where/other_nodes.hpp"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <memory>
#include <set>
#include <utility>

#include "base/text.hpp"
#include "formats/ranks.hpp"
#include "formats/text.hpp"
#include "where/sent_pages.hpp"

namespace cairn::where {

using formats::cat;

namespace {

using Moment = std::chrono::steady_clock::time_point;

/// Its number; "": the job is none of Slurm's.
std::string slurm_job_of(const Question& question) {
  constexpr std::string_view slurm = "slurm ";
  return question.launcher.starts_with(slurm) ? question.launcher.substr(slurm.size()) : "";
}

/// What the node is to run.
std::vector<std::string> words_for_node(const Question& question) {
  std::vector<std::string> words;
  if (const char* const pages = std::getenv("CAIRN_PAGES"); pages != nullptr)
    words = {"env", std::string("CAIRN_PAGES=") + pages};
  words.insert(words.end(), {question.command, "where"});
  if (!question.job.empty()) words.push_back(question.job);
  words.insert(words.end(), {"--pages", std::to_string(question.history)});
  return words;
}

/// One process for all nodes: Slurm knows them.
std::vector<std::string> words_for_slurm(const Question& question, const std::string& job) {
  std::string command =
      cat({"nodes=$(squeue --noheader --jobs=", quoted_for_shell(job),
           " --format=%D) && exec srun --jobid=", quoted_for_shell(job),
           " --overlap --nodes=\"$nodes\" --ntasks=\"$nodes\" --no-kill --quiet", " --mpi=none --input=none"});
  for (const std::string& word : words_for_node(question)) command += " " + quoted_for_shell(word);
  return {"sh", "-c", command};
}

std::vector<std::string> words_for_host(const Question& question, const std::string& agent, const std::string& host) {
  std::vector<std::string> words;
  const std::string_view first = split(agent, ':').front();  // Open MPI takes the first there is
  for (const std::string_view word : split(first, ' '))
    if (!word.empty()) words.emplace_back(word);
  if (words.empty()) words = {"ssh"};
  if (file_of(words.front()) == "ssh") words.insert(words.end(), {"-x", "-o", "BatchMode=yes"});
  words.push_back(host);
  std::string command;
  for (const std::string& word : words_for_node(question))
    command += (command.empty() ? "" : " ") + quoted_for_shell(word);
  words.push_back(command);
  return words;
}

/// Nothing of this process's own job, and no tools.
bool is_to_be_passed_on(std::string_view variable) {
  if (variable.starts_with("SLURM_CONF=")) return true;
  constexpr std::string_view others[] = {"LD_PRELOAD=", "CAIRN_", "SLURM_", "PMI", "OMPI_", "PRTE_"};
  return std::ranges::none_of(others, [&](std::string_view one) { return variable.starts_with(one); });
}

/// A command that runs, with what it writes.
class Asking {
 public:
  Asking(const std::vector<std::string>& words, std::vector<std::string> hosts) : hosts_(std::move(hosts)) {
    int out[2];
    int err[2];
    if (pipe2(out, O_CLOEXEC) != 0) return;
    if (pipe2(err, O_CLOEXEC) != 0) {
      close(out[0]);
      close(out[1]);
      return;
    }
    start(words, out[1], err[1]);
    close(out[1]);
    close(err[1]);
    ends_[0] = out[0];
    ends_[1] = err[0];
    for (const int end : ends_) fcntl(end, F_SETFL, O_NONBLOCK);
  }
  ~Asking() {
    for (const int end : ends_)
      if (end >= 0) close(end);
    if (child_ <= 0) return;
    kill(-child_, SIGKILL);
    waitpid(child_, nullptr, 0);
  }
  Asking(const Asking&) = delete;
  Asking& operator=(const Asking&) = delete;

  bool is_over() const { return ends_[0] < 0 && ends_[1] < 0; }
  void add_to(std::vector<pollfd>& waited_for) const {
    for (const int end : ends_) waited_for.push_back({end, POLLIN, 0});  // what is closed is left out
  }
  void read() {
    char part[4096];
    for (std::size_t i = 0; i < 2; ++i) {
      const ssize_t got = ends_[i] < 0 ? -1 : ::read(ends_[i], part, sizeof part);
      if (got > 0 && i == 0) pages_.add({part, static_cast<std::size_t>(got)});
      else if (got > 0) complaint_.append(part, static_cast<std::size_t>(got));
      else if (got == 0) close(std::exchange(ends_[i], -1));
    }
  }

  const std::vector<std::string>& hosts() const { return hosts_; }
  const SentPages& pages() const { return pages_; }
  /// Its last words.
  std::string reason(double limit_s) const {
    if (!problem_.empty()) return problem_;
    std::string_view last;
    for (const std::string_view line : split(complaint_, '\n'))
      if (!line.empty()) last = line;
    if (!last.empty()) return std::string(last);
    return is_over() ? "it has not sent all of its pages" : cat({"no answer within ", static_cast<int>(limit_s), " s"});
  }

 private:
  void start(const std::vector<std::string>& words, int out, int err) {
    posix_spawn_file_actions_t files;
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&files, out, STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&files, err, STDERR_FILENO);
    posix_spawnattr_t how;
    posix_spawnattr_init(&how);
    sigset_t none;
    sigemptyset(&none);
    posix_spawnattr_setsigmask(&how, &none);
    posix_spawnattr_setpgroup(&how, 0);
    sigset_t all;
    sigfillset(&all);
    posix_spawnattr_setsigdefault(&how, &all);
    posix_spawnattr_setflags(&how, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    std::vector<char*> arguments;
    for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
    arguments.push_back(nullptr);
    std::vector<char*> variables;
    for (char** at = environ; *at != nullptr; ++at)
      if (is_to_be_passed_on(*at)) variables.push_back(*at);
    variables.push_back(nullptr);
    const int error = posix_spawnp(&child_, arguments[0], &files, &how, arguments.data(), variables.data());
    if (error != 0) child_ = -1;
    if (error != 0) problem_ = cat({"'", words[0], "' cannot be started: ", std::strerror(error)});
    posix_spawn_file_actions_destroy(&files);
    posix_spawnattr_destroy(&how);
  }

  std::vector<std::string> hosts_;
  pid_t child_ = -1;
  int ends_[2] = {-1, -1};
  SentPages pages_;
  std::string complaint_;
  std::string problem_;
};

/// Reads what comes; false if nothing can come any more, or the time is up.
bool read_more(const std::vector<std::unique_ptr<Asking>>& all, Moment until) {
  std::vector<pollfd> waited_for;
  for (const auto& one : all) one->add_to(waited_for);
  if (std::ranges::all_of(all, [](const auto& one) { return one->is_over(); })) return false;
  const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(until - std::chrono::steady_clock::now());
  if (left.count() <= 0) return false;
  if (poll(waited_for.data(), waited_for.size(), static_cast<int>(left.count()) + 1) < 0) return errno == EINTR;
  for (std::size_t i = 0; i < all.size(); ++i)
    if (waited_for[2 * i].revents != 0 || waited_for[2 * i + 1].revents != 0) all[i]->read();
  return true;
}

void take_answers(const Asking& asking, const Question& question, NodeAnswers& answers) {
  for (const std::string& host : asking.hosts()) answers.silent.emplace(host, asking.reason(question.limit_s));
  for (const auto& [sender, sent] : asking.pages().senders()) {
    if (!sent.is_complete) continue;
    answers.silent.erase(slurm_job_of(question).empty() ? asking.hosts().front() : sender);
    std::ranges::move(SentPages::pages_of(sender, sent.bytes), std::back_inserter(answers.pages));
  }
}

/// All at the same time.
void ask_round(const Question& question, const std::vector<std::unique_ptr<Asking>>& all, NodeAnswers& answers) {
  const std::chrono::duration<double> limit(question.limit_s);
  const Moment until = std::chrono::steady_clock::now() + std::chrono::duration_cast<Moment::duration>(limit);
  while (read_more(all, until)) {
  }
  for (const auto& one : all) take_answers(*one, question, answers);
}

/// With the ranks that have no page here.
std::map<std::string, std::vector<int>> nodes_unseen(const JobPages& job) {
  std::set<int> seen;
  for (const Process& process : job.processes) seen.insert(process.rank);
  std::map<std::string, std::vector<int>> nodes = nodes_of(job.nodes());
  for (auto& [host, ranks] : nodes) std::erase_if(ranks, [&](int rank) { return seen.contains(rank); });
  std::erase_if(nodes, [](const auto& node) { return node.second.empty(); });
  return nodes;
}

}  // namespace

std::map<std::string, std::vector<int>> nodes_of(std::string_view text) {
  constexpr int most_ranks = 1 << 24;
  std::map<std::string, std::vector<int>> nodes;
  for (const std::string_view line : split(text, '\n')) {
    const auto words = split(line, ' ');
    if (words.size() == 2 && !words[0].empty() && words[0].front() != '-')
      nodes[std::string(words[0])] = formats::ranks_of(words[1], most_ranks);
  }
  return nodes;
}

Question question_about(const JobPages& job) {
  constexpr std::size_t most_records = std::size_t{1} << 22U;  // some hundred megabytes
  const auto ranks = static_cast<std::size_t>(std::max(job.processes.front().size, 1));
  Question question;
  question.launcher = job.launcher();
  question.job = job.name;
  question.history = std::clamp<std::size_t>(most_records / ranks, 64, 4096);
  question.nodes = nodes_unseen(job);
  return question;
}

NodeAnswers ask_nodes(const Question& question) {
  NodeAnswers answers;
  std::vector<std::string> hosts;
  for (const auto& [host, ranks] : question.nodes) hosts.push_back(host);
  constexpr std::string_view agent = "agent ";
  if (const std::string job = slurm_job_of(question); !job.empty()) {
    std::vector<std::unique_ptr<Asking>> one;
    one.push_back(std::make_unique<Asking>(words_for_slurm(question, job), hosts));
    ask_round(question, one, answers);
    return answers;
  }
  const std::string program = question.launcher.starts_with(agent) ? question.launcher.substr(agent.size()) : "ssh";
  constexpr std::size_t at_once = 64;
  for (std::size_t first = 0; first < hosts.size(); first += at_once) {
    std::vector<std::unique_ptr<Asking>> round;
    for (std::size_t i = first; i < std::min(first + at_once, hosts.size()); ++i)
      round.push_back(std::make_unique<Asking>(words_for_host(question, program, hosts[i]), std::vector{hosts[i]}));
    ask_round(question, round, answers);
  }
  return answers;
}

}  // namespace cairn::where
