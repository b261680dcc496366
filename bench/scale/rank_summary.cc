// SPDX-License-Identifier: BSD-3-Clause
// rank_summary.cc - what `profile` and `comm` have of one rank when it comes to MPI_Finalize

#include "rank_summary.hpp"

namespace cairn::scale {

namespace {

std::string row_of_grid(const Job& job, int rank) {
  const int first = rank / job.side * job.side;
  return std::to_string(first) + "-" + std::to_string(std::min(job.ranks, first + job.side) - 1);
}

profile::Row row(const Job& job, int rank, std::uint64_t what) {
  profile::Row row{};
  row.calls = row.calls_max = 1000;
  row.sent = row.received = 8'000'000;
  row.time = row.rank_min = row.rank_max =
      Job::chance(what * static_cast<std::uint64_t>(job.ranks) + static_cast<unsigned>(rank));
  row.least = 1e-6;
  row.most = 1e-3;
  row.rank_of_max = rank;
  row.ranks = 1;
  row.by_time[5] = row.by_size[13] = 1000;
  return row;
}

}  // namespace

comm::Summary rank_summary(const Job& job, int rank) {
  comm::Summary own;
  own.nodes = {{Job::node_name(job.node_of(rank)), {rank}}};
  own.communicators = {{"MPI_COMM_WORLD", "0-" + std::to_string(job.ranks - 1), "", 1},
                       {"row", row_of_grid(job, rank), "", 1}};
  for (const char* name : {"", "solve"}) {
    comm::Phase& phase = own.phases.emplace_back();
    phase.name = name;
    for (const int to : job.neighbors(rank)) {
      comm::Flow flow;
      flow.messages = 1000;
      flow.bytes = 8'000'000;
      flow.from = rank;
      flow.to = to;
      flow.sizes = {{14, 1000}};
      phase.flows[comm::p2p].push_back(flow);
    }
    for (std::uint32_t communicator = 0; communicator < 2; ++communicator) {
      comm::Share share;
      share.messages = 100;
      share.bytes = 800;
      share.communicator = communicator;
      share.rank = rank;
      phase.shares.push_back(share);
      phase.calls.push_back({communicator, rank, {}, {}, {100, 800}});
    }
  }
  return own;
}

profile::Gathered rank_figures(const Job& job, int rank, bool by_rank) {
  using profile::KeyWriter;
  using profile::RowKind;
  profile::Gathered own;
  std::uint64_t what = 0;
  const auto put = [&](const KeyWriter& key) { add(own.rows, key.key(), row(job, rank, ++what)); };
  for (int function = 0; function < 20; ++function) put(KeyWriter(RowKind::function).put(function));
  for (int site = 0; site < 60; ++site)
    put(KeyWriter(RowKind::site)
            .put(site % 20)
            .put(std::uint64_t{4096} + static_cast<unsigned>(site))
            .put(std::string(program)));
  for (const std::string region : {"solve", "solve/halo"}) {
    put(KeyWriter(RowKind::region_calls).put(region));
    put(KeyWriter(RowKind::region_visits).put(region));
    for (int function = 0; function < 10; ++function)
      put(KeyWriter(RowKind::region_function).put(region).put(function));
  }
  for (const std::string& processes : {"0-" + std::to_string(job.ranks - 1), row_of_grid(job, rank)}) {
    put(KeyWriter(RowKind::communicator).put(processes));
    put(KeyWriter(RowKind::communicators).put(processes));
  }
  for (int function = 0; by_rank && function < 20; ++function)
    own.rank_times["MPI_Function_" + std::to_string(function)] = {{rank, Job::chance(static_cast<unsigned>(rank))}};
  return own;
}

}  // namespace cairn::scale
