// SPDX-License-Identifier: BSD-3-Clause
// private_files.cc - where they lie, and how they come away.
//
// SOME_FOLDER/cairn-UID/BOOT-NAMESPACE-PID-START holds the files of one process. The name tells when that process has
// ended: boots have ids, processes of one boot and namespace have numbers, and those that used the same number one
// after the other started at different times.

#include "loader/private_files.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "base/text.hpp"

namespace cairn {

namespace {

namespace fs = std::filesystem;

struct File {
  std::string path;
  const File* next;
};

// None of it is ever destroyed: the files are removed at the very end, or in a signal handler.
const std::string* folder = nullptr;  // "" where there is none
pid_t owner = 0;                      // a child of fork has all of this in memory too
std::atomic<const File*> files{nullptr};

std::string first_line(const std::string& path) {
  std::ifstream in(path);
  std::string line;
  std::getline(in, line);
  return line;
}

/// When the process started, in the system's ticks; empty if there is none of this number.
std::string start_of(const std::string& pid) {
  const std::string facts = first_line("/proc/" + pid + "/stat");
  const auto behind_name = facts.rfind(") ");
  if (behind_name == std::string::npos) return {};
  const auto fields = split(std::string_view(facts).substr(behind_name + 2), ' ');
  constexpr std::size_t start_time = 22 - 3;  // counted by proc(5) from 1, these from the third
  return fields.size() > start_time ? std::string(fields[start_time]) : "";
}

/// What the names of all processes have in common that this one can see.
std::string beginning_of_names() {
  std::error_code error;
  const std::string boot = first_line("/proc/sys/kernel/random/boot_id").substr(0, 8);
  const std::string space = fs::read_symlink("/proc/self/ns/pid", error).string();  // "pid:[4026531836]"
  const auto number = space.find('[');
  return number == std::string::npos ? "" : boot + "-" + space.substr(number + 1, space.size() - number - 2) + "-";
}

bool is_private(const std::string& path) {
  struct stat facts {};
  return lstat(path.c_str(), &facts) == 0 && S_ISDIR(facts.st_mode) && facts.st_uid == geteuid() &&
         (facts.st_mode & 077) == 0;
}

/// Whether the system maps code from files there.
bool runs_code(const std::string& path) {
  const std::string file = path + "/x";
  const int probe = open(file.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (probe < 0) return false;
  void* const page = mmap(nullptr, 1, PROT_READ | PROT_EXEC, MAP_PRIVATE, probe, 0);
  close(probe);
  unlink(file.c_str());
  return page != MAP_FAILED && munmap(page, 1) == 0;
}

void remove_left_behind(const std::string& all, const std::string& beginning) {
  std::error_code error;
  for (fs::directory_iterator place(all, error), end; !error && place != end; place.increment(error)) {
    const std::string name = place->path().filename().string();
    if (!name.starts_with(beginning)) continue;
    const auto parts = split(std::string_view(name).substr(beginning.size()), '-');
    std::error_code unremoved;
    if (parts.size() == 2 && start_of(std::string(parts[0])) != parts[1]) fs::remove_all(place->path(), unremoved);
  }
}

std::string make_folder_in(const std::string& place) {
  if (!place.starts_with('/')) return {};
  const std::string beginning = beginning_of_names();
  const std::string pid = std::to_string(getpid());
  const std::string start = start_of(pid);
  if (beginning.empty() || start.empty()) return {};
  const std::string all = place + "/cairn-" + std::to_string(geteuid());
  mkdir(all.c_str(), 0700);
  if (!is_private(all)) return {};
  remove_left_behind(all, beginning);
  std::string own = all + "/" + beginning + pid + "-" + start;
  std::error_code error;
  fs::remove_all(own, error);  // of the program that this process was before an exec
  if (mkdir(own.c_str(), 0700) != 0) return {};
  if (runs_code(own)) return own;
  rmdir(own.c_str());
  return {};
}

/// Not in /dev/shm, which is small in containers and needed by MPI libraries.
std::string make_folder() {
  const char* const temporary = std::getenv("TMPDIR");
  std::string path;
  if (temporary != nullptr) path = make_folder_in(temporary);
  return path.empty() ? make_folder_in("/tmp") : path;
}

__attribute__((destructor)) void remove_at_end() { remove_private_files(); }

}  // namespace

std::string new_private_file(const std::string& name) {
  if (folder == nullptr) {
    folder = new std::string(make_folder());
    owner = getpid();
  }
  if (folder->empty()) return {};
  static unsigned count = 0;
  auto* const file = new File{*folder + "/" + std::to_string(++count) + "-" + name, files.load()};
  files.store(file, std::memory_order_release);
  return file->path;
}

void remove_private_files() {
  if (folder == nullptr || folder->empty() || owner != getpid()) return;
  for (const File* file = files.load(std::memory_order_acquire); file != nullptr; file = file->next)
    unlink(file->path.c_str());
  rmdir(folder->c_str());
}

}  // namespace cairn
