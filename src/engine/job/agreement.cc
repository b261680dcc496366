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

Agreement agree(const JobRanks& ranks, const Roster& mine, const cairn_job_host& host) {
  const auto& [comm, rank, size, has] = ranks;
  const ReturningErrors errors(comm);
  const int first = first_of(size, has);
  const Tree tree(first, size, has);
  const std::vector<int> children = tree.children(rank);
  Agreement all{"", "", mine};
  for (const int child : children) all.roster.add(Roster::from_bytes(receive_bytes(child, comm)));
  if (rank == first) {
    all.run = host.run();
    all.folder = host.settle_folder();
  } else {
    const int parent = tree.parent(rank);
    send_bytes(all.roster.to_bytes(), parent, comm);
    if (auto known = from_bytes(receive_bytes(parent, comm))) all = std::move(*known);
  }
  for (const int child : children) send_bytes(to_bytes(all), child, comm);
  return all;
}

}  // namespace cairn::engine
