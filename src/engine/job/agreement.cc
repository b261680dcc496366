// SPDX-License-Identifier: BSD-3-Clause
// agreement.cc - rosters up a tree of the ranks with Cairn, the whole one down again

#include "job/agreement.hpp"

#include <optional>

#include "job/messages.hpp"
#include "job/tree.hpp"

namespace cairn::engine {

namespace {

std::string to_bytes(const Agreement& agreement) {
  return agreement.run + '\0' + agreement.folder + '\0' + agreement.roster.to_bytes();
}

/// Nothing if they did not come.
std::optional<Agreement> from_bytes(const std::string& bytes) {
  const std::size_t first = bytes.find('\0');
  const std::size_t second = first == std::string::npos ? first : bytes.find('\0', first + 1);
  if (second == std::string::npos) return std::nullopt;
  return Agreement{bytes.substr(0, first), bytes.substr(first + 1, second - first - 1),
                   Roster::from_bytes(std::string_view(bytes).substr(second + 1))};
}

}  // namespace

Agreement agree(int rank, int size, const Instances& here, Store* store, const cairn_job_host& host) {
  const bool can_ask = store != nullptr && store->has(rank);
  const auto has = [&](int other) { return !can_ask || other == rank || store->has(other); };
  const ReturningErrors errors(MPI_COMM_WORLD);
  const int first = first_of(size, has);
  const Tree tree(first, size, has);
  const std::vector<int> children = tree.children(rank);
  Agreement mine{"", "", Roster(here, rank)};
  for (const int child : children) mine.roster.add(Roster::from_bytes(receive_bytes(child, MPI_COMM_WORLD)));
  if (rank == first) {
    mine.run = host.run();
    mine.folder = host.settle_folder();
  } else {
    const int parent = tree.parent(rank);
    send_bytes(mine.roster.to_bytes(), parent, MPI_COMM_WORLD);
    if (auto all = from_bytes(receive_bytes(parent, MPI_COMM_WORLD))) mine = std::move(*all);
  }
  for (const int child : children) send_bytes(to_bytes(mine), child, MPI_COMM_WORLD);
  return mine;
}

}  // namespace cairn::engine
