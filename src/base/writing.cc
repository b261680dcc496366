// SPDX-License-Identifier: BSD-3-Clause
// writing.cc - asking the system about a folder for results, and words for its answers

#include "base/writing.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <system_error>

namespace cairn {

int why_not_writable(const std::string& folder) {
  std::filesystem::path path = std::filesystem::path(folder).lexically_normal();
  if (!path.has_filename()) path = path.parent_path();  // "results/"
  struct stat facts = {};
  while (stat(path.c_str(), &facts) != 0) {
    if (errno != ENOENT || !path.has_parent_path() || path == path.parent_path()) return errno;
    path = path.parent_path();
  }
  if (!S_ISDIR(facts.st_mode)) return ENOTDIR;
  return access(path.c_str(), W_OK | X_OK) == 0 ? 0 : errno;
}

std::string not_writable(const std::string& folder, int error) {
  return "results cannot be written to '" + folder + "': " + std::generic_category().message(error);
}

namespace {

std::string remedy(int error, const char* for_a_full_disk, const char* otherwise) {
  switch (error) {
    case ENOSPC:
    case EDQUOT:
      return for_a_full_disk;
    case EFBIG:
      return "a higher limit of file sizes (ulimit -f)";
    case EMFILE:
      return "a higher limit of open files (ulimit -n)";
    case ENFILE:
      return "again when fewer files are open on this host";
    default:
      return otherwise;
  }
}

}  // namespace

std::string remedy_for_writing(int error) {
  return remedy(error, "--out DIR on a disk with space left", "--out DIR with a folder that can be written");
}

std::string remedy_for_file(int error) {
  return remedy(error, "a folder on a disk with space left", "a folder in which you may create files");
}

}  // namespace cairn
