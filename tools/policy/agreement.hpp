// SPDX-License-Identifier: BSD-3-Clause
// agreement.hpp - the points that all ranks pass together, and what they tell each other there
//
// Some settings must be the same on all ranks, and change at the same moment. The moments are the program's own
// blocking collective calls over all processes, "beats": the standard makes every rank come by them in the same order
// (MPI-4.1 section 6.14), and lets each of them wait for the others. Ranks that count beats know without a word when to
// speak to each other. Communicators over all processes count like MPI_COMM_WORLD, but not where several threads may
// call MPI at once (MPI_THREAD_MULTIPLE): there MPI_COMM_WORLD alone has an order.
#pragma once

#include <mpi.h>

#include <algorithm>
#include <vector>

#include "cairn/kit/own_work.hpp"
#include "cairn/kit/self.hpp"
#include "cairn/services/job.hpp"

namespace policy {

class Agreement {
 public:
  /// Collective over the ranks that have the policy, after MPI_Init.
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
    beats_on_.push_back(MPI_COMM_WORLD);
  }
  /// Collective, before MPI_Finalize.
  void finish() {
    if (comm_ != MPI_COMM_NULL) job_->release(self_);
    comm_ = MPI_COMM_NULL;
  }

  bool is_beat(MPI_Comm comm) const {
    return comm == MPI_COMM_WORLD || std::find(beats_on_.begin(), beats_on_.end(), comm) != beats_on_.end();
  }
  /// A communicator that the program has made.
  void add(MPI_Comm comm) {
    if (comm == MPI_COMM_NULL || is_world_only_) return;
    const cairn::OwnWork own;
    int is_inter = 0;
    int comparison = MPI_UNEQUAL;
    PMPI_Comm_test_inter(comm, &is_inter);
    if (is_inter == 0) PMPI_Comm_compare(MPI_COMM_WORLD, comm, &comparison);
    if (comparison == MPI_CONGRUENT || comparison == MPI_SIMILAR) beats_on_.push_back(comm);
  }
  /// One that it is about to free.
  void remove(MPI_Comm comm) { std::erase(beats_on_, comm); }

  /// Entry by entry the greatest of all ranks; at a beat. Up a binomial tree and down again by messages of its own: a
  /// collective call could meet the very setting that is about to change, already changed on some ranks.
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
  static constexpr int tag = 2;  // World has another
  void send(const std::vector<double>& numbers, int to) const {
    job_->send(numbers.data(), static_cast<int>(numbers.size()), MPI_DOUBLE, to, tag, comm_);
  }
  void receive(std::vector<double>& numbers, int from) const {
    job_->receive(numbers.data(), static_cast<int>(numbers.size()), MPI_DOUBLE, from, tag, comm_);
  }

  int rank_ = 0;
  int size_ = 1;
  const cairn_tool_instance* self_ = nullptr;
  const cairn::Job* job_ = nullptr;
  MPI_Comm comm_ = MPI_COMM_NULL;
  bool is_world_only_ = true;
  std::vector<MPI_Comm> beats_on_;
};

}  // namespace policy
