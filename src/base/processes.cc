// SPDX-License-Identifier: BSD-3-Clause
// processes.cc - reading /proc

#include "base/processes.hpp"

#include <sched.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <system_error>

#include "base/file_bytes.hpp"
#include "base/own_files.hpp"
#include "base/text.hpp"

namespace cairn {

namespace {

/// Emulators of other processors (qemu-user) make up the file of the process that asks, with a start that may be later by a
/// tick, but not that of its first thread, which began when it did.
std::string stat_file(const std::string& task) {
  const std::string own = std::to_string(getpid());
  return "/proc/" + (task == "self" || task == own ? "self/task/" + own : task) + "/stat";
}

}  // namespace

/// The name, which may hold anything, stands in brackets before the state, then the parent; flags are field 9, the
/// processor's times 14 and 15, the start is field 22.
TaskFacts facts_of_task(const std::string& task) {
  const std::string all = whole_file(stat_file(task)).value_or("");
  TaskFacts facts;
  const std::size_t end_of_name = all.rfind(')');
  if (end_of_name == std::string::npos) return facts;
  if (const std::size_t begin = all.find('('); begin < end_of_name)
    facts.name = all.substr(begin + 1, end_of_name - begin - 1);
  std::istringstream fields(all.substr(end_of_name + 1));
  constexpr int fields_before_flags = 4;
  constexpr int fields_after_flags = 4;
  constexpr int fields_after_times = 6;
  constexpr unsigned long exiting = 4;  // PF_EXITING of the kernel's
  std::string skipped;
  unsigned long flags = 0;
  fields >> facts.state >> facts.parent;
  for (int i = 0; i < fields_before_flags; ++i) fields >> skipped;
  fields >> flags;
  for (int i = 0; i < fields_after_flags; ++i) fields >> skipped;
  std::uint64_t in_program = 0;
  std::uint64_t in_system = 0;
  fields >> in_program >> in_system;
  facts.used = in_program + in_system;
  for (int i = 0; i < fields_after_times; ++i) fields >> skipped;
  fields >> facts.start;
  facts.is_ending = facts.has_ended() || (flags & exiting) != 0;
  return facts;
}

double run_delay_s(const std::string& task) {
  std::istringstream fields(whole_file("/proc/" + task + "/schedstat").value_or(""));
  std::uint64_t on_processor_ns = 0;
  std::uint64_t delay_ns = 0;
  fields >> on_processor_ns >> delay_ns;
  return 1e-9 * static_cast<double>(delay_ns);
}

namespace {

/// Where one thread ends all others, they have SIGKILL pending.
bool will_be_killed(const std::string& task) {
  constexpr std::string_view key = "SigPnd:";
  const std::string all = whole_file("/proc/" + task + "/status").value_or("");
  const std::size_t at = all.find(key);
  if (at == std::string::npos) return true;  // it has gone
  return (std::strtoull(all.c_str() + at + key.size(), nullptr, 16) >> (SIGKILL - 1) & 1U) != 0;
}

}  // namespace

TaskFacts facts_of_process(int process) {
  TaskFacts facts = facts_of_task(std::to_string(process));
  if (facts.state == 'Z' && !is_ending(process)) {
    facts.state = 'S';
    facts.is_ending = false;
  }
  return facts;
}

bool is_ending(int process) {
  const std::string name = std::to_string(process);
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/" + name + "/task", error)) {
    const std::string task = name + "/task/" + entry.path().filename().string();
    if (!facts_of_task(task).is_ending && !will_be_killed(task)) return false;
  }
  return true;
}

std::string program_of(int process) {
  std::error_code error;
  return std::filesystem::read_symlink("/proc/" + std::to_string(process) + "/exe", error).string();
}

std::vector<int> children_of(int process) {
  std::vector<int> children;
  std::error_code error;
  for (const auto& task : std::filesystem::directory_iterator("/proc/" + std::to_string(process) + "/task", error)) {
    std::istringstream numbers(whole_file(task.path().string() + "/children").value_or(""));
    for (int child = 0; numbers >> child;) children.push_back(child);
  }
  return children;
}

EnvironmentOf::EnvironmentOf(int process)
    : text_(whole_file("/proc/" + std::to_string(process) + "/environ").value_or("")),
      is_known_(text_.find('=') != std::string::npos) {}

std::string EnvironmentOf::value(std::string_view name) const {
  for (const std::string_view entry : split(text_, '\0'))
    if (entry.size() > name.size() && entry.starts_with(name) && entry[name.size()] == '=')
      return std::string(entry.substr(name.size() + 1));
  return "";
}

long EnvironmentOf::number(std::span<const char* const> names) const {
  for (const char* const name : names)
    if (const std::string text = value(name); !text.empty() && text.front() >= '0' && text.front() <= '9')
      return std::strtol(text.c_str(), nullptr, 10);
  return -1;
}

std::string boot_id() {
  std::string line;
  std::ifstream in("/proc/sys/kernel/random/boot_id");
  std::getline(in, line);
  return line;
}

std::uint64_t space_of_process_numbers() {
  struct stat about {};
  return stat(own_file("ns/pid").c_str(), &about) == 0 ? about.st_ino : 0;
}

bool is_private_folder(const std::string& path) {
  struct stat about {};
  return lstat(path.c_str(), &about) == 0 && S_ISDIR(about.st_mode) && about.st_uid == geteuid() &&
         (about.st_mode & 077U) == 0;
}

std::vector<int> own_processors() {
  std::vector<cpu_set_t> set(most_processors / (8 * sizeof(cpu_set_t)));
  const std::size_t size = set.size() * sizeof(cpu_set_t);
  std::vector<int> all;
  if (sched_getaffinity(getpid(), size, set.data()) != 0) return all;
  for (int i = 0; i < most_processors; ++i)
    if (CPU_ISSET_S(static_cast<std::size_t>(i), size, set.data())) all.push_back(i);
  return all;
}

}  // namespace cairn
