// SPDX-License-Identifier: BSD-3-Clause
// comm_data.hpp - what comm.json says (formats/comm.hpp) by rank and by group of ranks
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/message.hpp"
#include "formats/comm.hpp"
#include "formats/run.hpp"

namespace cairn::report::comm {

using formats::comm::Flow;
using formats::comm::FlowKind;
using formats::comm::Moment;
using formats::comm::Phase;
using formats::comm::Reach;
using formats::comm::Share;

/// Numbers are for people from here on, so sums may be rounded.
struct Volume {
  double messages = 0;
  double bytes = 0;

  Volume() = default;
  Volume(const formats::comm::Volume& exact)  // NOLINT: they are added up
      : messages(static_cast<double>(exact.messages)), bytes(static_cast<double>(exact.bytes)) {}
  void add(const Volume& other, double times = 1) {
    messages += times * other.messages;
    bytes += times * other.bytes;
  }
};

enum Kind { p2p, osc, coll, kinds };
inline constexpr std::array<const char*, kinds> kind_keys = {"p2p", "osc", "coll"};
inline constexpr std::array<const char*, kinds> kind_names = {"point-to-point", "one-sided", "collective"};

/// Those of the file that a kind is made of; the shares belong to coll.
std::span<const FlowKind> flow_kinds_of(Kind kind);
std::size_t flow_count(const Phase& phase, Kind kind);

struct Communicator {
  std::string name;
  std::string members_text;
  std::vector<int> members;
  std::vector<int> remote;
  double number = 0;
};

/// Names of nodes, and ranks that ran there.
using NodeRanks = std::vector<std::pair<std::string, std::vector<int>>>;
/// By the run itself, which knows them of all ranks that have Cairn; each node once.
NodeRanks nodes_of(const formats::run::Summary& run, int ranks);

/// What other files beside comm.json have.
struct Beside {
  formats::run::Summary run;   // for nodes of ranks that are not in comm.json
  std::vector<Flow> inner;     // sent by the MPI library itself, as Open MPI's monitoring component has written it
  std::vector<Flow> modelled;  // by the tool's model of the library's algorithms

  Beside() = default;
  explicit Beside(formats::run::Summary of) : run(std::move(of)) {}
  explicit Beside(const std::string& folder);  // ../run.json, inner.RANK.prof, coll_modelled.*.mtx
};

struct Data {
  static constexpr int unknown_node = -1;

  std::string program;
  int ranks = 0;
  std::vector<std::string> nodes;
  std::vector<int> node_of;  // [ranks]; or unknown_node
  std::vector<Communicator> communicators;
  std::vector<Phase> phases;
  std::vector<Moment> moments;
  bool is_saturated;  // a sum of bytes did not fit
  bool has_lost;      // something is not counted
  Volume of_tools;    // in nothing else
  Beside beside;

  explicit Data(formats::comm::Summary file, Beside files_beside = {});

  bool knows_node(int rank) const { return node_of[static_cast<std::size_t>(rank)] != unknown_node; }
  std::vector<int> ranks_without_node() const;

 private:
  void read_nodes(std::vector<formats::comm::Node>& known);
};

/// Why figures of the file may be too low, for warnings.
std::vector<Problem> doubts_of(const Data& data, const std::string& file);

/// What an instance of comm has left in a folder of results: as it is in the file, and by rank.
struct Recorded {
  formats::comm::Summary summary;
  Data data;
  std::vector<Problem> warnings{};  // of what is known in part
};

/// The snapshots of ranks, where there are no results of the whole run. Throws Problem if it is damaged, OtherRun if it
/// belongs to another run than the folder's, and Problem if there is nothing, which names what asked for it.
Recorded read_recorded(const std::string& run, const std::string& instance = "comm", const std::string& asked = "");

/// Called with groups of ranks, from and to, and what went between them.
using Visit = std::function<void(int from, int to, const Volume& volume)>;

/// Everything of a kind in a phase, by groups of ranks: `group_of` has one for each rank, from 0 to below `groups`.
/// Traffic with processes outside of MPI_COMM_WORLD is left out.
void for_each_flow(const Data& data, const Phase& phase, Kind kind, const std::vector<int>& group_of, int groups,
                   const Visit& visit);

/// Pairs of ranks that the shares of a phase stand for.
double shared_pairs(const Data& data, const Phase& phase);

/// What each rank sends and gets in one phase and kind, shares included.
void add_by_rank(const Data& data, const Phase& phase, Kind kind, std::vector<Volume>& sent,
                 std::vector<Volume>& received);

}  // namespace cairn::report::comm
