// SPDX-License-Identifier: BSD-3-Clause
// watched.cc - following one job from look to look

#include "live/watched.hpp"

#include <algorithm>
#include <set>

#include "formats/text.hpp"
#include "where/report.hpp"

namespace cairn::live {

bool Watched::has_job() const {
  const std::lock_guard lock(lock_);
  return jobs_ != 0;
}

std::pair<std::string, std::string> Watched::program_and_folder() const {
  const std::lock_guard lock(lock_);
  return {job_.program, job_.folder};
}

bool Watched::is_over() const {
  const std::lock_guard lock(lock_);
  return job_.is_over;
}

std::string Watched::job() const {
  const std::lock_guard lock(lock_);
  return job_.name;
}

std::string Watched::order(const std::string& name, const std::string& value, const std::string& ranks) {
  const std::lock_guard lock(lock_);
  if (job_.is_over) return "the job is over";
  return controls_.order(name, value, ranks);
}

/// What one may name is known by the stack, of which the run's folder tells.
bool Watched::takes_policies() const { return controls_.takes_policies() && !job_.folder.empty(); }

std::string Watched::give_policy(const std::string& name, const std::string& text) {
  const std::lock_guard lock(lock_);
  if (job_.is_over) return "the job is over";
  if (controls_.takes_policies() && !takes_policies())
    return "the job's stack is not known yet\n  try: again in a second";
  return controls_.give_policy(name, text);
}

std::map<std::string, std::string> Watched::orders_under_way() const {
  const std::lock_guard lock(lock_);
  return job_.is_over ? std::map<std::string, std::string>() : controls_.orders_under_way();
}

const where::JobPages* Watched::choose(const std::vector<where::JobPages>& jobs) const {
  const auto same = std::ranges::find_if(jobs, [this](const where::JobPages& job) { return is_same(job); });
  const bool is_there = same != jobs.end();
  if (is_there && same->is_alive()) return &*same;
  const auto alive = std::ranges::find_if(jobs, &where::JobPages::is_alive);
  if (alive != jobs.end()) return &*alive;
  if (is_there) return &*same;
  return jobs_ != 0 || jobs.empty() ? nullptr : &jobs.front();
}

bool Watched::is_same(const where::JobPages& job) const {
  if (jobs_ == 0) return false;
  return job.name == job_.name || (job_.name == job_.launched && job.processes.front().job == job_.launched);
}

void Watched::end() {
  if (job_.is_over || jobs_ == 0) return;
  job_.is_over = true;
  controls_.end();
}

void Watched::begin() {
  job_ = {};
  history_ = {};
  traffic_ = {};
  variables_ = {};
  controls_ = {};
  policies_ = {};
  ++jobs_;
}

namespace {

std::string hosts_of(const where::JobPages& job) {
  std::set<std::string> hosts;
  for (const where::Process& process : job.processes) hosts.insert(process.host);
  return hosts.size() == 1 ? *hosts.begin() : formats::plural(hosts.size(), "host");
}

}  // namespace

const where::JobPages* Watched::next_of(const std::vector<where::JobPages>& jobs) const {
  const std::lock_guard lock(lock_);
  return choose(jobs);
}

/// All nodes of the job are out of reach: what was known of it is not what it does now.
void Watched::lose_sight() {
  job_.seen = 0;
  job_.state = where::State::waiting;
  job_.where_json = R"({"state": "waiting", "groups": [], "findings": []})";
  job_.where_text = "no node of the job is seen\n";
}

void Watched::take(const where::JobPages& job, double time, std::vector<std::string>& problems, bool all_heard) {
  const where::Process& first = job.processes.front();
  const where::Job seen = where::look_at_job(job.all());
  job_.name = job.name;
  job_.launched = first.job;
  const where::Verdict verdict = where::judge(seen, places_, patience_s_);
  job_.program = first.program;
  job_.run = job.run();
  job_.host = hosts_of(job);
  job_.mpi = first.mpi;
  job_.folder = job.folder();
  job_.seen = static_cast<int>(job.processes.size());
  job_.size = std::max(seen.size, job_.seen);
  job_.state = verdict.state;
  job_.is_over = all_heard && (!job.is_alive() || verdict.state == where::State::over);
  if (!job_.is_over) job_.running_s = first.time.ago(first.started);
  job_.where_json = where::report_json(seen, verdict, places_);
  job_.where_text = where::report_text(seen, verdict, places_);
  history_.add(moment_of(job), job_.size, time);
  traffic_.look(job, job_.size, problems);
  variables_.look(job, job_.size, time, problems);
  controls_.look(job, job_.size, time, problems, all_heard);
  if (job_.is_over) controls_.end();
  policies_.look(job, problems);
}

/// A page that is just made or removed cannot be read either, for a moment.
void Watched::hear_problems(const std::vector<std::string>& problems) {
  std::map<std::string, int> now;
  for (const std::string& one : problems) now[one] = problems_[one] + 1;
  problems_ = std::move(now);
}

void Watched::follow(const std::vector<where::JobPages>& jobs, std::vector<std::string>& problems, double time,
                     bool all_heard) {
  const where::JobPages* const chosen = choose(jobs);
  others_.clear();
  for (const where::JobPages& job : jobs)
    if (&job != chosen && job.is_alive()) others_.push_back(job.name);
  if (chosen == nullptr) {
    if (all_heard) end();
    else if (!job_.is_over) lose_sight();
    return;
  }
  if (!is_same(*chosen)) begin();
  if (!job_.is_over || chosen->is_alive()) take(*chosen, time, problems, all_heard);
}

void Watched::look(const std::vector<where::JobPages>& jobs, std::vector<std::string> problems, double time,
                   std::uint64_t began_ns, bool all_heard) {
  const std::lock_guard lock(lock_);
  if (since_ == 0) since_ = time;
  time_ = time;
  follow(jobs, problems, time, all_heard);
  hear_problems(problems);
  looked_ns_ = nanoseconds_now();
  look_s_ = 1e-9 * static_cast<double>(looked_ns_ - began_ns);
}

}  // namespace cairn::live
