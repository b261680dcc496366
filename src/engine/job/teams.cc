// SPDX-License-Identifier: BSD-3-Clause
// teams.cc - making communicators of ranks of MPI_COMM_WORLD without the program's noticing

#include "job/teams.hpp"

#include <algorithm>
#include <array>

#include "job/messages.hpp"

namespace cairn::engine {

Team::Team(RankRanges ranks, int rank, int world_size) : ranks_(std::move(ranks)), in_world_(list(ranks_)) {
  const auto place = std::ranges::find(in_world_, rank);
  members_ = {static_cast<int>(place - in_world_.begin()), static_cast<int>(in_world_.size()), in_world_.data(),
              world_size};
}

/// A duplicate would run the program's attribute callbacks; of some ranks only these take part.
bool Team::make() {
  if (members_.size == members_.world_size) return library.Comm_split(MPI_COMM_WORLD, 0, 0, &comm_) == MPI_SUCCESS;
  MPI_Group world = MPI_GROUP_NULL;
  MPI_Group group = MPI_GROUP_NULL;
  library.Comm_group(MPI_COMM_WORLD, &world);
  std::vector<std::array<int, 3>> ranges;
  for (const RankRange& range : ranks_) ranges.push_back({range.first, range.last, 1});
  int result = library.Group_range_incl(world, static_cast<int>(ranges.size()),
                                        reinterpret_cast<int(*)[3]>(ranges.data()), &group);
  if (result == MPI_SUCCESS) result = library.Comm_create_group(MPI_COMM_WORLD, group, job_tag, &comm_);
  if (group != MPI_GROUP_NULL) library.Group_free(&group);
  library.Group_free(&world);
  return result == MPI_SUCCESS;
}

MPI_Comm Team::communicator() {
  ++users_;
  if (comm_ != MPI_COMM_NULL) return comm_;
  const ReturningErrors errors(MPI_COMM_WORLD);
  if (make()) library.Comm_set_errhandler(comm_, MPI_ERRORS_RETURN);
  return comm_;
}

MPI_Comm Team::node_communicator() {
  const MPI_Comm all = comm_ != MPI_COMM_NULL ? comm_ : communicator();
  if (node_ == MPI_COMM_NULL && all != MPI_COMM_NULL &&
      library.Comm_split_type(all, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node_) == MPI_SUCCESS)
    library.Comm_set_errhandler(node_, MPI_ERRORS_RETURN);
  return node_;
}

void Team::release() {
  if (--users_ == 0) free();
}

void Team::free() {
  if (node_ != MPI_COMM_NULL) library.Comm_free(&node_);
  if (comm_ != MPI_COMM_NULL) library.Comm_free(&comm_);
}

Team* Teams::find_or_add(const RankRanges& ranks, int rank, int world_size) {
  const auto same = [](const RankRange& a, const RankRange& b) { return a.first == b.first && a.last == b.last; };
  for (Team& team : teams_)
    if (std::ranges::equal(team.ranks(), ranks, same)) return &team;
  return &teams_.emplace_back(ranks, rank, world_size);
}

void Teams::free_communicators() {
  for (Team& team : teams_) team.free();
}

}  // namespace cairn::engine
