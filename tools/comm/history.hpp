// SPDX-License-Identifier: BSD-3-Clause
// history.hpp - what came from snapshot to snapshot on this process
//
// No lock: who takes snapshots on several threads has one.
#pragma once

#include <utility>
#include <vector>

#include "cairn/kit/clock.hpp"
#include "summary.hpp"

namespace comm {

class History {
 public:
  /// More are put together, each two that follow one another; on all processes with so many alike.
  static constexpr std::size_t most = 2000;

  /// In MPI_Init.
  void start() { start_ = cairn::nanoseconds_now(); }
  /// On the system's clock.
  std::uint64_t started() const { return start_; }
  /// Moments have their times since then, which is not after started().
  void count_from(std::uint64_t origin);

  /// `sums` is all so far; `number` is Moment::end, or that of the next snapshot where none is given.
  void take(const KindSums& sums, std::uint32_t number = 0);
  const std::vector<Moment>& moments() const { return moments_; }

 private:
  void put_together();

  std::uint64_t start_ = 0;
  KindSums before_{};
  std::uint32_t taken_ = 0;
  std::vector<Moment> moments_;
};

}  // namespace comm
