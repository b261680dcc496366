// SPDX-License-Identifier: BSD-3-Clause
// teams.cc - one communicator for all instances that the same ranks have

#include "job/teams.hpp"

#include <algorithm>

#include "job/library.hpp"
#include "job/messages.hpp"
#include "job/naps.hpp"

namespace cairn::engine {

Team::Team(RankRanges ranks, const World& world) : world_(world), ranks_(std::move(ranks)), in_world_(list(ranks_)) {
  const auto place = std::ranges::find(in_world_, world.rank());
  members_ = {static_cast<int>(place - in_world_.begin()), static_cast<int>(in_world_.size()), in_world_.data(),
              world.size()};
}

MPI_Comm Team::communicator() {
  ++users_;
  if (comm_ != MPI_COMM_NULL) return comm_;
  comm_ = world_.make(ranks_);
  if (comm_ != MPI_COMM_NULL) library.Comm_set_errhandler(comm_, MPI_ERRORS_RETURN);
  return comm_;
}

void Team::release() {
  if (--users_ == 0) free();
}

/// From the first to all of them, in a tree, which is not that of neighbours.hpp: there may be no memory for its lists.
void Team::wait_for_first() const {
  const auto& [rank, size, in_world, world_size] = members_;
  if (comm_ == MPI_COMM_NULL) return;
  int step = 1;
  while (step < size && rank % (2 * step) == 0) step *= 2;
  if (rank != 0) receive_with_naps(nullptr, 0, MPI_BYTE, rank - step, job_tag, comm_);
  for (step /= 2; step > 0; step /= 2)
    if (rank + step < size) send_word(rank + step, comm_);
}

void Team::free() {
  if (comm_ != MPI_COMM_NULL) library.Comm_free(&comm_);
}

Team* Teams::find_or_add(const RankRanges& ranks, const World& world) {
  const auto same = [](const RankRange& a, const RankRange& b) { return a.first == b.first && a.last == b.last; };
  for (Team& team : teams_)
    if (std::ranges::equal(team.ranks(), ranks, same)) return &team;
  return &teams_.emplace_back(ranks, world);
}

void Teams::end(bool waits) {
  for (Team& team : teams_) {
    if (waits) team.wait_for_first();
    team.free();
  }
}

}  // namespace cairn::engine
