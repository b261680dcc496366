// SPDX-License-Identifier: BSD-3-Clause
// summary.hpp - a whole run's profile as plain data: what the ranks gather and the reports are made of. No MPI in here.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "formats/text.hpp"
#include "shared/histogram.hpp"

namespace profile {

using cairn::formats::SourcePosition;
using shared::bin_count;
using shared::Histogram;

/// A quantity over the ranks; every rank counts, also with zero.
struct OverRanks {
  double total = 0;
  double mean = 0;
  double min = 0;
  double max = 0;
  std::vector<double> by_rank = {};  // [ranks] if asked for
};

/// Requests that the calls have made (MPI_Isend) or that were made to be started, and are complete.
struct TransferAmounts {
  std::uint64_t completed = 0;
  double under_way = 0;  // seconds from start to completion, sum over them
  double waited = 0;     // of these in the calls that completed them
};

/// What a function or a call site has come to.
struct Amounts {
  std::uint64_t calls = 0;       // sum over ranks
  std::uint64_t calls_max = 0;   // of the rank with most of them
  std::uint64_t bytes_sent = 0;  // sum over ranks; cairn/kit/moves.hpp says what is counted
  std::uint64_t bytes_received = 0;
  std::uint64_t in_vain = 0;  // of the calls that ask for something (MPI_Test): those that found nothing
  OverRanks time;             // seconds inside the calls
  double least = 0;           // seconds of the shortest and the longest call on any rank
  double most = 0;
  int ranks = 0;         // how many made such calls
  int slowest_rank = 0;  // the one with the most time
  Histogram by_time{};   // calls by ticks, see Summary::seconds_per_tick
  Histogram by_size{};   // calls by bytes sent
  TransferAmounts transfers;
};

struct FunctionSummary : Amounts {
  std::string name;  // "MPI_Send"
};

struct CallSiteSummary : Amounts {
  std::string function;                // "MPI_Send"
  std::vector<SourcePosition> places;  // the calling one, its caller, …; empty: many places taken together
};

/// A part of the program: a named region or a level of MPI_Pcontrol. Its own calls, without those of parts within it.
struct RegionSummary : Amounts {
  std::string path;          // "solve/halo"; "" outside
  std::uint64_t visits = 0;  // sum over ranks
  OverRanks in_region;       // seconds in it, without parts within it
  std::vector<FunctionSummary> functions;
};

/// Communicators of the same processes with the same name. Its calls are those that name a communicator.
struct CommunicatorSummary : Amounts {
  std::string name;       // "" if none
  std::string processes;  // world ranks: "0-3,6"; of an inter-communicator those of the remote group
  int size = 0;
  int remote_size = 0;              // 0 but for inter-communicators
  std::uint64_t communicators = 0;  // sum over ranks
  int members = 0;                  // ranks that used one
};

/// Who was waited for in the collective calls on MPI_COMM_WORLD that need all processes (arrivals.hpp).
struct Waiting {
  std::uint64_t calls = 0;     // such calls of each rank; 0: nothing is known
  std::uint64_t compared = 0;  // of these
  double time = 0;             // seconds that all ranks together waited for the last one, estimated for all calls
  double error = 0;            // its standard deviation; 0: all calls were compared
  double mean_spread = 0;      // seconds from the first rank's arrival to the last one's
  double max_spread = 0;
  std::vector<std::pair<std::string, double>> functions;  // the same time by function
  std::vector<std::pair<int, double>> causes;             // and by the rank that was waited for, most first
  std::vector<std::pair<int, std::uint64_t>> last_ranks;  // how many of the compared calls each came to last

  /// The rank that was waited for longest, where it stands out among so many; else -1.
  int late_rank(int ranks) const {
    if (causes.empty() || time <= 0) return -1;
    const double even = 1.0 / ranks;
    const double notable = std::max(0.1, std::min(3 * even, (1 + even) / 2));
    return causes.front().second >= notable * time ? causes.front().first : -1;
  }
};

/// The seconds in MPI of all ranks, as far as functions tell what they are for.
struct Split {
  double waiting = 0;  // completions, probes, barriers, synchronization; and in collective calls what Waiting knows
  double blocking =
      0;              // the other calls that return when a message or a collective operation is done: waiting or moving
  double moving = 0;  // calls that begin to move data, files
  double rest = 0;
};

/// A call that a thread was in when its process ended.
struct InCall {
  std::string function;
  SourcePosition place;
  double time = 0;  // seconds since it began
};

/// Calls that tools above have made for themselves; they are in nothing else.
struct ToolsCalls {
  std::uint64_t calls = 0;  // sums over ranks
  std::uint64_t bytes_sent = 0;
  double time = 0;  // seconds
};

struct Summary {
  std::string run;  // identity
  std::string program;
  std::string tool;  // as the user named it, with " #2" for a second instance
  int ranks = 0;
  OverRanks run_time;  // seconds from the first MPI call to MPI_Finalize
  OverRanks mpi_time;  // seconds inside MPI within that, of all threads
  Split split;
  OverRanks start_time;                    // of these in MPI_Init and MPI_Init_thread
  OverRanks own_time;                      // seconds outside MPI; good for programs with one thread in MPI
  int busiest_rank = 0;                    // the one with most of that
  OverRanks run_delay;                     // seconds that a rank could have run and had no processor, since MPI_Init
  OverRanks involuntary_switches;          // times that it had to leave one
  int threads = 1;                         // that called MPI at once, on any rank
  double seconds_per_tick = 0;             // the unit of the time histograms
  std::vector<FunctionSummary> functions;  // those called at least once, the longest total time first
  std::vector<CallSiteSummary> sites;      // the same
  std::uint64_t sites_left_out = 0;        // below the threshold
  std::vector<RegionSummary> regions;      // none if the program names none; the longest first
  std::vector<CommunicatorSummary> communicators;
  Waiting waiting;
  std::string ended_by;          // why this is one rank's part of a run that did not end well; "" for a whole run
  int rank = 0;                  // then
  std::vector<InCall> in_calls;  // then; counted as calls so far, and as waiting
  ToolsCalls of_tools;
  std::uint64_t merged_calls = 0;  // calls from places beyond what the tool keeps apart
};

}  // namespace profile
