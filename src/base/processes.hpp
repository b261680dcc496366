// SPDX-License-Identifier: BSD-3-Clause
// processes.hpp - what the system tells of processes, boots and folders: whose something is that processes leave behind
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace cairn {

/// Of a process or a thread, from proc(5).
struct TaskFacts {
  char state = '?';         // R running, S sleeping, D in the system, T stopped, Z ended; '?': there is none
  std::uint64_t start = 0;  // in the kernel's clock; 0: there is none
  std::uint64_t used = 0;  // processor time, in the kernel's clock; of the process that asks: of its first thread alone
  std::string name;        // of its program, cut by the system
  int parent = 0;          // process that has started it, or has taken it over
  bool is_ending = false;  // it runs no code of its program's any more

  bool has_ended() const { return state == '?' || state == 'Z' || state == 'X'; }
};

/// `task`: "PID", "PID/task/TID" or "self". Numbers are used again, but not with the same start.
TaskFacts facts_of_task(const std::string& task);

/// For how long it has been ready to run while it got no processor; 0 where the system does not tell.
double run_delay_s(const std::string& task);

/// Of the process: it has not ended when its first thread alone has.
TaskFacts facts_of_process(int process);

/// Whether none of its threads goes on: it has begun to end, or has ended. False also while it only becomes another program.
bool is_ending(int process);

/// The file of its program; "" if it has ended, or is another user's.
std::string program_of(int process);

/// What its threads have started and what has not ended, or waits for it.
std::vector<int> children_of(int process);

/// Of another process of this user's, as its program found it.
class EnvironmentOf {
 public:
  explicit EnvironmentOf(int process);

  /// False: the system does not tell it, or the program has written over it.
  bool is_known() const { return is_known_; }
  /// "" if there is none.
  std::string value(std::string_view name) const;
  /// Of the first that is a number; -1: none.
  long number(std::span<const char* const> names) const;

 private:
  std::string text_;
  bool is_known_;
};

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
