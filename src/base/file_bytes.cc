// SPDX-License-Identifier: BSD-3-Clause
// file_bytes.cc - reading files

#include "base/file_bytes.hpp"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>

#include "base/message.hpp"

namespace cairn {

std::optional<std::string> whole_file(const std::string& path) {
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return std::nullopt;
  constexpr std::size_t step = 65536;
  std::string text;
  ssize_t got = 0;
  do {
    const std::size_t before = text.size();
    text.resize(before + step);
    got = read(file, text.data() + before, step);
    text.resize(before + static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
  } while (got > 0 || (got < 0 && errno == EINTR));
  const int error = errno;
  close(file);
  errno = error;
  return got < 0 ? std::nullopt : std::optional(std::move(text));
}

FileBytes::FileBytes(const std::string& path) : file_(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)) {
  if (file_ < 0) throw Problem("'" + path + "' cannot be read: " + std::strerror(errno));
  struct stat about {};
  if (fstat(file_, &about) == 0 && S_ISREG(about.st_mode)) of_file_ = static_cast<std::uint64_t>(about.st_size);
  size_ = of_file_;
}

void FileBytes::append(const std::string& bytes) {
  held_ += bytes;
  size_ = of_file_ + held_.size();
}

FileBytes::~FileBytes() {
  if (file_ >= 0) close(file_);
}

std::size_t FileBytes::read(std::uint64_t at, void* to, std::size_t bytes) const {
  auto* const room = static_cast<char*>(to);
  std::size_t done = 0;
  if (at < of_file_) {
    const std::size_t wanted = std::min<std::uint64_t>(bytes, of_file_ - at);
    done = static_cast<std::size_t>(std::max<ssize_t>(pread(file_, room, wanted, static_cast<off_t>(at)), 0));
    if (done != wanted) return done;
  }
  if (done < bytes && at + done < size_) done += held_.copy(room + done, bytes - done, at + done - of_file_);
  return done;
}

}  // namespace cairn
