// SPDX-License-Identifier: BSD-3-Clause
// comm_data.hpp - comm.json (tools/comm/README.md) in memory, and sums over it
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "cli/report/section.hpp"

namespace cairn::report::comm {

/// Numbers are for people from here on, so sums may be rounded.
struct Volume {
  double messages = 0;
  double bytes = 0;

  void add(const Volume& other, double times = 1) {
    messages += times * other.messages;
    bytes += times * other.bytes;
  }
};

struct Flow : Volume {
  int from = 0;
  int to = 0;
};

/// What one process gave alike to all its partners in a communicator, or got from them.
struct Share : Volume {
  std::size_t communicator = 0;
  enum Reach { to_all, to_later, from_all } reach = to_all;
  int rank = 0;
};

enum Kind { p2p, osc, coll, kinds };
inline constexpr std::array<const char*, kinds> kind_keys = {"p2p", "osc", "coll"};
inline constexpr std::array<const char*, kinds> kind_names = {"point-to-point", "one-sided", "collective"};

struct Phase {
  std::string name;
  std::array<std::vector<Flow>, kinds> flows;
  std::vector<Share> shares;  // belong to coll
};

struct Communicator {
  std::string name;
  std::string members_text;
  std::vector<int> members;
  std::vector<int> remote;
  double number = 0;
};

/// What came from one snapshot to the next.
struct Moment {
  std::string name;    // the snapshot's number, or "end"
  double seconds = 0;  // since MPI_Init, at its end
  double ranks = 0;
  std::array<Volume, kinds> sums{};
};

struct Data {
  int ranks = 0;
  std::vector<std::string> nodes;
  std::vector<int> node_of;  // [ranks]
  std::vector<Communicator> communicators;
  std::vector<Phase> phases;
  std::vector<Moment> moments;
  std::vector<Flow> inner;     // sent by the MPI library itself
  std::vector<Flow> modelled;  // by the tool's model of the library's algorithms

  explicit Data(const Json& file);
};

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

/// A snapshot of another rank taken into one of the first.
void merge(Json& into, const Json& other);

/// What other files of the folder have, as further lists: "inner", what Open MPI's monitoring component has written of
/// messages of its own (inner.RANK.prof), and "modelled" (coll_modelled.*.mtx).
void complete(const std::string& folder, Json& file);

}  // namespace cairn::report::comm
