// SPDX-License-Identifier: BSD-3-Clause
// processes.cc - reading /proc

#include "base/processes.hpp"

#include <sched.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>
#include <sstream>

#include "base/file_bytes.hpp"

namespace cairn {

/// The name, which may hold anything, stands in brackets before the state; the start is field 22.
TaskFacts facts_of_task(const std::string& task) {
  const std::string all = whole_file("/proc/" + task + "/stat").value_or("");
  TaskFacts facts;
  const std::size_t end_of_name = all.rfind(')');
  if (end_of_name == std::string::npos) return facts;
  std::istringstream fields(all.substr(end_of_name + 1));
  constexpr int fields_between = 18;
  std::string skipped;
  fields >> facts.state;
  for (int i = 0; i < fields_between; ++i) fields >> skipped;
  fields >> facts.start;
  return facts;
}

std::string boot_id() {
  std::string line;
  std::ifstream in("/proc/sys/kernel/random/boot_id");
  std::getline(in, line);
  return line;
}

std::uint64_t space_of_process_numbers() {
  struct stat about {};
  return stat("/proc/self/ns/pid", &about) == 0 ? about.st_ino : 0;
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
