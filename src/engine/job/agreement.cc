// SPDX-License-Identifier: BSD-3-Clause
// agreement.cc - rosters and places up a tree of the ranks with Cairn, the whole roster down again

#include "job/agreement.hpp"

#include <optional>

#include "job/clocks.hpp"
#include "job/messages.hpp"

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
  return Agreement{bytes.substr(0, first),
                   bytes.substr(first + 1, second - first - 1),
                   Roster::from_bytes(std::string_view(bytes).substr(second + 1)),
                   {},
                   {}};
}

Agreement exchange(const Neighbours& near, const JobRanks& ranks, const Roster& mine, const cairn_job_host& host) {
  Agreement all{"", "", mine, {Place::of_this_process(), ranks.rank}, {}};
  const MPI_Comm comm = ranks.comm;
  for (const int child : near.children) {
    all.roster.add(Roster::from_bytes(receive_bytes(child, comm)));
    all.places.add(Places::from_bytes(receive_bytes(child, comm)));
  }
  if (near.is_first) {
    all.run = host.run();
    all.folder = host.settle_folder();
  } else {
    send_bytes(all.roster.to_bytes(), near.parent, comm);
    send_bytes(all.places.to_bytes(), near.parent, comm);
    if (auto known = from_bytes(receive_bytes(near.parent, comm))) all = std::move(*known);
  }
  for (const int child : near.children) send_bytes(to_bytes(all), child, comm);
  return all;
}

/// Comes back when all ranks of the tree have come here.
void wait_for_all(const Neighbours& near, MPI_Comm comm) {
  for (const int child : near.children) receive_word(child, comm);
  if (!near.is_first) {
    send_word(near.parent, comm);
    receive_word(near.parent, comm);
  }
  for (const int child : near.children) send_word(child, comm);
}

}  // namespace

Agreement agree(const JobRanks& ranks, const Roster& mine, const cairn_job_host& host, NodePage& page) {
  const ReturningErrors errors(ranks.comm);
  const Neighbours near(ranks);
  Agreement all = exchange(near, ranks, mine, host);
  all.clock = compare_clocks(ranks, near);
  if (count(all.roster.ranks()) < 2) return all;
  page.open(all.run, ranks.rank, ranks.size);
  wait_for_all(near, ranks.comm);
  page.remove_name();
  return all;
}

}  // namespace cairn::engine
