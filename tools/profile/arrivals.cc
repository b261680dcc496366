// SPDX-License-Identifier: BSD-3-Clause
// arrivals.cc - comparing the ranks' times of the same calls

#include "comparison.hpp"

#include <array>
#include <limits>

namespace profile {

namespace {

/// Ranks that lost their way in the order (a filter on some ranks, an error) cannot be compared.
bool all_alike(const cairn::World& world, std::uint64_t calls) {
  std::array<std::uint64_t, 2> greatest = {calls, ~calls};
  world.max_everywhere(std::span(greatest));
  return greatest[0] == ~greatest[1];
}

}  // namespace

Comparison::Comparison(const ArrivalSample& sample, const cairn::Clock& clock) : sample_(sample) {
  for (const Arrival& arrival : sample.kept()) {
    first_.push_back(static_cast<double>(clock.nanoseconds_at(arrival.begin)));
    waited_.push_back(1e9 * clock.seconds(arrival.end - arrival.begin));
  }
  last_ = first_;
  ranks_.assign(first_.size(), std::numeric_limits<int>::max());
}

void Comparison::compare(const cairn::World& world) {
  is_good_ = world.size() > 1 && world.is_one_node() && all_alike(world, sample_.count()) && !first_.empty();
  if (!is_good_) return;
  world.max_everywhere(std::span(last_));
  for (std::size_t i = 0; i < first_.size(); ++i) {
    waited_[i] = waited(first_[i], waited_[i], last_[i]);
    if (first_[i] == last_[i]) ranks_[i] = world.world_rank();
  }
  world.sum(std::span(waited_));
  world.min(std::span(ranks_));
  world.min(std::span(first_));
}

void Comparison::tell(Waiting& waiting) const {
  if (!is_good_) return;
  std::vector<Compared> compared;
  for (std::size_t i = 0; i < first_.size(); ++i)
    compared.push_back({sample_.kept()[i].function, 1e-9 * waited_[i], 1e-9 * (last_[i] - first_[i]), ranks_[i]});
  estimate(compared, sample_.count(), waiting);
}

}  // namespace profile
