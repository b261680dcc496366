// SPDX-License-Identifier: BSD-3-Clause
// comm.hpp - comm.json (tools/comm/README.md): who sent how much to whom, of one rank or of all; the keys of the file, and
// the members that travel between ranks
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "formats/comm_operation.hpp"
#include "formats/tags.hpp"

namespace cairn::formats::comm {

/// Messages of a size below 2^bin that are in no bin before it. In the file: that limit, and their number.
struct SizeBin {
  std::uint8_t bin = 0;
  std::uint64_t messages = 0;

  bool operator==(const SizeBin&) const = default;
  static void members(auto& archive, auto& size) { archive(size.bin, size.messages); }
  static void row(auto& file, auto& size) {
    file.power_of_two(size.bin);
    file.values(size.messages);
  }
};

/// Without the empty ones.
using Sizes = std::vector<SizeBin>;

struct Volume {
  std::uint64_t messages = 0;
  std::uint64_t bytes = 0;

  void add(const Volume& other);
  static void members(auto& archive, auto& volume) { archive(volume.messages, volume.bytes); }
  static void fields(auto& file, auto& volume) {
    file("messages", volume.messages);
    file("bytes", volume.bytes);
  }
};

/// From one process to another, by world rank; negative: a process outside of MPI_COMM_WORLD.
struct Flow : Volume {
  int from = 0;
  int to = 0;
  Sizes sizes;

  static void members(auto& archive, auto& flow) {
    Volume::members(archive, flow);
    archive(flow.from, flow.to, flow.sizes);
  }
  static void row(auto& file, auto& flow) { file.values(flow.from, flow.to, flow.messages, flow.bytes, flow.sizes); }
};

/// Whom a part of a collective call concerns that is the same for all partners.
enum class Reach : std::uint8_t { to_all, to_later, from_all };
inline constexpr std::array<std::string_view, 3> reach_names = {"to_all", "to_later", "from_all"};

/// What one process gave to each of its partners in a communicator, or got from each.
struct Share : Volume {
  std::uint32_t communicator = 0;  // index into Summary::communicators
  Reach reach = Reach::to_all;
  int rank = 0;
  Sizes sizes;

  static void members(auto& archive, auto& share) {
    Volume::members(archive, share);
    archive(share.communicator, share.reach, share.rank, share.sizes);
  }
  static void row(auto& file, auto& share) {
    file.values(share.communicator);
    file.word(share.reach, reach_names);
    file.values(share.rank, share.messages, share.bytes, share.sizes);
  }
};

/// One process's collective calls in a communicator, by table 2 of the Open MPI monitoring component's description.
struct Calls {
  std::uint32_t communicator = 0;
  int rank = 0;
  Volume one_to_all;  // where it was the root
  Volume all_to_one;  // the same
  Volume all_to_all;

  static void members(auto& archive, auto& calls) {
    archive(calls.communicator, calls.rank, calls.one_to_all, calls.all_to_one, calls.all_to_all);
  }
  static void row(auto& file, auto& calls) {
    file.values(calls.communicator, calls.rank, calls.one_to_all.messages, calls.one_to_all.bytes,
                calls.all_to_one.messages, calls.all_to_one.bytes, calls.all_to_all.messages, calls.all_to_all.bytes);
  }
};

struct Files {
  int rank = 0;
  Volume read;
  Volume written;

  static void members(auto& archive, auto& files) { archive(files.rank, files.read, files.written); }
  static void row(auto& file, auto& files) {
    file.values(files.rank, files.read.messages, files.read.bytes, files.written.messages, files.written.bytes);
  }
};

/// The last one is a part of the one before, for the model.
enum FlowKind : std::uint8_t { p2p, put, fetched, coll, own_kinds, coll_direct = own_kinds, flow_kinds };
inline constexpr std::array<std::string_view, flow_kinds> flow_names = {"p2p", "osc_put", "osc_get", "coll",
                                                                        "coll_direct"};

/// Calls of one sort and about one size in a communicator, for the model; bytes: what goes to or comes from one
/// partner.
struct OperationCalls : Volume {
  std::uint32_t communicator = 0;
  Operation what = Operation::barrier;
  int rank = 0;  // the root's, or any process's own

  static void members(auto& archive, auto& calls) {
    Volume::members(archive, calls);
    archive(calls.communicator, calls.what, calls.rank);
  }
  static void row(auto& file, auto& calls) {
    file.values(calls.communicator);
    file.word(calls.what, operation_names);
    file.values(calls.rank, calls.messages, calls.bytes);
  }
};

struct Phase {
  std::string name;  // "": outside of all regions
  std::array<std::vector<Flow>, flow_kinds> flows;
  std::vector<Share> shares;
  std::vector<Calls> calls;
  std::vector<Files> files;
  std::vector<OperationCalls> operations{};  // for the model

  static void members(auto& archive, auto& phase) {
    archive(phase.name);
    for (auto& one_kind : phase.flows) archive(one_kind);
    archive(phase.shares, phase.calls, phase.files, phase.operations);
  }
  static void fields(auto& file, auto& phase) {
    file("name", phase.name);
    for (std::size_t kind = 0; kind < flow_kinds; ++kind) file.lines(flow_names[kind], phase.flows[kind]);
    file.lines("coll_shared", phase.shares);
    file.lines("collectives", phase.calls);
    file.lines("operations", phase.operations);
    file.lines("files", phase.files);
  }
};

/// Communicators with the same processes and name.
struct Communicator {
  std::string name;
  std::string processes;  // as ranks_text has them, in the communicator's order
  std::string remote;     // the second group of an inter-communicator
  std::uint64_t number = 0;

  bool same(const Communicator& other) const {
    return name == other.name && processes == other.processes && remote == other.remote;
  }
  static void members(auto& archive, auto& one) { archive(one.name, one.processes, one.remote, one.number); }
  static void fields(auto& file, auto& one) {
    file("name", one.name);
    file("members", one.processes);
    file("remote", one.remote);
    file("number", one.number);
  }
};

struct Node {
  std::string name;
  std::vector<int> ranks;

  static void members(auto& archive, auto& node) { archive(node.name, node.ranks); }
  static void fields(auto& file, auto& node) {
    file("name", node.name);
    file.ranks("ranks", node.ranks);
  }
};

/// All traffic by kind; of collective calls the parts for all partners.
enum KindSum : std::uint8_t { sum_p2p, sum_osc, sum_coll, kind_sums };
using KindSums = std::array<Volume, kind_sums>;

/// What came from one snapshot to the next.
struct Moment {
  static constexpr std::uint32_t end = UINT32_MAX;

  std::uint32_t number = 0;        // of the snapshot that it ends with, from 1; `end`: from the last to MPI_Finalize
  std::uint64_t microseconds = 0;  // since the first rank of the node left MPI_Init; on the last of the ranks
  std::uint64_t ranks = 1;         // that have taken part
  KindSums sums{};

  double seconds() const { return static_cast<double>(microseconds) / 1e6; }

  static void members(auto& archive, auto& moment) {
    archive(moment.number, moment.microseconds, moment.ranks);
    for (auto& sum : moment.sums) archive(sum);
  }
  static void row(auto& file, auto& moment) {
    file.number_or_word(moment.number, end, "end");
    file.microseconds(moment.microseconds);
    file.values(moment.ranks);
    for (auto& sum : moment.sums) file.values(sum.messages, sum.bytes);
  }
};

/// A whole run, or one rank's snapshot.
struct Summary {
  std::string run;  // identity
  std::string program;
  int ranks = 0;
  int rank = -1;           // of a snapshot, which has one rank's figures only
  std::string ended_by;    // "SIGTERM", where the snapshot is a process's last one
  bool saturated = false;  // a sum of bytes did not fit
  bool lost = false;       // some rank ran out of memory, and something is not counted
  Volume of_tools;         // messages and collective calls of tools above for themselves; in nothing else
  std::vector<Node> nodes;
  std::vector<Communicator> communicators;
  std::vector<Phase> phases;    // by name
  std::vector<Moment> moments;  // by number

  static void members(auto& archive, auto& all) {  // those that another rank needs
    archive(all.saturated, all.lost, all.of_tools, all.nodes, all.communicators, all.phases, all.moments);
  }

  static void fields(auto& file, auto& all) {
    file.derived("format", comm_tag.text());
    file.optional("run", all.run, !all.run.empty());
    file("program", all.program);
    file("ranks", all.ranks);
    file.optional("rank", all.rank, all.rank >= 0);
    file.optional("ended_by", all.ended_by, !all.ended_by.empty());
    file("saturated", all.saturated);
    file("lost", all.lost);
    file.optional("tools", all.of_tools, all.of_tools.messages != 0);
    file.lines("nodes", all.nodes);
    file.lines("communicators", all.communicators);
    file.lines("moments", all.moments, !all.moments.empty() && all.moments.front().number != Moment::end);
    file("phases", all.phases);
  }
};

/// Ranks a share goes to, or comes from.
std::vector<int> partners(const Communicator& communicator, const Share& share);

/// Takes another's figures in: flows are put side by side, communicators, phases and nodes matched.
void merge(Summary& into, Summary&& other);

std::string file_text(const Summary& summary);

}  // namespace cairn::formats::comm
