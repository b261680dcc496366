// SPDX-License-Identifier: BSD-3-Clause
// work_sums.hpp - how long each rank works between two calls, and is in calls of a place
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "waits/causes.hpp"

namespace cairn::waits {

inline constexpr double hardly_any = 0.05;  // of what others have of some work: it is not theirs

/// Seconds that ranks spend on each piece of work, and in calls of each place without waiting.
class WorkSums {
 public:
  WorkSums() = default;
  WorkSums(const Graph& graph, const Waits& waits);
  /// Of another section.
  void add(const WorkSums& other);

  double of(Piece piece, int rank) const;
  /// Mean of the ranks but `ranks`; where these are all, of all.
  double mean_of_others(Piece piece, const std::vector<int>& ranks) const;
  /// Of all these together.
  double of(const Pieces& pieces, int rank) const;
  double mean_of_others(const Pieces& pieces, const std::vector<int>& ranks) const;
  std::vector<double> by_rank(const Pieces& pieces) const;
  /// With work that leads to the same calls as these pieces from others, and that none of `ranks` does: as at the edges of
  /// a domain, where a rank exchanges data with one neighbor only.
  Pieces with_what_stands_for(Pieces pieces, const std::vector<int>& ranks) const;
  /// Of which there are records.
  int ranks() const { return ranks_; }
  /// How many ranks spend any time on it.
  std::size_t ranks_with(Piece piece) const;
  /// How often these ranks do it.
  std::uint64_t times(Piece piece, const std::vector<int>& ranks) const { return sum_of(piece, ranks).times; }
  /// What each time of that work takes on `ranks`, on average; 0: none does it.
  double each_time(Piece piece, const std::vector<int>& ranks) const { return sum_of(piece, ranks).mean(); }
  /// What each time of that work takes longer on `ranks` than on the others, on average.
  double excess_each_time(Piece piece, const std::vector<int>& ranks) const;
  /// In which part of the times `ranks` spend what they have more than the others, who do the same work: 1: each time
  /// alike, or as the others' work differs from time to time; less: most of it in few of them.
  double spread_of_excess(Piece piece, const std::vector<int>& ranks) const;
  /// All work of the rank's main thread.
  const std::vector<double>& by_rank() const { return by_rank_; }

 private:
  void add_calls(const Graph& graph, const Waits& waits, const Lane& lane);

  struct Sum {
    double seconds = 0;
    std::uint64_t times = 0;  // of work
    double squares = 0;       // of each time's seconds

    void add(const Sum& other) {
      seconds += other.seconds;
      times += other.times;
      squares += other.squares;
    }
    double mean() const { return times > 0 ? seconds / static_cast<double>(times) : 0; }
    /// Of a time: the mean square of its difference from that.
    double square_from(double value) const {
      return times > 0 ? squares / static_cast<double>(times) + value * (value - 2 * mean()) : 0;
    }
  };
  void add(Piece piece, int rank, const Sum& sum);
  Sum sum_of(Piece piece, const std::vector<int>& ranks) const;
  Sum sum_of_others(Piece piece, const Sum& own) const;

  std::map<std::pair<Piece, int>, Sum> sums_;
  std::map<Piece, Sum> totals_;
  std::vector<double> by_rank_;
  int ranks_ = 0;
};

}  // namespace cairn::waits
