// SPDX-License-Identifier: BSD-3-Clause
// latecomers.cc - the processes below the launcher, by what this user may read of them
//
// Blame must be right: a rank is late only if its process cannot be in MPI_Init without a page, and has gone only if
// every process below the launcher is known to be another rank's.

#include "where/latecomers.hpp"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <system_error>

#include "base/file_bytes.hpp"
#include "base/job.hpp"
#include "base/launched.hpp"

namespace cairn::where {

namespace {

const char* rank_variable_of(const EnvironmentOf& environment) {
  for (const char* const name : rank_variables)
    if (!environment.value(name).empty()) return name;
  return nullptr;
}

using Parents = std::map<int, int>;

Parents living_processes() {
  Parents parents;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator("/proc", error)) {
    const int pid = std::atoi(entry.path().filename().c_str());
    if (pid <= 0) continue;
    if (const TaskFacts facts = facts_of_process(pid); !facts.has_ended()) parents[pid] = facts.parent;
  }
  return parents;
}

/// The child of `ancestor` that the process descends from, or is; 0: none.
int child_above(int pid, int ancestor, const Parents& parents) {
  for (auto at = parents.find(pid); at != parents.end(); at = parents.find(at->second))
    if (at->second == ancestor) return at->first;
  return 0;
}

/// Whether it cannot be in MPI_Init unseen: it has no MPI yet, or has Cairn, and then a page from MPI_Init's begin on.
bool is_before_start(int pid) {
  const std::string objects = whole_file("/proc/" + std::to_string(pid) + "/maps").value_or("");
  if (objects.empty()) return false;
  return objects.find("/libcairn") != std::string::npos || objects.find("/libmpi") == std::string::npos;
}

/// What is below the launcher, by rank.
struct Below {
  std::map<int, std::vector<int>> processes;
  std::map<int, int> top;    // of these the launcher's own child
  bool has_unknown = false;  // some process, whose rank is not known
};

Below find_below(int launcher, const Parents& parents) {
  Below below;
  for (const auto& [pid, parent] : parents) {
    const int child = child_above(pid, launcher, parents);
    if (child == 0) continue;
    const EnvironmentOf environment(pid);
    const auto rank = static_cast<int>(environment.is_known() ? environment.number(rank_variables) : -1);
    if (rank < 0) below.has_unknown = true;
    below.processes[rank].push_back(pid);
    below.top[rank] = child;
  }
  return below;
}

}  // namespace

Latecomers find_latecomers(const Process& known, const std::vector<int>& ranks) {
  Latecomers found;
  if (!known.is_here || !known.is_alive || known.pid <= 0) return found;
  const EnvironmentOf its(known.pid);
  const char* const variable = rank_variable_of(its);
  if (variable == nullptr) return found;
  const long size = its.number(size_variables);
  const bool whole_job_is_here = size > 0 && its.number(ranks_on_node_variables) == size;
  const Below below = find_below(launcher_of(known.pid, variable), living_processes());
  for (const int rank : ranks) {
    const auto here = below.processes.find(rank);
    if (here == below.processes.end()) {
      if (whole_job_is_here && !below.has_unknown && !below.processes.empty()) found.gone.push_back(rank);
    } else if (std::ranges::all_of(here->second, is_before_start)) {
      const int top = below.top.at(rank);
      const TaskFacts facts = facts_of_task(std::to_string(top));
      found.late.push_back({rank, top, facts.state, facts.name});
    }
  }
  return found;
}

}  // namespace cairn::where
