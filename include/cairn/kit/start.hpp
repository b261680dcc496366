// SPDX-License-Identifier: BSD-3-Clause
// start.hpp - detects that MPI has started, by MPI_Init or by the first session
//
//   template <cairn::Function F>
//     requires(cairn::starts_mpi<F>())
//   int on(cairn::Call<F>& call) {
//     const int result = call.proceed();
//     if (start_.is_first(result)) …                     // MPI can be used from here on
//     return result;
//   }
//   cairn::MpiStart start_;
#pragma once

#include <mpi.h>

#include <atomic>

#include "cairn/functions.hpp"
#include "cairn/kit/own_work.hpp"
#include "cairn/kit/self.hpp"
#include "cairn/services/job.hpp"

namespace cairn {

/// MPI_Init, MPI_Init_thread and, if the library has it, MPI_Session_init.
template <Function F>
constexpr bool starts_mpi() {
  return F == Function::MPI_Init_ || F == Function::MPI_Init_thread_ ||
         (facts(F).category == Category::lifecycle && has<F>(Role::new_session));
}

/// MPI_Session_finalize.
template <Function F>
constexpr bool finalizes_session() {
  return facts(F).category == Category::lifecycle && has<F>(Role::session_inout);
}

class MpiStart {
 public:
  /// `result`: of one of these functions. True once, after the first call that succeeds.
  bool is_first(int result) { return result == MPI_SUCCESS && !has_started_.exchange(true); }
  bool has_started() const { return has_started_; }

 private:
  std::atomic<bool> has_started_{false};
};

/// The position of this process in the job.
struct JobPlace {
  int rank;
  int size;
};

/// When MPI has started: in MPI_COMM_WORLD, or in mpi://WORLD in a program with sessions. Layers that Cairn adds are
/// members of nothing and ask the library, which has no MPI_COMM_WORLD in such a program.
inline JobPlace place_in_job(const Self& self) {
  const Job* const job = self.find<Job>();
  if (const JobMembers* const members = job == nullptr ? nullptr : job->members(&self.raw()))
    return {members->in_world[members->rank], members->world_size};
  JobPlace place{0, 1};
  const OwnWork own;
  int has_world = 0;
  PMPI_Initialized(&has_world);
  if (const MPI_Group world = job == nullptr ? MPI_GROUP_NULL : job->session_world(); world != MPI_GROUP_NULL) {
    PMPI_Group_rank(world, &place.rank);
    PMPI_Group_size(world, &place.size);
  } else if (has_world != 0) {
    PMPI_Comm_rank(MPI_COMM_WORLD, &place.rank);
    PMPI_Comm_size(MPI_COMM_WORLD, &place.size);
  }
  return place;
}

}  // namespace cairn
