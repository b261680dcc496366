// SPDX-License-Identifier: BSD-3-Clause
// asking.cc - starting a command, and reading what it writes

#include "where/asking.hpp"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <utility>

#include "base/text.hpp"
#include "formats/numbers.hpp"
#include "formats/text.hpp"

namespace cairn::where {

using formats::cat;

namespace {

/// Its number; "": the job is none of Slurm's.
std::string slurm_job_of(const Question& question) {
  constexpr std::string_view slurm = "slurm ";
  return question.launcher.starts_with(slurm) ? question.launcher.substr(slurm.size()) : "";
}

bool takes_orders(const Question& question) { return question.takes_orders && question.every_s > 0; }

/// What the node is to run, which is to ask those others.
std::vector<std::string> words_for_node(const Question& question, const std::vector<std::string>& others = {}) {
  std::vector<std::string> words;
  if (const char* const pages = std::getenv("CAIRN_PAGES"); pages != nullptr)
    words = {"env", std::string("CAIRN_PAGES=") + pages};
  words.insert(words.end(), {question.command, "where"});
  if (!question.job.empty()) words.push_back(question.job);
  words.insert(words.end(), {"--pages", std::to_string(question.history)});
  if (question.every_s > 0) words.insert(words.end(), {"--watch", "--every", std::to_string(question.every_s)});
  if (takes_orders(question)) words.push_back("--orders");
  if (others.empty()) return words;
  std::string hosts;
  for (const std::string& other : others) hosts += (hosts.empty() ? "" : ",") + other;
  words.insert(words.end(), {"--through", question.launcher.empty() ? "ssh" : question.launcher, "--nodes", hosts,
                             "--fan-out", std::to_string(question.fan_out)});
  return words;
}

/// One process for all nodes: Slurm knows them.
std::vector<std::string> words_for_slurm(const Question& question, const std::string& job) {
  std::string command = cat({"nodes=$(squeue --noheader --jobs=", quoted_for_shell(job),
                             " --format=%D) && exec srun --jobid=", quoted_for_shell(job),
                             " --overlap --nodes=\"$nodes\" --ntasks=\"$nodes\" --no-kill --quiet",
                             " --mpi=none --input=", takes_orders(question) ? "all" : "none"});
  for (const std::string& word : words_for_node(question)) command += " " + quoted_for_shell(word);
  return {"sh", "-c", command};
}

std::vector<std::string> words_for_hosts(const Question& question, const std::string& agent,
                                         const std::vector<std::string>& hosts) {
  std::vector<std::string> words;
  const std::string_view first = split(agent, ':').front();  // Open MPI takes the first there is
  for (const std::string_view word : split(first, ' '))
    if (!word.empty()) words.emplace_back(word);
  if (words.empty()) words = {"ssh"};
  if (file_of(words.front()) == "ssh") words.insert(words.end(), {"-x", "-o", "BatchMode=yes"});
  words.push_back(hosts.front());
  std::string command;
  for (const std::string& word : words_for_node(question, {hosts.begin() + 1, hosts.end()}))
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

std::string agent_of(const Question& question) {
  constexpr std::string_view agent = "agent ";
  return question.launcher.starts_with(agent) ? question.launcher.substr(agent.size()) : "ssh";
}

}  // namespace

// ------------------------------------------------------------ the process

Asking::Asking(const std::vector<std::string>& words, std::vector<std::string> hosts, SentPages pages, bool again,
               bool takes_orders)
    : hosts_(std::move(hosts)), pages_(std::move(pages)) {
  int out[2];
  int err[2];
  if (pipe2(out, O_CLOEXEC) != 0) return;
  if (pipe2(err, O_CLOEXEC) != 0) {
    close(out[0]);
    close(out[1]);
    return;
  }
  int in[2] = {-1, -1};
  if (takes_orders && socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, in) == 0) orders_ = in[0];
  start(words, again, in[1], out[1], err[1]);
  if (in[1] >= 0) close(in[1]);
  close(out[1]);
  close(err[1]);
  ends_[0] = out[0];
  ends_[1] = err[0];
  for (const int end : ends_) fcntl(end, F_SETFL, O_NONBLOCK);
}

/// It is asked to end first: a killed `srun` leaves its step behind.
Asking::~Asking() {
  for (const int end : ends_)
    if (end >= 0) close(end);
  if (orders_ >= 0) close(orders_);
  if (child_ <= 0) return;
  kill(-child_, SIGTERM);
  constexpr int patience = 100;  // looks, 10 ms apart
  for (int looks = 0; waitpid(child_, nullptr, WNOHANG) == 0; ++looks) {
    if (looks == patience) kill(-child_, SIGKILL);
    usleep(10000);
  }
}

void Asking::give(const std::string& text) {
  if (orders_ < 0) return;
  if (given_.empty()) given_ = text;
  const ssize_t taken = send(orders_, given_.data(), given_.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
  if (taken > 0) given_.erase(0, static_cast<std::size_t>(taken));
}

void Asking::add_to(std::vector<pollfd>& waited_for) const {
  for (const int end : ends_) waited_for.push_back({end, POLLIN, 0});  // what is closed is left out
}

void Asking::read() {
  part_.resize(std::size_t{1} << 16U);
  const ssize_t got = ends_[0] < 0 ? -1 : ::read(ends_[0], part_.data(), part_.size());
  if (got > 0) pages_.add({part_.data(), static_cast<std::size_t>(got)});
  read_complaint();
  if (got == 0) close(std::exchange(ends_[0], -1));
}

/// Its last words are enough.
void Asking::read_complaint() {
  constexpr std::size_t most = 16384;
  char part[4096];
  while (ends_[1] >= 0) {
    const ssize_t got = ::read(ends_[1], part, sizeof part);
    if (got == 0) close(std::exchange(ends_[1], -1));
    if (got <= 0) break;
    complaint_.append(part, static_cast<std::size_t>(got));
    if (complaint_.size() > most) complaint_.erase(0, complaint_.size() - most);
  }
}

std::string Asking::reason(double limit_s) const {
  if (!problem_.empty()) return problem_;
  std::string_view last;
  for (const std::string_view line : split(complaint_, '\n'))
    if (!line.empty()) last = line;
  if (!last.empty()) return std::string(last);
  if (is_over()) return "it has not sent all of its pages";
  const bool is_whole = limit_s == std::floor(limit_s);
  return cat({"no answer within ", formats::fixed(limit_s, is_whole ? 0 : 1), " s"});
}

void Asking::start(const std::vector<std::string>& words, bool again, int in, int out, int err) {
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  if (in >= 0) posix_spawn_file_actions_adddup2(&files, in, STDIN_FILENO);
  else posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
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
  std::vector<char*> variables;
  for (char** at = environ; *at != nullptr; ++at)
    if (is_to_be_passed_on(*at)) variables.push_back(*at);
  variables.push_back(nullptr);
  const auto spawn = [&](std::vector<char*> arguments) {
    for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
    arguments.push_back(nullptr);
    return posix_spawnp(&child_, arguments[0], &files, &how, arguments.data(), variables.data());
  };
  // What sends again and again ends with this process, however that ends: `srun` heeds no broken pipe.
  char with_this[3][16] = {"setpriv", "--pdeathsig", "TERM"};
  int error = again ? spawn({with_this[0], with_this[1], with_this[2]}) : ENOENT;
  if (error == ENOENT) error = spawn({});
  if (error != 0) child_ = -1;
  if (error != 0) problem_ = cat({"'", words[0], "' cannot be started: ", std::strerror(error)});
  posix_spawn_file_actions_destroy(&files);
  posix_spawnattr_destroy(&how);
}

// ------------------------------------------------------------ many of them

bool read_more(const std::vector<Asking*>& all, AskingUntil until, const AlsoWaitedFor& also) {
  std::vector<pollfd> waited_for;
  for (const Asking* const one : all) one->add_to(waited_for);
  waited_for.push_back({also.file, POLLIN, 0});
  if (also.file < 0 && std::ranges::all_of(all, [](const auto& one) { return one->is_over(); })) return false;
  const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(until - std::chrono::steady_clock::now());
  if (left.count() <= 0) return false;
  if (poll(waited_for.data(), waited_for.size(), static_cast<int>(left.count()) + 1) < 0) return errno == EINTR;
  for (std::size_t i = 0; i < all.size(); ++i)
    if (waited_for[2 * i].revents != 0 || waited_for[2 * i + 1].revents != 0) all[i]->read();
  if (waited_for.back().revents != 0) also.take();
  return true;
}

bool is_of_slurm(const Question& question) { return !slurm_job_of(question).empty(); }

std::unique_ptr<Asking> ask_slurm(const Question& question) {
  std::vector<std::string> hosts;
  for (const auto& [host, ranks] : question.nodes) hosts.push_back(host);
  const bool again = question.every_s > 0;
  return std::make_unique<Asking>(words_for_slurm(question, slurm_job_of(question)), hosts, SentPages(again), again,
                                  takes_orders(question));
}

std::unique_ptr<Asking> ask_hosts(const Question& question, const std::vector<std::string>& hosts, PassOn pass_on) {
  const bool again = question.every_s > 0;
  return std::make_unique<Asking>(words_for_hosts(question, agent_of(question), hosts), hosts,
                                  SentPages(again, std::move(pass_on)), again, takes_orders(question));
}

std::unique_ptr<Asking> ask_host(const Question& question, const std::string& host) {
  return ask_hosts(question, {host});
}

}  // namespace cairn::where
