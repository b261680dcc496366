// SPDX-License-Identifier: BSD-3-Clause
// profile.hpp - profile.json (tools/profile/README.md): its structures, and the keys of their members
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "formats/part.hpp"
#include "formats/tags.hpp"
#include "formats/text.hpp"

namespace cairn::formats::profile {

/// A quantity over the ranks; every rank counts, also with zero.
struct OverRanks {
  double total = 0;
  double mean = 0;
  double min = 0;
  double max = 0;
  std::vector<double> by_rank = {};  // [ranks] if asked for
  bool is_known = true;              // false: the file does not have it

  static void fields(auto& file, auto& over) {
    file("total", over.total);
    file("mean", over.mean);
    file("min", over.min);
    file("max", over.max);
    file.optional("by_rank", over.by_rank, !over.by_rank.empty());
  }
};

/// The greatest over the mean, less one: 0 when all ranks are alike.
constexpr double imbalance(const OverRanks& over) { return over.mean > 0 ? over.max / over.mean - 1 : 0; }

/// Requests that the calls have made (MPI_Isend) or that were made to be started, and are complete.
struct TransferAmounts {
  std::uint64_t completed = 0;
  double under_way = 0;  // seconds from start to completion, sum over them
  double waited = 0;     // of these in the calls that completed them

  void add(const TransferAmounts& other) {
    completed += other.completed;
    under_way += other.under_way;
    waited += other.waited;
  }
  /// How much of that time the program did something else.
  double overlap() const { return under_way > 0 ? 1 - waited / under_way : 0; }

  static void fields(auto& file, auto& transfers) {
    file("completed", transfers.completed);
    file("under_way_s", transfers.under_way);
    file("waited_s", transfers.waited);
    file.derived("overlap", transfers.overlap());
  }
};

/// Pairs of a limit, which no value reaches, and a number of calls; without the empty ones.
using Bins = std::vector<std::pair<double, std::uint64_t>>;

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
  Bins by_time{};        // calls by seconds
  Bins by_size{};        // calls by bytes sent
  TransferAmounts transfers;

  static void fields(auto& file, auto& amounts) {
    file("calls", amounts.calls);
    file("calls_max", amounts.calls_max);
    file("bytes_sent", amounts.bytes_sent);
    file("bytes_received", amounts.bytes_received);
    file("time_s", amounts.time);
    file.derived("imbalance", imbalance(amounts.time));
    file("ranks", amounts.ranks);
    file("slowest_rank", amounts.slowest_rank);
    file("shortest_call_s", amounts.least);
    file("longest_call_s", amounts.most);
    file("calls_by_time_s", amounts.by_time);
    file("calls_by_bytes_sent", amounts.by_size);
    file.optional("in_vain", amounts.in_vain, amounts.in_vain != 0);
    file.optional("transfers", amounts.transfers, amounts.transfers.completed != 0);
  }
  /// What is enough for a region's functions and for communicators: no histograms.
  static void few_fields(auto& file, auto& amounts) {
    file("calls", amounts.calls);
    file("bytes_sent", amounts.bytes_sent);
    file("bytes_received", amounts.bytes_received);
    file("time_s", amounts.time);
  }
};

struct FunctionSummary : Amounts {
  std::string name;  // "MPI_Send"

  static void fields(auto& file, auto& function) {
    file("name", function.name);
    Amounts::fields(file, function);
  }
};

struct CallSiteSummary : Amounts {
  std::string function;  // "MPI_Send"
  SourcePosition place;  // nothing known of it: many places taken together
  std::vector<SourcePosition> callers;

  static void fields(auto& file, auto& site) {
    file("function", site.function);
    file.inlined(site.place);
    Amounts::fields(file, site);
    file.optional("callers", site.callers, !site.callers.empty());
  }
};

/// A function within a region.
struct RegionFunction : Amounts {
  std::string name;

  static void fields(auto& file, auto& function) {
    file("name", function.name);
    few_fields(file, function);
  }
};

/// A part of the program: a named region or a level of MPI_Pcontrol. Its own calls, without those of parts within it.
struct RegionSummary : Amounts {
  std::string path;          // "solve/halo"; "" outside
  std::uint64_t visits = 0;  // sum over ranks
  OverRanks in_region;       // seconds in it, without parts within it
  std::vector<RegionFunction> functions;

  static void fields(auto& file, auto& region) {
    file("region", region.path);
    file("visits", region.visits);
    file("in_region_s", region.in_region);
    few_fields(file, region);
    file("functions", region.functions);
  }
};

/// Communicators of the same processes with the same name. Its calls are those that name a communicator.
struct CommunicatorSummary : Amounts {
  std::string name;       // "" if none
  std::string processes;  // world ranks: "0-3,6"; of an inter-communicator those of the remote group
  int size = 0;
  int remote_size = 0;              // 0 but for inter-communicators
  std::uint64_t communicators = 0;  // sum over ranks
  int members = 0;                  // ranks that used one

  static void fields(auto& file, auto& one) {
    file("name", one.name);
    file("processes", one.processes);
    file("size", one.size);
    file("remote_size", one.remote_size);
    file("communicators", one.communicators);
    file("members", one.members);
    few_fields(file, one);
  }
};

/// Who was waited for in the collective calls on MPI_COMM_WORLD that need all processes.
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
  int late_rank = -1;                                     // the one that stands out among those waited for

  static void fields(auto& file, auto& waiting) {
    file("calls_per_rank", waiting.calls);
    file("compared", waiting.compared);
    file("time_s", waiting.time);
    file("error_s", waiting.error);
    file("mean_spread_s", waiting.mean_spread);
    file("max_spread_s", waiting.max_spread);
    file.by_name("time_s_by_function", waiting.functions);
    file("time_s_by_last_rank", waiting.causes);
    file("last_ranks", waiting.last_ranks);
    file.optional("late_rank", waiting.late_rank, waiting.late_rank >= 0);
  }
};

/// The seconds in MPI of all ranks, as far as functions tell what they are for.
struct Split {
  double waiting = 0;   // completions, probes, barriers, synchronization; in collective calls what Waiting knows
  double blocking = 0;  // other calls that return when a message or collective operation is done: waiting or moving
  double moving = 0;    // calls that begin to move data, files
  double rest = 0;

  double all() const { return waiting + blocking + moving + rest; }

  static void fields(auto& file, auto& split) {
    file("waiting", split.waiting);
    file("blocking", split.blocking);
    file("moving", split.moving);
    file("rest", split.rest);
  }
};

/// A call that a thread was in when its process ended.
struct InCall {
  std::string function;
  SourcePosition place;
  double time = 0;  // seconds since it began

  static void fields(auto& file, auto& call) {
    file("function", call.function);
    file("time_s", call.time);
    file.inlined(call.place);
  }
};

struct ProfilePart : Part {
  std::vector<InCall> in_calls;  // counted as calls so far, and as waiting

  static void fields(auto& file, auto& part) {
    Part::fields(file, part);
    file("in_calls", part.in_calls);
  }
};

/// Calls that tools above have made for themselves; they are in nothing else.
struct ToolsCalls {
  std::uint64_t calls = 0;  // sums over ranks
  std::uint64_t bytes_sent = 0;
  double time = 0;  // seconds

  static void fields(auto& file, auto& tools) {
    file("calls", tools.calls);
    file("bytes_sent", tools.bytes_sent);
    file("time_s", tools.time);
  }
};

/// A whole run's profile.
struct Summary {
  std::string run;  // identity
  std::string program;
  int ranks = 0;
  ProfilePart part;
  int threads = 0;     // that called MPI at once, on any rank; 0: not known
  OverRanks run_time;  // seconds from the first MPI call to MPI_Finalize
  OverRanks mpi_time;  // seconds inside MPI within that, of all threads
  Split split;
  OverRanks start_time;            // of these in MPI_Init and MPI_Init_thread
  OverRanks own_time;              // seconds outside MPI; good for programs with one thread in MPI
  int busiest_rank = -1;           // the one with most of that; -1: not known
  double busiest_delay = -1;       // of run_delay, that rank's; negative: not known
  OverRanks run_delay;             // seconds that a rank could have run and had no processor, since MPI_Init
  OverRanks involuntary_switches;  // times that it had to leave one
  Waiting waiting;
  ToolsCalls of_tools;
  std::vector<FunctionSummary> functions;  // those called at least once, the longest total time first
  std::vector<CallSiteSummary> sites;      // the same
  std::uint64_t sites_left_out = 0;        // below the threshold
  std::vector<RegionSummary> regions;      // none if the program names none; the longest first
  std::vector<CommunicatorSummary> communicators;

  /// Seconds of an average rank, without MPI_Init, which is as long as the system makes it.
  double run_after_start() const { return run_time.mean - start_time.mean; }
  double mpi_after_start() const { return mpi_time.mean - start_time.mean; }

  static void fields(auto& file, auto& profile) {
    file.derived("format", profile_tag.text());
    file.optional("run", profile.run, !profile.run.empty());
    file("program", profile.program);
    file("ranks", profile.ranks);
    file.optional("part", profile.part, profile.part.is_one());
    file("threads", profile.threads);
    file("run_time_s", profile.run_time);
    file("mpi_time_s", profile.mpi_time);
    file("split_s", profile.split);
    file("start_time_s", profile.start_time);
    file("own_time_s", profile.own_time);
    file("busiest_rank", profile.busiest_rank);
    file.optional("busiest_run_delay_s", profile.busiest_delay, profile.busiest_delay >= 0);
    file("run_delay_s", profile.run_delay);
    file("involuntary_switches", profile.involuntary_switches);
    file.optional("waiting", profile.waiting, profile.waiting.calls != 0);
    file.optional("tools", profile.of_tools, profile.of_tools.calls != 0);
    file("functions", profile.functions);
    file("callsites", profile.sites);
    file.optional("callsites_left_out", profile.sites_left_out, profile.sites_left_out != 0);
    file.optional("regions", profile.regions, !profile.regions.empty());
    file("communicators", profile.communicators);
  }
};

std::string file_text(const Summary& profile);

}  // namespace cairn::formats::profile
