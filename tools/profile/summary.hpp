// SPDX-License-Identifier: BSD-3-Clause
// summary.hpp - a whole run's profile as plain data: what the ranks gather and the reports are made of. No MPI in here.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace profile {

/// A quantity over the ranks; every rank counts, also with zero.
struct OverRanks {
  double total = 0;
  double mean = 0;
  double min = 0;
  double max = 0;
};

struct FunctionSummary {
  std::string name;              // "MPI_Send"
  std::uint64_t calls = 0;       // sum over ranks
  std::uint64_t bytes_sent = 0;  // sum over ranks; see bytes.hpp for what is counted
  OverRanks time;                // seconds inside the call
};

struct Summary {
  std::string program;
  std::string tool;  // as the user named it, with " #2" for a second instance
  int ranks = 0;
  OverRanks run_time;                      // seconds from the first MPI call to MPI_Finalize
  OverRanks mpi_time;                      // seconds inside MPI within that
  std::vector<FunctionSummary> functions;  // those called at least once, the longest total time first
};

}  // namespace profile
