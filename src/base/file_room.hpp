// SPDX-License-Identifier: BSD-3-Clause
// file_room.hpp - room in a file that is written through a mapping
#pragma once

#include <errno.h>
#include <fcntl.h>

#include <cstddef>

#include "cairn/kit/held_signals.hpp"

namespace cairn {

/// 0, or the error. Without room, a write to what is mapped would end the program. File systems that allocate by writing raise
/// SIGXFSZ at a size limit.
inline int allocate_room(int file, std::size_t from, std::size_t size) {
  const HeldSignals held;
  int error = EINTR;  // as timers of the program may have it
  while (error == EINTR) error = posix_fallocate(file, static_cast<off_t>(from), static_cast<off_t>(size));
  return error;
}

}  // namespace cairn
