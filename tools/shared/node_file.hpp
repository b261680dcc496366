// SPDX-License-Identifier: BSD-3-Clause
// node_file.hpp - a file in memory of the node, written through a mapping
//
// Everything that is written to is allocated first: on a full file system, a write to a mapped page that is not
// allocated would end the program.
#pragma once

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <string>

#include "cairn/kit/held_signals.hpp"

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

  /// 0, or the error. File systems that allocate by writing raise SIGXFSZ at a size limit.
  int allocate(std::size_t from, std::size_t size) const {
    const cairn::HeldSignals held;
    int error = EINTR;  // as timers of the program may have it
    while (error == EINTR) error = posix_fallocate(number_, static_cast<off_t>(from), static_cast<off_t>(size));
    return error;
  }
  void* map(std::size_t from, std::size_t size) const {
    void* const memory = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, number_, static_cast<off_t>(from));
    return memory == MAP_FAILED ? nullptr : memory;
  }

 private:
  int number_;
};

}  // namespace shared
