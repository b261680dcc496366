// SPDX-License-Identifier: BSD-3-Clause
// arrivals.hpp - when each rank came to the collective calls on MPI_COMM_WORLD: who is waited for
//
// A call such as MPI_Allreduce ends nowhere before it has begun everywhere. All ranks make these calls in the same
// order, so the n-th call of one rank is the n-th of every other, and the difference of their times is waiting: no more
// of it than the call took. Kept are the times of every call at first; then of one call, chosen at random, of each two,
// four, … that follow one another, so that the memory stays fixed and no rhythm of the program is mistaken for the
// whole. All ranks choose the same ones. Needs one clock for all ranks, so it is for runs within one node.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "cairn/functions.hpp"
#include "cairn/kit/clock.hpp"
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

/// One call of one rank.
struct Arrival {
  cairn::Function function;
  std::uint64_t begin;  // ticks
  std::uint64_t end;
};

/// Which calls are kept, and these. MPI orders the collective calls on a communicator, so there is one writer at a
/// time.
class ArrivalSample {
 public:
  static constexpr std::size_t most = 4096;

  void add(cairn::Function function, std::uint64_t begin, std::uint64_t end) {
    if (count_++ == next_) [[unlikely]]
      keep({function, begin, end});
  }
  std::uint64_t count() const { return count_; }
  const std::vector<Arrival>& kept() const { return kept_; }

 private:
  void keep(const Arrival& arrival);

  std::uint64_t count_ = 0;
  std::uint64_t next_ = 0;
  std::uint64_t stride_ = 1;  // a power of two: of so many calls that follow one another, one is kept
  std::vector<Arrival> kept_;
};

/// What is known of one call that was compared.
struct Compared {
  cairn::Function function;
  double waited;  // seconds of all ranks together
  double spread;  // seconds from the first rank's arrival to the last one's
  int last;       // rank
};

/// What a rank waited in a call for the last one, in the unit of its arguments: from its arrival to the last one's, but
/// no more than its call took.
constexpr double waited(double begin, double took, double last_begin) {
  const double since = last_begin - begin;
  return since <= 0 ? 0 : since < took ? since : took;
}

/// All `calls` by what was found in those of them that were compared.
void estimate(std::span<const Compared> compared, std::uint64_t calls, Waiting& waiting);

/// The rank that was waited for longest, where it stands out among so many; else -1.
int late_rank(const Waiting& waiting, int ranks);

}  // namespace profile
