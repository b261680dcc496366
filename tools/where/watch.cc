// SPDX-License-Identifier: BSD-3-Clause
// watch.cc - reading the pages of the job's processes on this node

#include "watch.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include "base/message.hpp"
#include "base/text.hpp"
#include "where/jobs.hpp"

namespace where_tool {

namespace where = cairn::where;

Watch::~Watch() {
  if (turn_ >= 0) close(turn_);
}

std::string Watch::watch_file() const {
  return cairn::folder_of(recorder_.path()) + "/" + cairn::page::watch_name(recorder_.page()->job);
}

/// The lock goes with its process.
bool Watch::is_own_turn() {
  if (turn_ >= 0) return true;
  const cairn::page::PageHeader* const page = recorder_.page();
  const std::string path = recorder_.path();
  if (page == nullptr || path.empty()) return false;
  const int file = open(watch_file().c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (file < 0) return false;
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

/// Whether this process has done nothing for that long; only then is it worth reading the others' pages.
bool Watch::is_idle() const {
  const where::Process own = where::PageReader().read(recorder_.path(), 64);
  return where::look_at_job({&own}).last_event_s >= hang_s_;
}

/// A rank that computes, or waits for the file system, keeps others waiting in programs that are well; after ten times
/// the time it is worth a word. Of ranks on other nodes nothing is known: there must be a cause on this one.
bool Watch::is_to_tell(const where::Job& job, const where::Verdict& verdict) const {
  constexpr double patience = 10;
  if (verdict.state == where::State::stuck || verdict.state == where::State::died) return true;
  if (verdict.state != where::State::waiting) return false;
  return verdict.is_certain() || (job.unseen.empty() && job.last_event_s >= patience * hang_s_);
}

std::optional<Sight> Watch::look() try {
  if (!is_own_turn() || !is_idle()) return std::nullopt;
  std::vector<std::string> damaged;
  const cairn::page::PageHeader& own = *recorder_.page();
  const std::string name = *own.run != '\0' ? own.run : own.job;
  for (const where::JobPages& job : where::read_jobs(where::pages_in(cairn::folder_of(recorder_.path())), damaged)) {
    if (job.name != name) continue;
    std::vector<const where::Process*> processes;
    for (const where::Process& process : job.processes) processes.push_back(&process);
    const where::Job seen = where::look_at_job(processes);
    if (seen.last_event_s < hang_s_) return std::nullopt;
    where::Places places(symbols_);
    const where::Verdict verdict = where::judge(seen, places, hang_s_ / 2);
    if (!is_to_tell(seen, verdict)) return std::nullopt;
    be_done();
    return Sight{where::report_text(seen, verdict, places), where::report_json(seen, verdict, places)};
  }
  return std::nullopt;
} catch (const std::exception&) {  // a page that just goes away
  return std::nullopt;
}

}  // namespace where_tool
