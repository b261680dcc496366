// SPDX-License-Identifier: BSD-3-Clause
// waits.hpp - waits.json (tools/waits/README.md): why ranks wait, what it costs, what a change would bring; the keys of
// the file
//
// Seconds are sums over ranks unless they are named otherwise. Ranks are those of MPI_COMM_WORLD. The longest, dearest
// or most rewarding entry of each list comes first.
#pragma once

#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "formats/part.hpp"
#include "formats/ranks.hpp"
#include "formats/tags.hpp"
#include "formats/text.hpp"

namespace cairn::formats::waits {

/// What is not in the figures, and why: "records lost", "ended by SIGKILL".
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

/// All time of all ranks.
struct Split {
  double work = 0;      // outside MPI
  double waiting = 0;   // in MPI, for another rank
  double transfer = 0;  // in MPI otherwise: data moves, or the library works
  double start = 0;     // in MPI_Init

  static void fields(auto& file, auto& split) {
    file("work", split.work);
    file("waiting", split.waiting);
    file("transfer", split.transfer);
    file("start", split.start);
  }
};

/// An MPI call in the program; start and end of the run are MPI_Init and MPI_Finalize.
struct Place {
  std::string function;  // "MPI_Send"
  SourcePosition at;     // keys file, line, caller, object, offset

  static void fields(auto& file, auto& place) {
    file("function", place.function);
    file.inlined(place.at);
  }
};

/// Waiting of one kind at a call site. `kind`: late_sender, wrong_order, late_receiver, late_completion,
/// wait_at_barrier, wait_at_n_to_n, wait_at_one_to_n, wait_at_n_to_one, early_reduce, wait_at_scan, wait_at_fence,
/// wait_at_neighbors, late_post, late_complete, lock_contention, io_collective, communicator_creation, wait_at_finalize.
struct Wait {
  std::string kind;
  Place place;
  std::string communicator;  // "MPI_COMM_WORLD"
  std::string region;        // "solve/halo"; "": outside
  double time = 0;
  std::uint64_t count = 0;  // of calls that waited
  double most = 0;          // of one rank
  int worst_rank = 0;       // that one
  std::vector<int> ranks;   // that waited

  static void fields(auto& file, auto& wait) {
    file("kind", wait.kind);
    file.inlined(wait.place);
    file("communicator", wait.communicator);
    file("region", wait.region);
    file("time_s", wait.time);
    file("count", wait.count);
    file("max_s", wait.most);
    file("max_rank", wait.worst_rank);
    file.ranks("ranks", wait.ranks);
  }
};

/// [waiter, who came late, seconds, times]
struct Pair {
  int waiter = 0;
  int culprit = 0;
  double time = 0;
  std::uint64_t count = 0;

  static void row(auto& file, auto& pair) { file.values(pair.waiter, pair.culprit, pair.time, pair.count); }
};

/// What a cause made others wait with: the same kind at the same place.
struct Symptom {
  std::string kind;  // as in Wait
  Place place;
  double cost = 0;

  static void fields(auto& file, auto& symptom) {
    file("kind", symptom.kind);
    file.inlined(symptom.place);
    file("cost_s", symptom.cost);
  }
};

/// Where ranks spend processor time: a function of the program or a library, at its dearest line.
struct Sampled {
  SourcePosition at;
  double time = 0;  // in the whole function

  static void fields(auto& file, auto& sampled) {
    file.inlined(sampled.at);
    file("time_s", sampled.time);
  }
};

/// What the chain of those who wait for each other ends in.
struct Cause {
  std::string kind;  // work: between two calls; communication: in the call `from`, which took longer than elsewhere;
                     // start: until MPI_Init was over
  std::vector<int> ranks;  // that cause it
  Place from;              // the call before the work
  Place to;                // the call after it
  std::string region;
  double cost = 0;          // seconds of waiting of all ranks, those who waited for waiting ranks included
  double share = 0;         // of all waiting
  double own = 0;           // seconds that these ranks spend there, sum
  double elsewhere = 0;     // what the other ranks spend there, mean of a rank
  std::uint64_t times = 0;  // that somebody waited for it
  std::vector<Symptom> symptoms;
  bool in_turn = false;  // these ranks have no more of it than others: what costs is that one comes after the other
  double predicted_run = NAN;    // run time if they spent as much there as the others do, or, in turn, if nobody waited
                                 // where they are waited for; not a number: unknown
  double error = 0;              // of that
  std::vector<Sampled> samples;  // functions that fill it, if they were sampled; the dearest
  double other_samples = 0;      // in other functions

  static void fields(auto& file, auto& cause) {
    file("kind", cause.kind);
    file.ranks("ranks", cause.ranks);
    file("from", cause.from);
    file("to", cause.to);
    file("region", cause.region);
    file("cost_s", cause.cost);
    file("share", cause.share);
    file("own_s", cause.own);
    file("elsewhere_s", cause.elsewhere);
    file("times", cause.times);
    file("symptoms", cause.symptoms);
    file.optional("in_turn", cause.in_turn, cause.in_turn);
    file("predicted_run_s", cause.predicted_run);
    file("error_s", cause.error);
    file.optional("samples", cause.samples, !cause.samples.empty());
    file.optional("other_samples_s", cause.other_samples, cause.other_samples > 0);
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
  double time = 0;  // in the calls that complete them, without waiting
  double overlapped_run = 0;
  double overlapped_error = 0;
  double eager_run = 0;
  double eager_error = 0;

  static void fields(auto& file, auto& transfers) {
    file.inlined(transfers.place);
    file("time_s", transfers.time);
    file("overlapped_run_s", transfers.overlapped_run);
    file("overlapped_error_s", transfers.overlapped_error);
    file("eager_run_s", transfers.eager_run);
    file("eager_error_s", transfers.eager_error);
  }
};

/// What the calls of one place cost the run: its time if these, and those that receive their messages, took none.
struct FreeCalls {
  Place place;
  double time = 0;  // in them, without waiting
  double predicted_run = 0;
  double error = 0;

  static void fields(auto& file, auto& calls) {
    file.inlined(calls.place);
    file("time_s", calls.time);
    file("predicted_run_s", calls.predicted_run);
    file("error_s", calls.error);
  }
};

/// The POP model; each between 0 and 1. parallel = load_balance x communication, communication = serialisation x
/// transfer.
struct Efficiency {
  double parallel = 0;
  double load_balance = 0;
  double communication = 0;
  double serialisation = 0;
  double transfer = 0;
  double node_balance = 1;  // load balance over nodes, and within them: their product is load_balance
  double balance_in_nodes = 1;

  static void fields(auto& file, auto& efficiency) {
    file("parallel", efficiency.parallel);
    file("load_balance", efficiency.load_balance);
    file("communication", efficiency.communication);
    file("serialisation", efficiency.serialisation);
    file("transfer", efficiency.transfer);
    file("node_balance", efficiency.node_balance);
    file("balance_in_nodes", efficiency.balance_in_nodes);
  }
};

/// Of the ranks of one system: as those of the whole run, which serialisation and transfer are only known of.
struct NodeEfficiency {
  std::string node;
  std::vector<int> ranks;
  double parallel = 0;
  double load_balance = 0;
  double communication = 0;

  static void fields(auto& file, auto& on_node) {
    file("node", on_node.node);
    file.ranks("ranks", on_node.ranks);
    file("parallel", on_node.parallel);
    file("load_balance", on_node.load_balance);
    file("communication", on_node.communication);
  }
};

/// Of a region, or of a window of time.
struct PartEfficiency {
  std::string region;
  double from = 0;  // seconds since the run began
  double until = 0;
  double time = 0;  // seconds of the rank that spends most in it
  Efficiency of;

  static void fields(auto& file, auto& part) {
    file("region", part.region);
    file("from_s", part.from);
    file("until_s", part.until);
    file("time_s", part.time);
    file("efficiency", part.of);
  }
};

/// A strip for each rank, or for several together: per bin the percents of time that are work and waiting; what lacks
/// is transfer, before `start` the start of MPI. And of the bin's length the percents that the critical path is here.
struct Strip {
  std::vector<int> ranks;
  double start = 0;  // seconds since the run began, at which MPI has started
  std::vector<int> work;
  std::vector<int> waiting;
  std::vector<int> path;

  static void fields(auto& file, auto& strip) {
    file.ranks("ranks", strip.ranks);
    file("start_s", strip.start);
    file("work", strip.work);
    file("waiting", strip.waiting);
    file("path", strip.path);
  }
};

struct Timeline {
  double bin = 0;  // seconds; the first begins with the run
  std::vector<Strip> strips;

  static void fields(auto& file, auto& timeline) {
    file("bin_s", timeline.bin);
    file.lines("strips", timeline.strips);
  }
};

/// Seconds of one rank: [rank, work, waiting, transfer, start, waiting that it causes]
struct RankSplit {
  int rank = 0;
  Split split;
  double caused = 0;

  static void row(auto& file, auto& of) {
    file.values(of.rank, of.split.work, of.split.waiting, of.split.transfer, of.split.start, of.caused);
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
  std::vector<Cause> causes;
  double other_causes = 0;  // seconds, of causes that are not listed, or unknown
  CriticalPath path;
  std::vector<WhatIf> what_if;
  std::vector<FreeCalls> free_calls;  // of the places with the longest calls
  std::vector<Transfers> transfers;   // of the places whose transfers take longest in other calls
  Efficiency efficiency;
  std::vector<NodeEfficiency> nodes;  // where there are several
  std::vector<PartEfficiency> regions;
  std::vector<PartEfficiency> windows;
  Timeline timeline;

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
    file("causes", waits.causes);
    file("other_causes_s", waits.other_causes);
    file("critical_path", waits.path);
    file("what_if", waits.what_if);
    file.optional("free_calls", waits.free_calls, !waits.free_calls.empty());
    file.optional("transfers", waits.transfers, !waits.transfers.empty());
    file("efficiency", waits.efficiency);
    file.optional("efficiency_by_node", waits.nodes, !waits.nodes.empty());
    file.optional("efficiency_by_region", waits.regions, !waits.regions.empty());
    file.optional("efficiency_over_time", waits.windows, !waits.windows.empty());
    file("timeline", waits.timeline);
  }
};

std::string file_text(const Summary& summary);

}  // namespace cairn::formats::waits
