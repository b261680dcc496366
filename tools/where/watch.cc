// SPDX-License-Identifier: BSD-3-Clause
// watch.cc - reading the pages of the job's processes on this node

#include "watch.hpp"

#include <dlfcn.h>
#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <climits>
#include <cstring>

#include "base/message.hpp"
#include "base/text.hpp"
#include "where/jobs.hpp"

namespace where_tool {

namespace where = cairn::where;

namespace {

/// The magic word is written last; until then another thread is about to write what the page says of its job.
bool is_whole(const cairn::page::PageHeader* page) {
  return page != nullptr && std::memcmp(page->magic, cairn::page::magic, sizeof page->magic) == 0;
}

/// `cairn`, as it is installed beside this tool; "" if it is not there.
std::string command() {
  Dl_info own{};
  if (dladdr(reinterpret_cast<void*>(&command), &own) == 0) return "";
  std::string folder = cairn::folder_of(own.dli_fname);
  for (int i = 0; i < 6; ++i, folder = cairn::folder_of(folder))
    if (const std::string path = folder + "/bin/cairn"; access(path.c_str(), X_OK) == 0) return path;
  return "";
}

/// The first rank's node speaks for all.
bool is_first_node(const where::JobPages& job) {
  int first_seen = INT_MAX;
  for (const where::Process& process : job.processes) first_seen = std::min(first_seen, process.rank);
  int first = first_seen;
  for (const auto& [host, ranks] : where::nodes_of(job.nodes()))
    if (!ranks.empty()) first = std::min(first, ranks.front());
  return first == first_seen;
}

double now_s() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

}  // namespace

Watch::~Watch() {
  if (turn_ >= 0) close(turn_);
}

std::string Watch::beside_page(const std::string& name) const {
  return cairn::folder_of(recorder_.path()) + "/" + name;
}

std::string Watch::watch_file() const { return beside_page(cairn::page::watch_name(recorder_.page()->job)); }

/// The last process of the run has removed its files, the watch file last: nobody would remove what is made after that.
bool Watch::is_run_over() const {
  const std::string run = beside_page(cairn::page::run_name(recorder_.page()->run));
  return access(recorder_.path(), F_OK) != 0 && access(run.c_str(), F_OK) != 0;
}

/// The lock goes with its process.
bool Watch::is_own_turn() {
  if (turn_ >= 0) return true;
  if (!is_whole(recorder_.page()) || *recorder_.path() == '\0') return false;
  std::atomic_thread_fence(std::memory_order_acquire);
  const std::string path = watch_file();
  const int file = open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (file < 0) return false;
  if (is_run_over()) {  // asked last: this thread may still look while the process ends
    unlink(path.c_str());
    close(file);
    return false;
  }
  char told = 0;
  if (flock(file, LOCK_EX | LOCK_NB) == 0 && read(file, &told, 1) == 0) turn_ = file;
  else close(file);
  return turn_ >= 0;
}

/// Nobody tells of it again, also when this process ends.
void Watch::be_done() const {
  const std::string path = watch_file();
  const int file = open(path.c_str(), O_WRONLY | O_CLOEXEC);  // the descriptor may be the program's by now
  if (file < 0) return;
  const char told = 1;
  if (write(file, &told, 1) < 0) unlink(path.c_str());  // a full disk: another one may tell it again
  close(file);
}

/// For how long this process has done nothing; only then is it worth reading the others' pages.
double Watch::idle_s() const {
  const where::Process own = where::PageReader().read(recorder_.path(), 64);
  return where::look_at_job({&own}).last_event_s;
}

/// From half of that time on: who works then is told from who sleeps.
void Watch::look_at_threads() {
  if (const std::optional<where::JobPages> job = own_job({}, 1))
    for (const where::Process& process : job->processes) times_.look(process, now_s());
}

/// False: it is not known of all yet, as on a machine so busy that looks come late.
bool Watch::note_processors(where::Job& job) const {
  constexpr double part = 0.3;  // of the time: looks begin at half of it, and are a tenth apart
  for (const where::Process* const process : job.processes) {
    const std::optional<bool> has_worked = times_.has_worked(*process, now_s(), part * hang_s_);
    if (!has_worked) return false;
    if (*has_worked) job.working.insert(process);
    job.delayed_s = std::max(job.delayed_s, times_.delayed_s(*process));
  }
  return true;
}

std::optional<where::JobPages> Watch::own_job(std::vector<where::Process> sent, std::size_t history) const {
  std::vector<std::string> damaged;
  const cairn::page::PageHeader& own = *recorder_.page();
  const std::string name = *own.run != '\0' ? own.run : own.job;
  const std::vector<std::string> paths = where::pages_in(cairn::folder_of(recorder_.path()));
  for (where::JobPages& job : where::read_jobs(paths, damaged, history, std::move(sent)))
    if (job.name == name) return std::move(job);
  return std::nullopt;
}

/// Nothing if it is not this node's turn to ask. `silent`: a line for each node that does not answer.
std::optional<where::JobPages> Watch::whole_job(std::string& silent) {
  std::optional<where::JobPages> job = own_job({});
  if (!job || !is_first_node(*job)) return std::nullopt;
  where::Question question = where::question_about(*job);
  const double idle_s = where::look_at_job(job->all()).last_event_s;
  if (idle_s < hang_s_) ask_after_s_ = hang_s_;
  if (question.nodes.empty() || idle_s < hang_s_) return job;
  if (idle_s < ask_after_s_) return std::nullopt;
  ask_after_s_ = 2 * idle_s;
  question.command = command();
  if (question.command.empty()) return job;
  const double asked_s = now_s();
  where::NodeAnswers answers = where::ask_nodes(question);
  constexpr double at_most_s = 1;  // beyond the limit; what is longer is a stop
  stops_.set_aside(std::min(now_s() - asked_s, question.limit_s + at_most_s));
  for (const auto& [host, why] : answers.silent) silent += "cairn: node '" + host + "' is not seen: " + why + "\n";
  return own_job(std::move(answers.processes));
}

std::optional<Sight> Watch::look() {
  if (stops_.begin_look(now_s())) times_.forget();  // what worked before need not have worked since
  std::optional<Sight> sight = look_at_job();
  if (stops_.end_look(now_s())) times_.forget();
  return sight;
}

std::optional<Sight> Watch::look_at_job() try {
  const bool is_turn = is_own_turn();
  const double idle = is_turn ? idle_s() : 0;
  if (idle < hang_s_ / 2) {
    stops_.forget();
    times_.forget();
  } else {
    look_at_threads();
  }
  if (idle - stops_.sum_s() < hang_s_) return std::nullopt;
  std::string silent;
  const std::optional<where::JobPages> job = whole_job(silent);
  if (!job) return std::nullopt;
  where::Job seen = where::look_at_job(job->all());
  seen.stopped_s = stops_.sum_s();
  if (seen.idle_s() < hang_s_ || !note_processors(seen)) return std::nullopt;
  where::Places places(symbols_);
  const where::Verdict verdict = where::judge(seen, places, hang_s_ / 2);
  if (!where::is_to_tell(seen, verdict, hang_s_)) return std::nullopt;
  if (stops_.is_in_look(now_s())) {  // told by the next look, if it sees the same
    ask_after_s_ = hang_s_;
    return std::nullopt;
  }
  if (verdict.is_hopeless || !to_the_end_) be_done();
  else if (has_told_) return std::nullopt;
  has_told_ = true;
  return Sight{where::title_text(seen, verdict), where::report_text(seen, verdict, places) + silent,
               where::report_json(seen, verdict, places), verdict.is_hopeless};
} catch (const std::exception&) {  // a page that just goes away
  return std::nullopt;
}

}  // namespace where_tool
