// SPDX-License-Identifier: BSD-3-Clause
// arrivals.cc - comparing the ranks' times of the same calls

#include "arrivals.hpp"

#include <mpi.h>

#include <limits>

#include "cairn/kit/ranks.hpp"

namespace profile {

namespace {

/// Ranks that lost their way in the order (a filter on some ranks, an error) cannot be compared.
bool all_alike(const cairn::World& world, std::uint64_t calls) {
  std::array<std::uint64_t, 2> greatest = {calls, ~calls};
  world.max_everywhere(std::span(greatest));
  return greatest[0] == ~greatest[1];
}

/// Nanoseconds on the node's clock; a double has them exactly for a hundred days of uptime.
std::vector<double> begins_of(const ArrivalSample& sample, const cairn::Clock& clock) {
  std::vector<double> begins;
  for (const Arrival& arrival : sample.kept())
    begins.push_back(static_cast<double>(clock.nanoseconds_at(arrival.begin)));
  return begins;
}

}  // namespace

void compare(const cairn::Self& self, const ArrivalSample& sample, const cairn::Clock& clock, Waiting& waiting) {
  const cairn::World world(self);
  const std::size_t kept = sample.kept().size();
  if (world.size() == 1 || !world.is_one_node() || !all_alike(world, sample.count()) || kept == 0) return;

  std::vector<double> first = begins_of(sample, clock);
  std::vector<double> last = first;
  world.max_everywhere(std::span(last));
  std::vector<double> times(kept);
  std::vector<int> ranks(kept, std::numeric_limits<int>::max());
  for (std::size_t i = 0; i < kept; ++i) {
    const Arrival& arrival = sample.kept()[i];
    times[i] = waited(first[i], 1e9 * clock.seconds(arrival.end - arrival.begin), last[i]);
    if (first[i] == last[i]) ranks[i] = world.world_rank();
  }
  world.sum(std::span(times));
  world.min(std::span(ranks));
  world.min(std::span(first));
  if (world.rank() != 0) return;

  std::vector<Compared> compared;
  for (std::size_t i = 0; i < kept; ++i)
    compared.push_back({sample.kept()[i].function, 1e-9 * times[i], 1e-9 * (last[i] - first[i]), ranks[i]});
  estimate(compared, sample.count(), waiting);
}

}  // namespace profile
