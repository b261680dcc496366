// SPDX-License-Identifier: BSD-3-Clause
// part.hpp - how a file says that it is one rank's part of a run that did not come to its end
#pragma once

#include <string>

namespace cairn::formats {

struct Part {
  /// A process has no time to write anything then: what is known of it is from memory that outlived it.
  static constexpr const char* killed = "SIGKILL";

  int rank = -1;
  std::string ended_by;  // "SIGTERM"; "still running": asked for by MPI_Pcontrol(2); "": a whole run

  bool is_one() const { return !ended_by.empty(); }
  bool is_of_killed() const { return ended_by == killed; }
  bool is_of_running() const { return ended_by == "still running"; }

  static void fields(auto& file, auto& part) {
    file("rank", part.rank);
    file("ended_by", part.ended_by);
  }
};

}  // namespace cairn::formats
