// SPDX-License-Identifier: BSD-3-Clause
// source.cc - from comm.json and what stands beside it to a matrix

#include "cli/place/source.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <numeric>

#include "base/message.hpp"
#include "base/text.hpp"
#include "cli/report/comm_sums.hpp"
#include "cli/report/reading.hpp"
#include "collectives/modelled_flows.hpp"
#include "formats/ranks.hpp"
#include "formats/readers.hpp"
#include "formats/run.hpp"

namespace cairn::place {

namespace {

using report::comm::Data;
using report::comm::Flow;
using report::comm::Phase;
using report::comm::Recorded;
using report::comm::Volume;

void check_phases(const Data& data, const std::vector<std::string>& phases) {
  for (const std::string& wanted : phases)
    if (std::ranges::find(data.phases, wanted, &Phase::name) == data.phases.end()) {
      std::vector<std::string> names;
      for (const Phase& phase : data.phases)
        if (!phase.name.empty()) names.push_back(harmless(phase.name));
      throw Problem("the run has no phase '" + wanted + "'",
                    names.empty() ? "no --phase: the run has none" : join(names, ", "), "--phase " + wanted);
    }
}

class Sum {
 public:
  Sum(const Data& data, Unit unit) : data_(data), unit_(unit), alone_(static_cast<std::size_t>(data.ranks)) {
    std::iota(alone_.begin(), alone_.end(), 0);
    matrix_.size = data.ranks;
  }
  void add(const Phase& phase, report::comm::Kind kind) {
    for_each_flow(data_, phase, kind, alone_, data_.ranks,
                  [&](int from, int to, const Volume& volume) { add_one(from, to, volume); });
  }
  void add(const std::vector<Flow>& flows) {
    for (const Flow& flow : flows)
      if (flow.from >= 0 && flow.to >= 0) add_one(flow.from, flow.to, flow);
  }
  formats::Matrix take() { return std::move(matrix_); }

  void add_one(int from, int to, const Volume& volume) {
    const double amount = unit_ == Unit::bytes ? volume.bytes : volume.messages;
    if (from != to && amount > 0) matrix_.entries.push_back({from, to, amount});
  }

 private:
  const Data& data_;
  Unit unit_;
  std::vector<int> alone_;
  formats::Matrix matrix_;
};

bool is_wanted(const Phase& phase, const std::vector<std::string>& wanted) {
  return wanted.empty() || std::ranges::find(wanted, phase.name) != wanted.end();
}

/// By the model, the calls of some phases. False: the tool has recorded none for it, or pairs are too many.
bool add_modelled(formats::comm::Summary summary, const std::vector<std::string>& wanted, Sum& sum) {
  std::erase_if(summary.phases, [&](const Phase& phase) { return !is_wanted(phase, wanted); });
  const bool has_calls = std::ranges::any_of(summary.phases, [](const Phase& phase) {
    return !phase.operations.empty() || !phase.flows[formats::comm::coll_direct].empty();
  });
  const collectives::ModelledFlows flows(summary);
  if (!has_calls || !flows.fit()) return false;
  for (const Phase& phase : summary.phases) sum.add(phase.flows[formats::comm::coll_direct]);
  for (int from = 0; from < summary.ranks; ++from)
    flows.for_each_of(from, [&](int to, const Volume& volume) {
      if (to >= 0) sum.add_one(from, to, volume);
    });
  return true;
}

/// Collective calls as the library has sent them, if that was recorded; as a model has it; as if every part went directly.
std::string add_collectives(const Recorded& recorded, const std::vector<std::string>& wanted, Sum& sum) {
  const Data& data = recorded.data;
  const bool is_whole = wanted.empty();
  if (is_whole && !data.beside.inner.empty()) {
    sum.add(data.beside.inner);
    return "collective calls as Open MPI's monitoring saw them";
  }
  if (add_modelled(recorded.summary, wanted, sum)) return "collective calls by the model of comm";
  const bool with_shares = report::comm::tells_shared_pairs(data);
  for (const Phase& one : data.phases) {
    if (!is_wanted(one, wanted)) continue;
    Phase phase = one;
    if (!with_shares) phase.shares.clear();
    sum.add(phase, report::comm::coll);
  }
  return with_shares ? "collective calls as if every part went directly"
                     : "without collective calls in which all partners get alike";
}

/// Of each rank, as far as run.json tells.
std::vector<std::vector<int>> processors_in(const std::string& folder, int ranks) {
  std::vector<std::vector<int>> all(static_cast<std::size_t>(ranks));
  for (const formats::run::Place& place : formats::run::of_folder(folder).places)
    for (const int rank : formats::ranks_of(place.ranks, ranks))
      if (rank >= 0 && rank < ranks) all[static_cast<std::size_t>(rank)] = formats::ranks_of(place.processors);
  return all;
}

Source read_run(const std::string& folder, Unit unit, const std::vector<std::string>& wanted) {
  const Recorded recorded = report::comm::read_recorded(folder);
  const Data& data = recorded.data;
  check_phases(data, wanted);
  Source source;
  Sum sum(data, unit);
  for (const Phase& phase : data.phases)
    for (const auto kind : {report::comm::p2p, report::comm::osc})
      if (is_wanted(phase, wanted)) sum.add(phase, kind);
  source.collectives = add_collectives(recorded, wanted, sum);
  source.matrix = sum.take();
  source.run = recorded.summary.run;
  source.program = data.program;
  source.unit = unit;
  source.warnings = recorded.warnings;
  if (!data.nodes.empty()) {
    source.nodes = data.nodes;
    source.node_of = data.node_of;
    source.processors = processors_in(folder, data.ranks);
  }
  return source;
}

Source read_matrix_of(const std::string& path, Unit unit, const std::vector<std::string>& phases) {
  if (!phases.empty())
    throw Problem("'" + path + "' is a matrix of a whole run, without phases", "the run's folder",
                  "--phase " + phases.front());
  Source source;
  source.matrix = formats::read_matrix_file(path);
  source.unit = unit;
  return source;
}

}  // namespace

std::vector<int> ranks_without_node(const Source& source) {
  std::vector<int> ranks;
  for (std::size_t rank = 0; rank < source.node_of.size(); ++rank)
    if (source.node_of[rank] < 0) ranks.push_back(static_cast<int>(rank));
  return ranks;
}

Source read_source(const std::string& path, Unit unit, const std::vector<std::string>& phases) {
  Source source =
      std::filesystem::is_directory(path) ? read_run(path, unit, phases) : read_matrix_of(path, unit, phases);
  const bool is_empty =
      std::ranges::none_of(source.matrix.entries, [](const auto& entry) { return entry.row != entry.column; });
  if (is_empty)
    throw Problem("no rank of '" + path + "' sends anything to another", "a run in which ranks communicate");
  return source;
}

}  // namespace cairn::place
