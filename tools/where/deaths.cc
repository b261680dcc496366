// SPDX-License-Identifier: BSD-3-Clause
// deaths.cc - one thread that sleeps on a word of each other process

#include "deaths.hpp"

#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <climits>
#include <exception>
#include <string>

#include "base/job.hpp"
#include "base/processes.hpp"
#include "base/text.hpp"
#include "cairn/kit/quiet_thread.hpp"
#include "where/jobs.hpp"

namespace where_tool {

namespace where = cairn::where;
namespace page = cairn::page;

namespace {

constexpr std::size_t most_others = 1024;
constexpr unsigned most_looks = 100000;       // a system that never waits must not keep the processor
constexpr std::size_t most_waited_for = 127;  // with the word of this process

page::PageHeader* mapped(const std::string& path) {
  const int file = open(path.c_str(), O_RDWR | O_CLOEXEC);
  if (file < 0) return nullptr;
  void* const there = mmap(nullptr, sizeof(page::PageHeader), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  close(file);
  return there == MAP_FAILED ? nullptr : static_cast<page::PageHeader*>(there);
}

futex_waitv entry(const std::uint32_t& word, std::uint32_t value, std::uint32_t flags) {
  futex_waitv made{};
  made.val = value;
  made.uaddr = reinterpret_cast<std::uintptr_t>(&word);
  made.flags = flags;
  return made;
}

}  // namespace

void Deaths::look_for_others() {
  const std::string job = recorder_.page()->job;
  std::vector<std::string> damaged;
  for (const where::JobPages& one : where::read_jobs(where::pages_in(cairn::folder_of(recorder_.path())), damaged, 0))
    for (const where::Process& process : one.processes)
      if (process.job == job && process.is_alive && process.pid != getpid() && others_.size() < most_others)
        if (page::PageHeader* const there = mapped(process.path); there != nullptr) others_.push_back(there);
}

void Deaths::begin() try {
  const long local = cairn::job_rank_on_node();
  if (local < 0 || local > 1 || recorder_.page() == nullptr || *recorder_.path() == '\0' || runs_) return;
  witness_ = static_cast<std::size_t>(local);
  look_for_others();
  runs_ = !others_.empty() && cairn::start_quiet_thread(thread_, &run, this);
} catch (const std::exception&) {  // no memory, or a page that just goes away
}

void Deaths::end() {
  if (!runs_) return;
  is_over_.store(1);
  syscall(SYS_futex, &is_over_, FUTEX_WAKE_PRIVATE, INT_MAX, nullptr, nullptr, 0);
  pthread_join(thread_, nullptr);
  runs_ = false;
}

void* Deaths::run(void* self) {
  try {
    static_cast<Deaths*>(self)->wait();
  } catch (const std::exception&) {  // no memory: nothing is seen
  }
  return nullptr;
}

void Deaths::wait() {
  std::vector<std::int32_t> first;
  while (first.empty()) {
    if (!sleep()) return;
    first = dead();
  }
  recorder_.tell_deaths(first.data(), static_cast<std::uint32_t>(first.size()), watched_);
}

/// Until one of the words has changed, or something else has happened. False if nobody needs to look any more.
bool Deaths::sleep() {
  std::vector<futex_waitv> words;
  words.push_back(entry(reinterpret_cast<const std::uint32_t&>(is_over_), 0, FUTEX_32 | FUTEX_PRIVATE_FLAG));
  for (Page* const other : others_) {
    std::uint32_t& life = life_of(*other);
    std::uint32_t value = __atomic_load_n(&life, __ATOMIC_RELAXED);
    while (
        (value & FUTEX_TID_MASK) != 0 && (value & FUTEX_WAITERS) == 0 &&
        !__atomic_compare_exchange_n(&life, &value, value | FUTEX_WAITERS, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
    }
    const bool is_held = (value & FUTEX_TID_MASK) != 0 && (value & FUTEX_OWNER_DIED) == 0;
    if (is_held && words.size() <= most_waited_for) words.push_back(entry(life, value | FUTEX_WAITERS, FUTEX_32));
  }
  if (words.size() == 1 || is_over_.load() != 0 || ++looks_ == most_looks) return false;
  const long woken = syscall(SYS_futex_waitv, words.data(), words.size(), 0, nullptr, 0);
  return is_over_.load() == 0 && (woken >= 0 || errno == EAGAIN || errno == EINTR);
}

/// Those that have begun to end, without having finalized MPI. One whose first thread alone has ended, or which has become
/// another program, cannot be watched any more.
std::vector<std::int32_t> Deaths::dead() {
  std::vector<std::int32_t> dead;
  watched_ = 0;
  std::erase_if(others_, [&](Page* other) {
    const std::uint32_t life = __atomic_load_n(&life_of(*other), __ATOMIC_ACQUIRE);
    const bool has_died = (life & FUTEX_OWNER_DIED) != 0;
    if (has_died && other->phase.load(std::memory_order_acquire) != page::Phase::finalized) {
      if (!cairn::is_ending(other->pid)) return true;
      dead.push_back(other->pid);
    }
    if (life != 0) ++watched_;
    return false;
  });
  return dead;
}

}  // namespace where_tool
