// SPDX-License-Identifier: BSD-3-Clause
// waits_efficiency.hpp - the part of waits.json on how well the time of all ranks is used
#pragma once

#include <string>
#include <vector>

namespace cairn::formats::waits {

/// All time of all ranks.
struct Split {
  double work = 0;      // outside MPI
  double waiting = 0;   // in MPI, for another rank
  double transfer = 0;  // in MPI otherwise: data moves, or the library works
  double start = 0;     // in MPI_Init
  double unknown = 0;   // in MPI, where a process without records was needed: waiting or transfer

  double all() const { return work + waiting + transfer + start + unknown; }
  /// So much that nothing else can be told from what is waiting or transfer.
  bool is_unclear() const { return unknown > 0.001 * all(); }
  static void fields(auto& file, auto& split) {
    file("work", split.work);
    file("waiting", split.waiting);
    file("transfer", split.transfer);
    file("start", split.start);
    file.optional("unknown", split.unknown, split.unknown > 0);
  }
};

/// Seconds of one rank: [rank, work, waiting, transfer, start, waiting that it causes], and what is unknown, if any is.
struct RankSplit {
  int rank = 0;
  Split split;
  double caused = 0;

  static void row(auto& file, auto& of) {
    file.values(of.rank, of.split.work, of.split.waiting, of.split.transfer, of.split.start, of.caused);
    file.last_value(of.split.unknown, of.split.unknown > 0);
  }
};

/// The POP model; each between 0 and 1. parallel = load_balance x communication, communication = serialisation x
/// transfer. Negative: unknown, as too much time is.
struct Efficiency {
  double parallel = 0;
  double load_balance = 0;
  double communication = 0;
  double serialisation = -1;
  double transfer = -1;
  double node_balance = 1;  // load balance over nodes, and within them: their product is load_balance
  double balance_in_nodes = 1;

  static void fields(auto& file, auto& efficiency) {
    file("parallel", efficiency.parallel);
    file("load_balance", efficiency.load_balance);
    file("communication", efficiency.communication);
    file.optional("serialisation", efficiency.serialisation, efficiency.serialisation >= 0);
    file.optional("transfer", efficiency.transfer, efficiency.transfer >= 0);
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

/// A strip for each rank, or for several together: per bin the percents of time that are work, waiting and, if any is,
/// unknown; what lacks is transfer, before `start` the start of MPI. And of the bin's length the percents that the
/// critical path is here.
struct Strip {
  std::vector<int> ranks;
  double start = 0;  // seconds since the run began, at which MPI has started
  std::vector<int> work;
  std::vector<int> waiting;
  std::vector<int> unknown;
  std::vector<int> path;

  static void fields(auto& file, auto& strip) {
    file.ranks("ranks", strip.ranks);
    file("start_s", strip.start);
    file("work", strip.work);
    file("waiting", strip.waiting);
    file.optional("unknown", strip.unknown, !strip.unknown.empty());
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

}  // namespace cairn::formats::waits
