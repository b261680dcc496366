// SPDX-License-Identifier: BSD-3-Clause
// waits.hpp - waits.json (tools/waits/README.md): why ranks wait, what it costs, what a change would bring; the keys of
// the file
//
// Seconds are sums over ranks unless they are named otherwise. Ranks are those of MPI_COMM_WORLD. The longest, dearest
// or most rewarding entry of each list comes first.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "formats/part.hpp"
#include "formats/tags.hpp"
#include "formats/waits_causes.hpp"
#include "formats/waits_efficiency.hpp"

namespace cairn::formats::waits {

inline constexpr std::string_view ended_by = "ended by ";  // how the process died

/// What is not in the figures, and why: "records lost"; or that they end early, and why: "ended by SIGTERM".
struct LeftOut {
  std::string why;
  std::vector<int> ranks;
  std::uint64_t count = 0;  // of calls or messages; 0: whole ranks, or unknown

  static void fields(auto& file, auto& left_out) {
    file("why", left_out.why);
    file.ranks("ranks", left_out.ranks);
    file("count", left_out.count);
  }
};

/// How much of the program's communication was matched.
struct Coverage {
  std::uint64_t calls = 0;
  std::uint64_t sends = 0;
  std::uint64_t receives = 0;
  std::uint64_t matched = 0;      // messages with both their ends
  std::uint64_t collectives = 0;  // operations, not calls
  std::uint64_t incomplete = 0;   // of these: not all processes of the communicator are known to have taken part
  std::vector<int> missing;       // ranks without records
  std::vector<LeftOut> left_out;
  double analysed = 0;   // seconds of the run up to which all ranks' calls are known; 0: all of it
  double whole_run = 0;  // likewise: how long it has taken

  bool is_cut() const { return whole_run > 0; }

  static void fields(auto& file, auto& coverage) {
    file("calls", coverage.calls);
    file("sends", coverage.sends);
    file("receives", coverage.receives);
    file("matched", coverage.matched);
    file("collectives", coverage.collectives);
    file("incomplete_collectives", coverage.incomplete);
    file.ranks("missing_ranks", coverage.missing);
    file.optional("left_out", coverage.left_out, !coverage.left_out.empty());
    file.optional("analysed_s", coverage.analysed, coverage.is_cut());
    file.optional("whole_run_s", coverage.whole_run, coverage.is_cut());
  }
};

struct ClockQuality {
  int nodes = 1;                // systems with a clock of their own
  std::string compared;         // "one clock", "start and end", "start", "time of day"
  double error = 0;             // of moments on different nodes
  double drift = 0;             // between the start and the end, of the clock that differs most
  std::uint64_t corrected = 0;  // messages that seemed to be received before they were sent, and barriers likewise
  double largest = 0;           // correction

  static void fields(auto& file, auto& clock) {
    file("nodes", clock.nodes);
    file("compared", clock.compared);
    file("error_s", clock.error);
    file("drift_s", clock.drift);
    file("corrected", clock.corrected);
    file("largest_correction_s", clock.largest);
  }
};

/// Work between two calls, or a call, on the critical path.
struct PathPiece {
  std::string kind;  // work, communication
  Place from;        // of communication: the call
  Place to;          // of work: the call after it
  std::string region;
  double time = 0;       // on the path
  double imbalance = 0;  // of that, beyond what the mean rank spends there
  std::vector<int> ranks;

  static void fields(auto& file, auto& piece) {
    file("kind", piece.kind);
    file("from", piece.from);
    file.optional("to", piece.to, piece.kind == "work");
    file("region", piece.region);
    file("time_s", piece.time);
    file("imbalance_s", piece.imbalance);
    file.ranks("ranks", piece.ranks);
  }
};

struct NamedTime {
  std::string name;
  double time = 0;

  static void row(auto& file, auto& named) { file.values(named.name, named.time); }
};

struct RankTime {
  int rank = 0;
  double time = 0;

  static void row(auto& file, auto& of) { file.values(of.rank, of.time); }
};

/// [rank, from, until], seconds since the run began
struct Segment {
  int rank = 0;
  double from = 0;
  double until = 0;

  static void row(auto& file, auto& segment) { file.values(segment.rank, segment.from, segment.until); }
};

/// The chain of work and transfers that determines how long the run takes.
struct CriticalPath {
  double length = 0;
  double work = 0;
  double communication = 0;
  double imbalance = 0;  // of the work
  std::vector<PathPiece> pieces;
  std::vector<NamedTime> functions;  // program functions of the work, by the call after it
  std::vector<RankTime> ranks;
  std::vector<NamedTime> regions;
  std::vector<Segment> segments;  // in the order of time; short ones are left out where there are many

  static void fields(auto& file, auto& path) {
    file("length_s", path.length);
    file("work_s", path.work);
    file("communication_s", path.communication);
    file("imbalance_s", path.imbalance);
    file("pieces", path.pieces);
    file("functions", path.functions);
    file("ranks", path.ranks);
    file("regions", path.regions);
    file.lines("segments", path.segments);
  }
};

/// A change and the run time that a replay of the run predicts with it. `change`: ideal_network, perfect_balance,
/// eager_messages, free_collectives, expected_messages (where that is known); each also as `cairn whatif` takes it.
struct WhatIf {
  std::string change;
  double predicted_run = 0;
  double error = 0;

  static void fields(auto& file, auto& what_if) {
    file("change", what_if.change);
    file("predicted_run_s", what_if.predicted_run);
    file("error_s", what_if.error);
  }
};

/// Transfers that begin at one place and are completed by other calls, and the run time if the work that follows these
/// were done meanwhile; and if the messages that are sent there did not need their receiver.
struct Transfers {
  Place place;
  double time = 0;            // in the calls that complete them, without waiting
  double overlapped_run = 0;  // 0: not known, as all are within a node
  double overlapped_error = 0;
  double eager_run = 0;
  double eager_error = 0;

  static void fields(auto& file, auto& transfers) {
    file.inlined(transfers.place);
    file("time_s", transfers.time);
    file.optional("overlapped_run_s", transfers.overlapped_run, transfers.overlapped_run > 0);
    file.optional("overlapped_error_s", transfers.overlapped_error, transfers.overlapped_run > 0);
    file("eager_run_s", transfers.eager_run);
    file("eager_error_s", transfers.eager_error);
  }
};

/// What the calls of one place cost the run: its time if these, and those that receive their messages, took none.
struct FreeCalls {
  Place place;
  double time = 0;      // in them, without waiting
  double entailed = 0;  // likewise, in calls that free communicators made there or make others from them: none either
  double predicted_run = 0;
  double error = 0;

  static void fields(auto& file, auto& calls) {
    file.inlined(calls.place);
    file("time_s", calls.time);
    file.optional("entailed_s", calls.entailed, calls.entailed > 0);
    file("predicted_run_s", calls.predicted_run);
    file("error_s", calls.error);
  }
};

/// Receives of one place that find their messages among many others that have come: what searching takes, and the run
/// time if it took no longer than where few lie there.
struct Searches {
  Place place;
  std::vector<int> ranks;  // that search longest
  std::uint64_t receives = 0;
  std::uint64_t longest = 0;  // messages that lie there
  double time = 0;            // beyond what is usual
  double predicted_run = 0;
  double error = 0;

  static void fields(auto& file, auto& searches) {
    file.inlined(searches.place);
    file.ranks("ranks", searches.ranks);
    file("receives", searches.receives);
    file("longest_queue", searches.longest);
    file("time_s", searches.time);
    file("predicted_run_s", searches.predicted_run);
    file("error_s", searches.error);
  }
};

struct Summary {
  std::string run;  // identity
  std::string program;
  int ranks = 0;
  Part part;
  double run_time = 0;  // seconds from the first rank's first call to the last rank's MPI_Finalize
  double replayed = 0;  // the same, as the replay of the unchanged run finds it: what predictions are based on
  Coverage coverage;
  ClockQuality clock;
  Split split;
  std::vector<RankSplit> by_rank;
  std::vector<Wait> waits;
  std::uint64_t waits_left_out = 0;  // entries
  std::vector<Pair> pairs;
  std::uint64_t pairs_left_out = 0;
  std::vector<Cause> causes;
  double other_causes = 0;  // seconds, of causes that are not listed, or unknown
  CriticalPath path;
  std::vector<WhatIf> what_if;
  std::vector<FreeCalls> free_calls;  // of the places with the longest calls
  std::vector<Transfers> transfers;   // of the places whose transfers take longest in other calls
  std::vector<Searches> searches;     // of the places that take longest for it
  Efficiency efficiency;
  std::vector<NodeEfficiency> nodes;  // where there are several
  std::vector<PartEfficiency> regions;
  std::vector<PartEfficiency> windows;
  Timeline timeline;

  /// Sums over ranks are of these: what is divided by it is of an average one.
  std::size_t known_ranks() const {
    const auto all = static_cast<std::size_t>(std::max(1, ranks));
    return all - std::min(all - 1, coverage.missing.size());
  }

  static void fields(auto& file, auto& waits) {
    file.derived("format", waits_tag.text());
    file.optional("run", waits.run, !waits.run.empty());
    file("program", waits.program);
    file("ranks", waits.ranks);
    file.optional("part", waits.part, waits.part.is_one());
    file("run_s", waits.run_time);
    file("replayed_s", waits.replayed);
    file("coverage", waits.coverage);
    file("clock", waits.clock);
    file("time_s", waits.split);
    file.lines("by_rank", waits.by_rank);
    file("waits", waits.waits);
    file.optional("waits_left_out", waits.waits_left_out, waits.waits_left_out != 0);
    file.lines("pairs", waits.pairs);
    file.optional("pairs_left_out", waits.pairs_left_out, waits.pairs_left_out != 0);
    file("causes", waits.causes);
    file("other_causes_s", waits.other_causes);
    file("critical_path", waits.path);
    file("what_if", waits.what_if);
    file.optional("free_calls", waits.free_calls, !waits.free_calls.empty());
    file.optional("transfers", waits.transfers, !waits.transfers.empty());
    file.optional("searches", waits.searches, !waits.searches.empty());
    file("efficiency", waits.efficiency);
    file.optional("efficiency_by_node", waits.nodes, !waits.nodes.empty());
    file.optional("efficiency_by_region", waits.regions, !waits.regions.empty());
    file.optional("efficiency_over_time", waits.windows, !waits.windows.empty());
    file("timeline", waits.timeline);
  }
};

std::string file_text(const Summary& summary);

}  // namespace cairn::formats::waits
