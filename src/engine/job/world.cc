// SPDX-License-Identifier: BSD-3-Clause
// world.cc - asking the library for the job's processes, by MPI_COMM_WORLD or by the process set mpi://WORLD

#include "job/world.hpp"

#include <sched.h>

#include <array>
#include <vector>

#include "job/messages.hpp"

namespace cairn::engine {

namespace {

/// MPI_GROUP_NULL if that fails.
MPI_Group some_of(MPI_Group all, const RankRanges& ranks) {
  std::vector<std::array<int, 3>> ranges;
  for (const RankRange& range : ranks) ranges.push_back({range.first, range.last, 1});
  MPI_Group some = MPI_GROUP_NULL;
  library.Group_range_incl(all, static_cast<int>(ranges.size()), reinterpret_cast<int(*)[3]>(ranges.data()), &some);
  return some;
}

void probe_and_yield(MPI_Comm comm) {
  int found = 0;
  library.Iprobe(MPI_ANY_SOURCE, job_tag, comm, &found, MPI_STATUS_IGNORE);
  sched_yield();
}

}  // namespace

void World::start() {
  comm_ = MPI_COMM_WORLD;
  library.Comm_rank(comm_, &rank_);
  library.Comm_size(comm_, &size_);
}

/// A duplicate would run the program's attribute callbacks; of some ranks only these take part.
MPI_Comm World::make(const RankRanges& ranks) const {
  MPI_Comm made = MPI_COMM_NULL;
  if (comm_ == MPI_COMM_NULL) return made;
  const ReturningErrors errors(comm_);
  if (count(ranks) == size_) {
    library.Comm_split(comm_, 0, 0, &made);
    return made;
  }
  MPI_Group world = MPI_GROUP_NULL;
  library.Comm_group(comm_, &world);
  MPI_Group group = some_of(world, ranks);
  library.Group_free(&world);
  if (group == MPI_GROUP_NULL) return made;
  library.Comm_create_group(comm_, group, job_tag, &made);
  library.Group_free(&group);
  return made;
}

#if MPI_VERSION >= 4

bool World::start_with_session() {
  if (library.Session_init == nullptr ||
      library.Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &session_) != MPI_SUCCESS)
    return false;
  if (library.Group_from_session_pset(session_, "mpi://WORLD", &group_) != MPI_SUCCESS) group_ = MPI_GROUP_NULL;
  if (!has_session()) {
    finish();
    return false;
  }
  library.Group_rank(group_, &rank_);
  library.Group_size(group_, &size_);
  return true;
}

void World::finish() {
  end_wait();
  if (has_session()) library.Group_free(&group_);
  if (session_ != MPI_SESSION_NULL) library.Session_finalize(&session_);
}

/// MPICH 4.0 knows only groups of all processes and of the process itself here.
void World::open() {
  if (!has_session()) return;
  const int result = library.Comm_create_from_group(group_, "org.cairn.job", MPI_INFO_NULL, MPI_ERRORS_RETURN, &comm_);
  if (result != MPI_SUCCESS) comm_ = MPI_COMM_NULL;
}

void World::close() {
  if (has_session() && comm_ != MPI_COMM_NULL) library.Comm_free(&comm_);
}

/// MPICH 4.0.2 makes no progress where it probes in a communicator of one process; it does while it waits there.
void World::begin_wait() {
  MPI_Group group = MPI_GROUP_NULL;
  if (library.Group_from_session_pset(session_, "mpi://SELF", &group) != MPI_SUCCESS) return;
  const int result =
      library.Comm_create_from_group(group, "org.cairn.job.self", MPI_INFO_NULL, MPI_ERRORS_RETURN, &self_);
  library.Group_free(&group);
  if (result != MPI_SUCCESS) self_ = MPI_COMM_NULL;
  else library.Irecv(nullptr, 0, MPI_BYTE, 0, job_tag, self_, &wait_);
}

void World::end_wait() {
  if (self_ == MPI_COMM_NULL) return;
  library.Send(nullptr, 0, MPI_BYTE, 0, job_tag, self_);
  library.Wait(&wait_, MPI_STATUS_IGNORE);
  library.Comm_free(&self_);
}

void World::let_progress() {
  if (comm_ != MPI_COMM_NULL) return probe_and_yield(comm_);
  if (self_ == MPI_COMM_NULL) begin_wait();
  int is_over = 0;
  if (wait_ != MPI_REQUEST_NULL) library.Test(&wait_, &is_over, MPI_STATUS_IGNORE);
  sched_yield();
}

#else

bool World::start_with_session() { return false; }
void World::finish() {}
void World::open() {}
void World::close() {}
void World::let_progress() { probe_and_yield(comm_); }

#endif

}  // namespace cairn::engine
