// SPDX-License-Identifier: BSD-3-Clause
// threads.cc - what the system tells of a process's threads

#include "where/threads.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <system_error>

namespace cairn::where {

namespace {

std::string task_of(const Process& process, int thread) {
  return std::to_string(process.pid) + "/task/" + std::to_string(thread);
}

}  // namespace

std::vector<OtherThread> other_threads(const Process& process) {
  std::vector<OtherThread> others;
  if (!process.is_alive || !process.is_here) return others;
  std::error_code error;
  std::filesystem::directory_iterator entry("/proc/" + std::to_string(process.pid) + "/task", error);
  for (; !error && entry != std::filesystem::directory_iterator(); entry.increment(error)) {
    const int id = std::atoi(entry->path().filename().c_str());
    const auto is_it = [id](const Thread& one) { return one.in_use && one.id == id; };
    if (id == gettid() || std::ranges::any_of(process.threads, is_it)) continue;
    const TaskFacts facts = facts_of_task(task_of(process, id));
    if (facts.has_ended() || facts.name.starts_with("cairn-")) continue;
    others.push_back({id, facts.state == 'R' || facts.state == 'D', facts.used});
  }
  return others;
}

bool runs_beside(const Process& process) { return std::ranges::any_of(other_threads(process), &OtherThread::runs); }

void ProcessorTimes::look(const Process& process, double now_s) {
  if (!process.is_alive || !process.is_here) return;  // what has its number here is another one
  const auto [place, is_new] = known_.try_emplace(process.pid);
  OfProcess& known = place->second;
  if (is_new) {
    known.since_s = now_s;
    for (const Thread& thread : process.threads)
      if (thread.in_use) known.delays.emplace(thread.id, run_delay_s(task_of(process, thread.id)));
  }
  for (const OtherThread& thread : other_threads(process)) {
    const auto [one, is_first] = known.threads.try_emplace(thread.id, Known{thread.used, known.since_s});
    if (is_first ? !is_new : one->second.used != thread.used) one->second = {thread.used, now_s};
  }
}

std::optional<bool> ProcessorTimes::has_worked(const Process& process, double now_s, double within_s) const {
  if (!process.is_alive || !process.is_here) return false;
  const auto place = known_.find(process.pid);
  if (place == known_.end() || now_s - place->second.since_s < within_s) return std::nullopt;
  return std::ranges::any_of(place->second.threads,
                             [&](const auto& one) { return now_s - one.second.since_s < within_s; });
}

double ProcessorTimes::delayed_s(const Process& process) const {
  if (!process.is_alive || !process.is_here) return 0;
  const auto place = known_.find(process.pid);
  double longest = 0;
  if (place == known_.end()) return longest;
  for (const auto& [thread, before] : place->second.delays)
    longest = std::max(longest, run_delay_s(task_of(process, thread)) - before);
  return longest;
}

}  // namespace cairn::where
