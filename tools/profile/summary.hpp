// SPDX-License-Identifier: BSD-3-Clause
// summary.hpp - a whole run's profile as plain data: what the ranks gather and the reports are made of. No MPI in here.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "shared/histogram.hpp"

namespace profile {

using shared::bin_count;
using shared::Histogram;

/// A quantity over the ranks; every rank counts, also with zero.
struct OverRanks {
  double total = 0;
  double mean = 0;
  double min = 0;
  double max = 0;
};

/// What a function or a call site has come to.
struct Amounts {
  std::uint64_t calls = 0;       // sum over ranks
  std::uint64_t bytes_sent = 0;  // sum over ranks; see bytes.hpp for what is counted
  std::uint64_t bytes_received = 0;
  OverRanks time;    // seconds inside the calls
  double least = 0;  // seconds of the shortest and the longest call on any rank
  double most = 0;
  int ranks = 0;         // how many made such calls
  int slowest_rank = 0;  // the one with the most time
  Histogram by_time{};   // calls by ticks, see Summary::seconds_per_tick
  Histogram by_size{};   // calls by bytes sent
};

struct FunctionSummary : Amounts {
  std::string name;  // "MPI_Send"
};

/// A place in the program, as far as its files tell.
struct SourcePosition {
  std::string caller;  // the calling function; "" if unknown
  std::string file;    // ""
  int line = 0;        // 0
  std::string object;  // program or library
  std::uint64_t offset = 0;
};

struct CallSiteSummary : Amounts {
  std::string function;                // "MPI_Send"
  std::vector<SourcePosition> places;  // the calling one, its caller, …; empty: many places taken together
};

/// Who was waited for in the collective calls on MPI_COMM_WORLD that need all processes (arrivals.hpp).
struct Waiting {
  std::uint64_t calls = 0;     // such calls of each rank; 0: nothing is known
  std::uint64_t compared = 0;  // of these
  double time = 0;             // seconds that all ranks together waited for the last one, scaled to all calls
  double mean_spread = 0;      // seconds from the first rank's arrival to the last one's
  double max_spread = 0;
  std::vector<std::pair<std::string, double>> functions;  // the same time by function
  std::vector<std::pair<int, std::uint64_t>>
      last_ranks;  // how many of the compared calls each came to last, most first
};

struct Summary {
  std::string program;
  std::string tool;  // as the user named it, with " #2" for a second instance
  int ranks = 0;
  OverRanks run_time;                      // seconds from the first MPI call to MPI_Finalize
  OverRanks mpi_time;                      // seconds inside MPI within that
  double seconds_per_tick = 0;             // the unit of the time histograms
  std::vector<FunctionSummary> functions;  // those called at least once, the longest total time first
  std::vector<CallSiteSummary> sites;      // the same
  Waiting waiting;
  std::uint64_t merged_calls = 0;  // calls from places beyond what the tool keeps apart
};

}  // namespace profile
