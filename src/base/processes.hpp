// SPDX-License-Identifier: BSD-3-Clause
// processes.hpp - what the system tells of processes, boots and folders: whose something is that processes leave behind
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace cairn {

/// Of a process or a thread, from proc(5).
struct TaskFacts {
  char state = '?';         // R running, S sleeping, D in the system, T stopped, Z ended; '?': there is none
  std::uint64_t start = 0;  // in the kernel's clock; 0: there is none

  bool has_ended() const { return state == '?' || state == 'Z' || state == 'X'; }
};

/// `task`: "PID", "PID/task/TID" or "self". Numbers are used again, but not with the same start.
TaskFacts facts_of_task(const std::string& task);

/// Differs from boot to boot.
std::string boot_id();

/// In which numbers of processes mean the same; 0: unknown.
std::uint64_t space_of_process_numbers();

inline constexpr int most_processors = 8192;

/// On which this process, or at least its first thread, may run, ascending; none if the system does not tell.
std::vector<int> own_processors();

/// Whether it is a folder of this user's that nobody else can open.
bool is_private_folder(const std::string& path);

}  // namespace cairn
