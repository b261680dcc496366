// SPDX-License-Identifier: BSD-3-Clause
// standard_error.hpp - writing to the user's terminal from within a program that knows nothing of it.
//
// Header only and free of the C++ library: the preload library uses it too. Nothing here can end the program or reach
// one of its files: a reader that has gone away raises no signal, and a descriptor 2 that the program has given to
// another file is left alone.
#pragma once

#include <sys/stat.h>
#include <unistd.h>

#include <cstddef>

#include "cairn/kit/held_signals.hpp"

namespace cairn {

/// Which file descriptor 2 is, so that it can be told from a later one.
struct StandardError {
  bool known = false;
  dev_t device = 0;
  ino_t file = 0;

  static StandardError now() {
    struct stat facts {};
    if (fstat(STDERR_FILENO, &facts) != 0) return {};
    return {true, facts.st_dev, facts.st_ino};
  }
  bool is_still_there() const {
    const StandardError present = now();
    return !known || (present.known && present.device == device && present.file == file);
  }
};

/// Writes all of it, or as much as can be written.
inline void write_quietly(int descriptor, const char* text, std::size_t length) {
  const HeldSignals held;
  while (length > 0) {
    const ssize_t written = write(descriptor, text, length);
    if (written <= 0) break;
    text += written;
    length -= static_cast<std::size_t>(written);
  }
}

}  // namespace cairn
