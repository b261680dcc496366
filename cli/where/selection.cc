// SPDX-License-Identifier: BSD-3-Clause
// selection.cc - looking for a job's pages: on this node, in its folder, and on the nodes that these tell of

#include "cli/where/selection.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <set>

#include "base/host_name.hpp"
#include "base/launcher.hpp"
#include "base/message.hpp"
#include "base/processes.hpp"
#include "base/text.hpp"
#include "cli/program.hpp"
#include "formats/ranks.hpp"
#include "formats/run.hpp"

namespace cairn::cli {

namespace {

namespace fs = std::filesystem;

std::string canonical(const std::string& path) {
  std::error_code error;
  const fs::path found = fs::weakly_canonical(path, error);
  return error ? path : found.string();
}

bool is_wanted(const where::JobPages& job, const Selection& wanted) {
  if (wanted.job.empty()) return job.is_alive();
  if (wanted.names_folder() || wanted.is_path())
    return canonical(job.folder()) == canonical(wanted.job) ||
           job.processes.front().path.starts_with(wanted.job + "/pages/");
  return job.name.starts_with(wanted.job) || job.launcher() == "slurm " + wanted.job;
}

std::vector<where::JobPages> select(const Selection& wanted, std::vector<where::Process> sent,
                                    std::vector<std::string>& damaged) {
  std::vector<std::string> paths;
  if (is_private_folder(page::folder())) paths = where::pages_in(page::folder());
  if (wanted.names_folder()) std::ranges::move(where::pages_in(wanted.job + "/pages"), std::back_inserter(paths));
  std::vector<where::JobPages> jobs = where::read_jobs(paths, damaged, wanted.history, std::move(sent));
  const bool any_alive = std::ranges::any_of(jobs, &where::JobPages::is_alive);
  if (wanted.job.empty() && !any_alive && !jobs.empty()) jobs.resize(1);  // the one that ended last
  else std::erase_if(jobs, [&](const where::JobPages& job) { return !is_wanted(job, wanted); });
  return jobs;
}

// ------------------------------------------------------------ other nodes

/// About a job that has no pages here, by what its folder tells, or Slurm.
where::Question question_about_wanted(const Selection& wanted) {
  where::Question question;
  question.launcher = launcher_of_environment();
  question.job = wanted.job;
  if (wanted.names_folder()) {
    const formats::run::Summary run = formats::run::of_folder(wanted.job);
    question.job = run.identity;
    question.launcher = run.launcher;
    for (const auto& [host, ranks] : run.nodes) question.nodes[host] = formats::ranks_of(ranks);
  } else if (!wanted.job.empty() && std::ranges::all_of(wanted.job, [](char c) { return c >= '0' && c <= '9'; })) {
    question.launcher = "slurm " + wanted.job;
  }
  return question;
}

bool has_somebody_to_ask(const where::Question& question) {
  return !question.nodes.empty() || question.launcher.starts_with("slurm ");
}

void tell_silent(const std::string& host, const std::vector<int>& ranks, const std::string& why) {
  static std::set<std::string> told;
  if (!told.insert(host).second) return;
  const std::string whose =
      ranks.empty() ? "" : (ranks.size() == 1 ? " (rank " : " (ranks ") + formats::ranks_text(ranks) + ")";
  tell(Severity::warning, "node '" + host + "'" + whose + " is not seen: " + why, {}, "'cairn where' on that node");
}

/// What another user's files name as the launcher's agent is not started.
bool is_of_another_user(const std::string& folder) {
  struct stat about {};
  for (const char* file : {"", "/run.json", "/pages"})
    if (stat((folder + file).c_str(), &about) == 0 && about.st_uid != geteuid()) return true;
  return false;
}

bool has_all_here(const where::JobPages& job) {
  return static_cast<int>(job.processes.size()) >= job.processes.front().size;
}

/// `damaged` gets a message for each page that cannot be read.
std::vector<where::Process> ask(const where::JobPages* job, const Selection& wanted,
                                std::vector<std::string>& damaged) {
  const std::optional<where::Question> question = question_about(job, wanted);
  if (!question) return {};
  where::NodeAnswers answers = where::ask_nodes(*question);
  for (const auto& [host, why] : answers.silent) {
    const auto node = question->nodes.find(host);
    tell_silent(host, node == question->nodes.end() ? std::vector<int>() : node->second, why);
  }
  std::ranges::move(answers.damaged, std::back_inserter(damaged));
  return std::move(answers.processes);
}

}  // namespace

bool Selection::names_folder() const {
  std::error_code error;
  return fs::is_directory(job, error);
}

std::optional<where::Question> question_about(const where::JobPages* job, const Selection& wanted) {
  if (wanted.names_folder() && is_of_another_user(wanted.job)) return std::nullopt;
  if (job != nullptr && has_all_here(*job) && wanted.nodes.empty()) return std::nullopt;
  where::Question question = job == nullptr ? question_about_wanted(wanted) : where::question_about(*job);
  for (const std::string_view host : split(wanted.nodes, ','))
    if (!host.empty()) question.nodes.try_emplace(std::string(host));
  question.nodes.erase(host_name());  // its pages have been looked at
  if (!has_somebody_to_ask(question)) return std::nullopt;
  question.command = installation().command;
  question.limit_s = wanted.limit_s;
  return question;
}

std::vector<where::JobPages> jobs_here(const Selection& wanted, std::vector<std::string>& damaged,
                                       std::vector<where::Process> sent) {
  return select(wanted, std::move(sent), damaged);
}

std::vector<where::JobPages> jobs_here(const Selection& wanted) {
  std::vector<std::string> damaged;
  return jobs_here(wanted, damaged);
}

std::vector<where::JobPages> jobs_everywhere(const Selection& wanted) {
  std::vector<std::string> damaged;
  std::vector<where::JobPages> jobs = select(wanted, {}, damaged);
  std::vector<std::string> damaged_there;
  std::vector<where::Process> sent;
  for (const where::JobPages& job : jobs) std::ranges::move(ask(&job, wanted, damaged_there), std::back_inserter(sent));
  if (jobs.empty()) sent = ask(nullptr, wanted, damaged_there);
  if (!sent.empty()) damaged.clear();
  if (!sent.empty()) jobs = select(wanted, std::move(sent), damaged);
  std::ranges::move(damaged_there, std::back_inserter(damaged));
  for (const std::string& what : damaged) tell(Severity::warning, what);
  return jobs;
}

}  // namespace cairn::cli
