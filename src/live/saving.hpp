// SPDX-License-Identifier: BSD-3-Clause
// saving.hpp - keeping what is seen of a job in a file, to be played again (docs/live.md#recording-a-job)
//
// A look is one line, written by one system call: whenever the collector is killed, all but the last line are whole.
#pragma once

#include <cstdint>
#include <string>

#include "live/watched.hpp"

namespace cairn::live {

/// No file that is played is larger.
inline constexpr std::uint64_t most_bytes_of_recording = 256U << 20U;

class Saving {
 public:
  /// A new file. Throws Problem if it cannot be made.
  Saving(const std::string& path, double interval_s, std::uint64_t most_bytes = most_bytes_of_recording);
  ~Saving();
  Saving(const Saving&) = delete;
  Saving& operator=(const Saving&) = delete;

  /// After each look; of one job, the first. What cannot be written ends the recording, with a warning.
  void add(const Watched& watched);

 private:
  void write_line(const std::string& line);
  void stop();

  std::string path_;
  int file_;  // -1: the recording has ended
  std::uint64_t size_ = 0;
  std::uint64_t most_bytes_;
  Watched::Saved saved_;
};

}  // namespace cairn::live
