// SPDX-License-Identifier: BSD-3-Clause
// reduction.hpp - the tree in which ranks' results meet (cairn/kit/ranks.hpp, World::merge), all of it in one process
#pragma once

#include <algorithm>
#include <cstddef>
#include <ctime>
#include <string>
#include <type_traits>

#include "job.hpp"

namespace cairn::scale {

/// Seconds of a processor, without what the network takes.
struct ReductionCost {
  double first_s = 0;           // rank 0's own work: taking apart and adding what comes
  double path_s = 0;            // that, and the packing of those that it waits for
  double all_s = 0;             // of all ranks together
  std::size_t first_bytes = 0;  // that rank 0 receives
  std::size_t largest_bytes = 0;
};

/// `own(rank)` makes what a rank has, `pack(own)` bytes of it, `add(own, bytes)` takes another's in.
template <class Own, class Pack, class Add>
class Reduction {
 public:
  Reduction(int ranks, Own own, Pack pack, Add add) : ranks_(ranks), own_(own), pack_(pack), add_(add) {}

  using Value = std::invoke_result_t<Own, int>;

  Value all() { return subtree(0, ranks_); }
  const ReductionCost& cost() const { return cost_; }

 private:
  Value subtree(int first, int limit) {
    Value all = own_(first);
    for (int step = 1; step < limit && first + step < ranks_; step *= 2) {
      Value other = subtree(first + step, step);
      std::clock_t begin = std::clock();
      std::decay_t<std::invoke_result_t<Pack, Value&>> bytes = pack_(other);
      other = {};  // it is on another rank
      const double packing = seconds_since(begin);
      begin = std::clock();
      add_(all, bytes);
      if constexpr (requires { bytes.size(); }) count(first, packing, seconds_since(begin), bytes.size());
    }
    return all;
  }
  static double seconds_since(std::clock_t begin) { return static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC; }
  void count(int rank, double packing, double adding, std::size_t bytes) {
    cost_.all_s += packing + adding;
    cost_.largest_bytes = std::max(cost_.largest_bytes, bytes);
    if (rank != 0) return;
    cost_.first_s += adding;
    cost_.path_s += packing + adding;
    cost_.first_bytes += bytes;
  }

  int ranks_;
  Own own_;
  Pack pack_;
  Add add_;
  ReductionCost cost_;
};

}  // namespace cairn::scale
