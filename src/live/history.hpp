// SPDX-License-Identifier: BSD-3-Clause
// history.hpp - how a job's figures have changed from moment to moment
//
// What a rank counts only grows, so nothing is lost between two looks, however far apart: the rates are those between.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "live/moment.hpp"

namespace cairn::live {

/// What has happened since the point before.
struct Point {
  double time = 0;              // seconds since 1970
  std::optional<double> least;  // of the ranks' shares of time in MPI; none: no rank was seen twice
  std::optional<double> mean;
  std::optional<double> most;
  std::vector<std::optional<double>> shares;  // by rank; empty if there are more than most_lines
  std::vector<double> calls;                  // per second, by function; those that came later are missing
};

class History {
 public:
  static constexpr int most_lines = 64;
  static constexpr std::size_t most_points = 3600;

  /// `size`: of MPI_COMM_WORLD. The first moment of a job makes no point.
  void add(Moment moment, int size, double time);

  /// Number of the first point that is kept, and of the next one to come.
  std::uint64_t first() const { return next_ - points_.size(); }
  std::uint64_t next() const { return next_; }
  const Point& at(std::uint64_t number) const { return points_[static_cast<std::size_t>(number - first())]; }
  const std::vector<std::string>& functions() const { return functions_; }
  /// Of each rank when it was seen last, as with functions.
  const std::map<int, RankTotals>& ranks() const { return ranks_; }
  /// What functions came to, of each rank when it was seen last.
  const std::map<std::string, std::map<int, FunctionTotals>>& totals() const { return totals_; }

 private:
  void add_shares(Point& point, const Moment& moment, int size) const;
  void add_calls(Point& point, const Moment& moment, double seconds);
  std::uint64_t calls_since(const std::string& function, const std::map<int, FunctionTotals>& now) const;

  std::map<int, RankTotals> latest_;  // those that were seen at the latest look
  std::map<int, RankTotals> ranks_;
  std::map<std::string, std::map<int, FunctionTotals>> totals_;
  double latest_time_ = 0;
  std::deque<Point> points_;
  std::uint64_t next_ = 0;
  std::vector<std::string> functions_;  // in the order in which they were first seen
};

/// Of a rank's threads' time between two moments the part in MPI, from 0 to 1; none if no time has passed.
std::optional<double> share_between(const RankTotals& before, const RankTotals& now);

}  // namespace cairn::live
