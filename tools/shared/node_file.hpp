// SPDX-License-Identifier: BSD-3-Clause
// node_file.hpp - a file in memory of the node, written through a mapping
//
// Everything that is written to is allocated first: on a full file system, a write to a mapped page that is not
// allocated would end the program.
#pragma once

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>

#include "base/file_room.hpp"
#include "base/job.hpp"

namespace shared {

/// A descriptor for as long as it takes: programs that use select(2) must not find theirs beyond its limit.
class NodeFile {
 public:
  NodeFile(const std::string& path, int flags) : number_(open(path.c_str(), flags | O_CLOEXEC | O_NOFOLLOW, 0600)) {}
  ~NodeFile() {
    if (number_ >= 0) close(number_);
  }
  NodeFile(const NodeFile&) = delete;
  NodeFile& operator=(const NodeFile&) = delete;
  int number() const { return number_; }

  /// 0, or the error: ENOSPC also beyond this rank's share.
  int allocate(std::size_t from, std::size_t size) const {
    return from + size > share() ? ENOSPC : cairn::allocate_room(number_, from, size);
  }
  void* map(std::size_t from, std::size_t size) const {
    void* const memory = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, number_, static_cast<off_t>(from));
    return memory == MAP_FAILED ? nullptr : memory;
  }

 private:
  /// MPI libraries end a program for which there is no room left in /dev/shm, and containers often have 64 MB there: all
  /// ranks of the node together take an eighth with each kind of file.
  std::size_t share() const {
    struct statvfs about {};
    if (fstatvfs(number_, &about) != 0 || about.f_blocks == 0) return SIZE_MAX;
    const long ranks = cairn::job_ranks_on_node();
    return about.f_blocks * about.f_frsize / 8 /
           static_cast<std::size_t>(ranks > 0 ? ranks : std::max(1L, sysconf(_SC_NPROCESSORS_ONLN)));
  }

  int number_;
};

}  // namespace shared
