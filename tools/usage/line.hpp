// SPDX-License-Identifier: BSD-3-Clause
// line.hpp - a job in one line of JSON, and where it goes
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace usage {

struct Job {
  std::string program;
  std::string mpi;
  int ranks = 0;
  int counted_ranks = 0;  // whose calls these are
  double run_s = 0;
  std::vector<std::pair<std::string, std::uint64_t>> calls;  // by function, over all ranks
};

inline constexpr std::size_t most_functions = 64;

/// "Open MPI 4.1.4", "MPICH 4.0.2": of what MPI_Get_library_version tells, which may be many lines.
std::string short_name(std::string_view library);

/// With the time, the user, the host and the batch system's number of the job. Of the functions those called most; the
/// rest has a count, so that the line stays below 4 KiB.
std::string line_of(Job job);

/// Whatever `path` is: appended to a file in one piece (to a new one, which only its owner may write), or sent to a socket
/// as syslog takes messages (RFC 3164). 0, or the reason (errno).
int deliver(const std::string& path, const std::string& line);

}  // namespace usage
