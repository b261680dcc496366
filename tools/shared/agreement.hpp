// SPDX-License-Identifier: BSD-3-Clause
// agreement.hpp - the calls that all ranks make together, and what the ranks tell each other there
//
// Some settings must be the same on all ranks, and change at the same moment. The moments are the program's own
// blocking collective calls over all processes, its joint calls: the standard has every rank make them in the same
// order (MPI-4.1 section 6.14), and allows each of them to wait for the others. Ranks that count joint calls know
// without communication when to exchange messages. Communicators over all processes count like MPI_COMM_WORLD, except
// where several threads may call MPI at once (MPI_THREAD_MULTIPLE): only MPI_COMM_WORLD has an order there.
#pragma once

#include <mpi.h>

#include <algorithm>
#include <vector>

#include "cairn/kit/own_work.hpp"
#include "cairn/kit/self.hpp"
#include "cairn/services/frees.hpp"
#include "cairn/services/job.hpp"

namespace shared {

class Agreement {
 public:
  /// Each tool that agrees on something has a tag of its own.
  explicit Agreement(int tag) : tag_(tag) {}

  /// Collective over the ranks that have the tool, after MPI_Init.
  void start(const cairn::Self& self) {
    self_ = &self.raw();
    job_ = self.find<cairn::Job>();
    const cairn::JobMembers* const members = job_ == nullptr ? nullptr : job_->members(&self.raw());
    comm_ = members == nullptr ? MPI_COMM_NULL : job_->communicator(&self.raw());
    if (comm_ != MPI_COMM_NULL) {
      rank_ = members->rank;
      size_ = members->size;
    }
    int level = MPI_THREAD_SINGLE;
    PMPI_Query_thread(&level);
    is_world_only_ = any(level == MPI_THREAD_MULTIPLE);  // ranks may have asked for different levels
    with_all_ranks_.push_back(MPI_COMM_WORLD);
  }
  /// Collective, before MPI_Finalize.
  void finish() {
    if (comm_ != MPI_COMM_NULL) job_->release(self_);
    comm_ = MPI_COMM_NULL;
  }

  /// Whether a blocking collective call on it is a joint one.
  bool has_all_ranks(MPI_Comm comm) const {
    return comm == MPI_COMM_WORLD ||
           std::find(with_all_ranks_.begin(), with_all_ranks_.end(), comm) != with_all_ranks_.end();
  }
  /// A communicator that the program has created.
  void add(MPI_Comm comm, const cairn::Frees& frees) {
    if (comm == MPI_COMM_NULL || is_world_only_) return;
    const cairn::OwnWork own;
    int is_inter = 0;
    int comparison = MPI_UNEQUAL;
    PMPI_Comm_test_inter(comm, &is_inter);
    if (is_inter == 0) PMPI_Comm_compare(MPI_COMM_WORLD, comm, &comparison);
    if (comparison != MPI_CONGRUENT && comparison != MPI_SIMILAR) return;
    if (frees.watch_comm(comm) != 0) with_all_ranks_.push_back(comm);
  }
  /// A communicator that is freed.
  void remove(MPI_Comm comm) { std::erase(with_all_ranks_, comm); }

  /// Element by element the maximum over all ranks; in a joint call. Messages up a binomial tree and down again: the
  /// setting of a collective call may be the very one that is about to change, and has changed on some ranks already.
  void max(std::vector<double>& numbers) const {
    int step = 1;
    for (; step < size_ && rank_ % (2 * step) == 0; step *= 2)
      if (rank_ + step < size_) {
        std::vector<double> others(numbers.size());
        receive(others, rank_ + step);
        for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = std::max(numbers[i], others[i]);
      }
    if (rank_ != 0) {
      send(numbers, rank_ - step);
      receive(numbers, rank_ - step);
    }
    while ((step /= 2) >= 1)
      if (rank_ + step < size_) send(numbers, rank_ + step);
  }
  bool any(bool here) const {
    std::vector<double> numbers{here ? 1.0 : 0.0};
    max(numbers);
    return numbers[0] > 0;
  }

 private:
  void send(const std::vector<double>& numbers, int to) const {
    job_->send(numbers.data(), static_cast<int>(numbers.size()), MPI_DOUBLE, to, tag_, comm_);
  }
  void receive(std::vector<double>& numbers, int from) const {
    job_->receive(numbers.data(), static_cast<int>(numbers.size()), MPI_DOUBLE, from, tag_, comm_);
  }

  int tag_;
  int rank_ = 0;
  int size_ = 1;
  const cairn_tool_instance* self_ = nullptr;
  const cairn::Job* job_ = nullptr;
  MPI_Comm comm_ = MPI_COMM_NULL;
  bool is_world_only_ = true;
  std::vector<MPI_Comm> with_all_ranks_;
};

}  // namespace shared
