// SPDX-License-Identifier: BSD-3-Clause
// module_copy.cc - private copies as anonymous files in memory.

#include "loader/module_copy.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "base/message.hpp"

namespace cairn {

namespace {

/// The dynamic loader takes two equal paths for the same library, and descriptor numbers return; so each copy's path
/// spells the copy's number in redundant steps, "/." for a one and "/" for a zero, which the kernel ignores.
std::string never_used_path(int fd) {
  static unsigned copies = 0;
  std::string path = "/proc/self/fd";
  for (unsigned number = ++copies; number != 0; number >>= 1U) path += (number & 1U) != 0 ? "/." : "/";
  return path + "/" + std::to_string(fd);
}

void write_all(int fd, std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t written = write(fd, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) throw Problem(std::string("no memory for a private copy: ") + std::strerror(errno));
    bytes = bytes.subspan(static_cast<std::size_t>(written));
  }
}

}  // namespace

ModuleCopy::ModuleCopy(const ElfFile& image, const std::string& name)
    : fd_(memfd_create(name.substr(0, 200).c_str(), MFD_CLOEXEC)) {
  if (fd_ < 0) throw Problem(std::string("no private copy can be made: memfd_create: ") + std::strerror(errno));
  path_ = never_used_path(fd_);
  try {
    write_all(fd_, image.loadable_bytes());
  } catch (...) {
    close(fd_);
    throw;
  }
}

ModuleCopy::~ModuleCopy() { close(fd_); }

std::string unique_library_name(std::size_t length) {
  static unsigned names = 0;
  const std::string number = std::to_string(++names);
  if (length < number.size() + 1) throw Problem("its helper library's name is too short for a private copy");
  return "#" + std::string(length - 1 - number.size(), '0') + number;
}

}  // namespace cairn
