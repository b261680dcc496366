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

#include "base/processes.hpp"
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

/// Empty if there is none of this number.
std::string start_of(const std::string& pid) {
  const std::uint64_t start = facts_of_task(pid).start;
  return start == 0 ? "" : std::to_string(start);
}

/// What the names of all processes have in common that this one can see.
std::string beginning_of_names() {
  const std::uint64_t space = space_of_process_numbers();
  return space == 0 ? "" : boot_id().substr(0, 8) + "-" + std::to_string(space) + "-";
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
  if (!is_private_folder(all)) return {};
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
