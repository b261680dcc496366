// SPDX-License-Identifier: BSD-3-Clause
// recording.hpp - reading what `cairn live --save` has written
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace cairn::cli {

struct Recording {
  struct Look {
    double time;  // seconds since 1970
    std::string text;
    std::optional<std::array<double, 3>> share = std::nullopt;  // of the ranks' time in MPI: least, mean, most
  };
  struct Setting {
    double time;  // seconds since 1970
    std::string name, value;
    std::string set, refused, waiting;  // ranks, those that refused with the reason
  };
  std::vector<Look> looks;  // at least one
  std::string all;          // their lines, as one JSON array
  std::vector<Setting> settings;
  std::string run;  // as the last look has it, like the next
  std::uint64_t ranks = 0;
  bool is_over = false;
  bool is_cut = false;  // what follows the last look is not whole
};

/// Every value that the page or the terminal uses is there and of the right kind. Throws Problem: the file cannot be
/// read, is no recording, one of another version, or damaged.
Recording read_recording(const std::string& path);

}  // namespace cairn::cli
