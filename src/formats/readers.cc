// SPDX-License-Identifier: BSD-3-Clause
// readers.cc - the readers of tools' files

#include "formats/readers.hpp"

#include <algorithm>

#include "formats/field_reader.hpp"

namespace cairn::formats {

namespace {

void check_ranks(int ranks, std::size_t nodes) {
  constexpr double most_on_node = 65'536;
  nodes = std::max<std::size_t>(nodes, 1);
  if (ranks >= 0 && ranks <= most_on_node * static_cast<double>(nodes)) return;
  throw Damaged(cat({"it claims ", ranks, " ranks on ", plural(nodes, "node")}));
}

/// What tells how much there can be in a file, before the rest is read.
struct Extent {
  struct Node {
    static void fields(auto& /*file*/, auto& /*node*/) {}
  };
  int ranks = 0;
  int rank = -1;
  std::vector<Node> nodes;

  static void fields(auto& file, auto& extent) {
    file("ranks", extent.ranks);
    file("rank", extent.rank);
    file("nodes", extent.nodes);
  }
};

/// Of what the file names by number, there is none beyond.
void check_numbers(const comm::Summary& summary) {
  const auto check_rank = [&](int rank) {
    if (rank >= summary.ranks) throw Damaged();
  };
  const auto check = [&](const auto& one) {
    check_rank(one.rank);
    if constexpr (requires { one.communicator; })
      if (one.communicator >= summary.communicators.size()) throw Damaged();
  };
  for (const comm::Phase& phase : summary.phases) {
    for (const std::vector<comm::Flow>& flows : phase.flows)
      for (const comm::Flow& flow : flows) check_rank(std::max(flow.from, flow.to));
    std::ranges::for_each(phase.shares, check);
    std::ranges::for_each(phase.calls, check);
    std::ranges::for_each(phase.operations, check);
    for (const comm::Files& files : phase.files)
      if (check(files); files.rank < 0) throw Damaged();
  }
}

}  // namespace

profile::Summary read_profile(const Json& json) { return FieldReader::file<profile::Summary>(json); }
policy::Summary read_policy(const Json& json) { return FieldReader::file<policy::Summary>(json); }
vars::Summary read_vars(const Json& json) { return FieldReader::file<vars::Summary>(json); }
where::Summary read_where(const Json& json) { return FieldReader::file<where::Summary>(json); }
waits::Summary read_waits(const Json& json) { return FieldReader::file<waits::Summary>(json); }
SourcePosition read_place(const Json& json) { return FieldReader::file<SourcePosition>(json); }

comm::Summary read_comm(const Json& json) {
  const auto extent = FieldReader::file<Extent>(json);
  if (extent.rank < 0) check_ranks(extent.ranks, extent.nodes.size());
  auto summary = FieldReader::file<comm::Summary>(json, std::min(extent.ranks, most_ranks_of_a_job));
  check_numbers(summary);
  return summary;
}

void check_ranks(const comm::Summary& whole) { check_ranks(whole.ranks, whole.nodes.size()); }

}  // namespace cairn::formats
