// SPDX-License-Identifier: BSD-3-Clause
// history.hpp - what came from snapshot to snapshot on this process
//
// No lock: who takes snapshots on several threads has one.
#pragma once

#include <chrono>
#include <utility>
#include <vector>

#include "summary.hpp"

namespace comm {

class History {
 public:
  /// More are put together, each two that follow one another; on all processes with so many alike.
  static constexpr std::size_t most = 2000;

  /// In MPI_Init.
  void start() { start_ = Clock::now(); }

  /// `sums` is all so far; `number` is Moment::end, or that of the next snapshot where none is given.
  void take(const KindSums& sums, std::uint32_t number = 0);
  const std::vector<Moment>& moments() const { return moments_; }

 private:
  using Clock = std::chrono::steady_clock;
  void put_together();

  Clock::time_point start_;
  KindSums before_{};
  std::uint32_t taken_ = 0;
  std::vector<Moment> moments_;
};

}  // namespace comm
