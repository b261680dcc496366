// SPDX-License-Identifier: BSD-3-Clause
// result_file.hpp - files that are written completely or not at all, whatever happens to disk, limits and process; folders
#pragma once

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include "cairn/kit/held_signals.hpp"

namespace cairn {

/// Written as a nameless file if the system supports that, else as PATH.new, and renamed, replacing an older file, when
/// it is complete. A process that dies before leaves nothing. Anything but a regular file (a pipe) is written directly.
class ResultFile {
 public:
  explicit ResultFile(const std::string& path) : path_(path) {
    struct stat facts = {};
    if (lstat(path.c_str(), &facts) == 0 && !S_ISREG(facts.st_mode)) open_itself();
    else if (!open_nameless()) open_beside();
    if (file_ < 0) error_ = errno;
  }
  ~ResultFile() {
    if (file_ >= 0) close(file_);
    if (has_name_beside_) unlink(beside().c_str());
  }
  ResultFile(const ResultFile&) = delete;
  ResultFile& operator=(const ResultFile&) = delete;

  /// Appends text. After a failure nothing more is written.
  void add(std::string_view text) {
    const HeldSignals held;
    while (error_ == 0 && !text.empty()) {
      const ssize_t written = write(file_, text.data(), text.size());
      if (written > 0) text.remove_prefix(static_cast<std::size_t>(written));
      else if (errno != EINTR) error_ = errno;
    }
  }

  /// Completes the file and gives it its name. Returns false, with errno, if this or anything before has failed.
  bool keep() {
    if (error_ == 0 && is_nameless_ && !give_name()) error_ = errno;
    if (file_ >= 0 && close(file_) != 0 && error_ == 0) error_ = errno;
    file_ = -1;
    if (error_ == 0 && has_name_beside_ && !move()) error_ = errno;
    errno = error_;
    return error_ == 0;
  }

 private:
  static constexpr mode_t mode = 0666;
  static constexpr const char* own_files = "/proc/thread-self/fd/";  // not /proc/self: the first thread may have ended

  std::string beside() const { return path_ + ".new"; }
  std::string folder() const {
    const std::size_t slash = path_.rfind('/');
    return slash == std::string::npos ? "." : path_.substr(0, slash + 1);
  }

  void open_itself() { file_ = open(path_.c_str(), O_WRONLY | O_TRUNC | O_CLOEXEC); }
  bool open_nameless() {
    if (access(own_files, X_OK) != 0) return false;
    file_ = open(folder().c_str(), O_TMPFILE | O_WRONLY | O_CLOEXEC, mode);
    is_nameless_ = file_ >= 0;
    return is_nameless_;
  }
  void open_beside() {
    file_ = open(beside().c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, mode);
    has_name_beside_ = file_ >= 0;
  }
  bool link_as(const std::string& name) const {
    const std::string own = own_files + std::to_string(file_);
    return linkat(AT_FDCWD, own.c_str(), AT_FDCWD, name.c_str(), AT_SYMLINK_FOLLOW) == 0;
  }
  /// Its own; if another file has that name, briefly PATH.new, as the process may be killed.
  bool give_name() {
    if (link_as(path_)) return true;
    if (errno != EEXIST) return false;
    unlink(beside().c_str());
    has_name_beside_ = link_as(beside());
    return has_name_beside_ && move();
  }
  bool move() {
    has_name_beside_ = std::rename(beside().c_str(), path_.c_str()) != 0;
    return !has_name_beside_;
  }

  std::string path_;
  int file_ = -1;
  int error_ = 0;
  bool is_nameless_ = false;
  bool has_name_beside_ = false;
};

/// Writes a file anywhere. If that fails, returns false, with errno, and leaves an existing file as it was.
inline bool write_file(const std::string& path, std::string_view text) {
  ResultFile file(path);
  file.add(text);
  return file.keep();
}

/// Appends all of the text to a file that is open for that, or nothing: what had room is taken away again, unless somebody
/// else has appended since. Returns 0, or the error. Signals are held.
inline int append(int file, std::string_view text) {
  off_t added = 0;
  int error = 0;
  while (error == 0 && static_cast<std::size_t>(added) < text.size()) {
    const std::string_view rest = text.substr(static_cast<std::size_t>(added));
    const ssize_t written = write(file, rest.data(), rest.size());
    if (written > 0) added += written;
    else if (errno != EINTR) error = errno;
  }
  if (error == 0 || added == 0) return error;
  const off_t end = lseek(file, 0, SEEK_CUR);
  struct stat facts = {};
  const bool is_last = fstat(file, &facts) == 0 && facts.st_size == end;
  return is_last && ftruncate(file, end - added) != 0 ? errno : error;
}

/// Appends all of the text to a file, or nothing; returns false, with errno, if that fails.
inline bool add_to_file(const std::string& path, std::string_view text) {
  const HeldSignals held;
  const int file = open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
  if (file < 0) return false;
  int error = append(file, text);
  if (close(file) != 0 && error == 0) error = errno;
  errno = error;
  return error == 0;
}

/// Makes a folder in one that exists, if it is not there, and opens it to all that may write around it: a program may
/// become another user and leave its part there. It has its name when it is complete, and takes no other's place, not even
/// an empty one's: other ranks may be about to use that. Where the file system knows no such changes (NFS: of names;
/// FAT: of modes), it is as the system makes it. Returns false, with errno, if that fails.
inline bool make_result_folder(const std::string& path) {
  const auto is_there = [&path] {
    struct stat facts = {};
    return stat(path.c_str(), &facts) == 0 && S_ISDIR(facts.st_mode);
  };
  if (is_there()) return true;
  const std::size_t slash = path.rfind('/');
  const std::string around = slash == std::string::npos ? "." : path.substr(0, slash + 1);
  struct stat facts = {};
  std::string beside = path + ".XXXXXX";
  const bool is_beside = stat(around.c_str(), &facts) == 0 && mkdtemp(beside.data()) != nullptr;
  const mode_t mode = facts.st_mode & 07777U;
  if (is_beside && chmod(beside.c_str(), mode) == 0 &&
      renameat2(AT_FDCWD, beside.c_str(), AT_FDCWD, path.c_str(), RENAME_NOREPLACE) == 0)
    return true;
  const int error = errno;
  if (is_beside) rmdir(beside.c_str());
  const bool is_made = is_beside && mkdir(path.c_str(), 0777) == 0;
  if (is_made) chmod(path.c_str(), mode);
  const bool can_be_used = is_made || is_there();
  errno = !can_be_used && lstat(path.c_str(), &facts) == 0 ? ENOTDIR : error;
  return can_be_used;
}

}  // namespace cairn
