// SPDX-License-Identifier: BSD-3-Clause
// module_copy.cc - private copies as files, and where there is no folder for them as files in memory.

#include "loader/module_copy.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "base/message.hpp"
#include "base/own_files.hpp"
#include "cairn/kit/held_signals.hpp"
#include "loader/private_files.hpp"

namespace cairn {

namespace {

/// The dynamic loader takes two equal paths for the same library, and descriptor numbers return; so each copy's path
/// spells the copy's number in redundant steps, "/." for a one and "/" for a zero, which the kernel ignores.
std::string never_used_path(int fd) {
  static unsigned copies = 0;
  std::string path = own_file("fd");
  for (unsigned number = ++copies; number != 0; number >>= 1U) path += (number & 1U) != 0 ? "/." : "/";
  return path + "/" + std::to_string(fd);
}

/// False with errno set. A file beyond the size that the user allows (ulimit -f) would raise a signal.
bool write_all(int fd, std::span<const std::byte> bytes) {
  const HeldSignals held;
  while (!bytes.empty()) {
    const ssize_t written = write(fd, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    bytes = bytes.subspan(static_cast<std::size_t>(written));
  }
  return true;
}

}  // namespace

ModuleCopy::ModuleCopy(ElfFile& image, const std::string& name) {
  const std::string short_name = name.substr(0, 200);
  if (!write_file(image, short_name)) write_memory(image, short_name);
}

/// Tools that read their own file, symbols and all, find it by this path as long as the process lives.
bool ModuleCopy::write_file(const ElfFile& image, const std::string& name) {
  path_ = new_private_file(name);
  const int file = path_.empty() ? -1 : open(path_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (file < 0) return false;
  const bool written = write_all(file, image.bytes());
  close(file);
  if (!written) unlink(path_.c_str());
  return written;
}

void ModuleCopy::write_memory(ElfFile& image, const std::string& name) {
  image.drop_sections();
  fd_ = memfd_create(name.c_str(), MFD_CLOEXEC);
  if (fd_ < 0) throw Problem(std::string("no private copy can be made: memfd_create: ") + std::strerror(errno));
  path_ = never_used_path(fd_);
  if (write_all(fd_, image.loadable_bytes())) return;
  const int error = errno;
  close(fd_);
  throw Problem(std::string("no memory for a private copy: ") + std::strerror(error));
}

ModuleCopy::~ModuleCopy() {
  if (fd_ >= 0) close(fd_);
}

std::string unique_library_name(std::size_t length) {
  static unsigned names = 0;
  const std::string number = std::to_string(++names);
  if (length < number.size() + 1) throw Problem("its helper library's name is too short for a private copy");
  return "#" + std::string(length - 1 - number.size(), '0') + number;
}

}  // namespace cairn
