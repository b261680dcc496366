// SPDX-License-Identifier: BSD-3-Clause
// arrivals.hpp - when each rank came to the collective calls on MPI_COMM_WORLD: who is waited for
//
// A call such as MPI_Allreduce ends nowhere before it has begun everywhere. All ranks make these calls in the same
// order, so the n-th call of one rank is the n-th of every other, and the difference of their times is waiting. Kept
// are the times of every call at first, then of every second, fourth, … so that the memory stays fixed; all ranks keep
// the same ones. Needs one clock for all ranks, so it is for runs within one node.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "cairn/functions.hpp"
#include "summary.hpp"

namespace profile {

/// Whether no process can leave the call before all have entered it.
template <cairn::Function F>
constexpr bool synchronizes() {
  using cairn::Role;
  if (cairn::facts(F).category != cairn::Category::collective || cairn::has<F>(Role::root)) return false;
  const std::string_view name = cairn::facts(F).name;
  return name.find("scan") == name.npos;  // each process waits for those before it only
}

/// MPI orders the collective calls on a communicator, so there is one writer at a time.
class Arrivals {
 public:
  void add(cairn::Function function, std::uint64_t ticks) {
    if (count_++ % stride_ != 0) return;
    samples_[used_++] = {ticks, function};
    if (used_ == samples_.size()) [[unlikely]]
      thin_out();
  }

  /// Collective over MPI_COMM_WORLD; fills in on rank 0.
  void gather(Waiting& waiting) const;

 private:
  struct Sample {
    std::uint64_t ticks;
    cairn::Function function;
  };
  void thin_out();

  std::uint64_t count_ = 0;
  std::uint64_t stride_ = 1;
  std::size_t used_ = 0;
  std::array<Sample, 4096> samples_;
};

}  // namespace profile
