// SPDX-License-Identifier: BSD-3-Clause
// series.hpp - a variable's values over time in bounded memory: twice the time per point whenever there is no room
// left. No MPI in here.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace vars {

/// Values that were read, of any number of readings and ranks.
struct Samples {
  std::uint64_t count = 0;
  double least = std::numeric_limits<double>::infinity();
  double most = -std::numeric_limits<double>::infinity();
  double sum = 0;

  void add(double value) {
    ++count;
    least = std::min(least, value);
    most = std::max(most, value);
    sum += value;
  }
  void add(const Samples& other) {
    count += other.count;
    least = std::min(least, other.least);
    most = std::max(most, other.most);
    sum += other.sum;
  }
  bool moved() const { return least < most; }
  double mean() const { return sum / static_cast<double>(count); }
  static void members(auto& archive, auto& one) { archive(one.count, one.least, one.most, one.sum); }
};

/// With how far the values are from their mean.
struct Spread : Samples {
  double squares = 0;  // of the distances, summed

  void add(double value) {
    const double distance = count == 0 ? 0 : value - mean();
    Samples::add(value);
    if (count > 1) squares += distance * (value - mean());
  }
  void add(const Spread& other) {
    if (other.count == 0) return;
    if (count != 0) {
      const double distance = other.mean() - mean();
      const auto mine = static_cast<double>(count);
      const auto its = static_cast<double>(other.count);
      squares += distance * distance * mine * its / (mine + its);
    }
    squares += other.squares;
    Samples::add(other);
  }
  double deviation() const { return count == 0 ? 0 : std::sqrt(squares / static_cast<double>(count)); }
  static void members(auto& archive, auto& one) {
    Samples::members(archive, one);
    archive(one.squares);
  }
};

/// Point i is of the time from (first + i) * step to (first + i + 1) * step on a clock that ranks share, so a time without
/// samples is a point without any, and series of the same step can be put together.
struct Series {
  static constexpr std::size_t most_points = 512;

  double step = 0;  // s; 0: none is kept
  std::int64_t first = 0;
  std::vector<Samples> points{};

  explicit Series(double first_step = 0) : step(first_step) {
    if (step > 0) points.reserve(most_points);
  }

  /// Allocates nothing.
  void add(double time, double value) {
    if (step <= 0) return;
    if (points.empty()) first = number_at(time);
    if (number_at(time) < first) return;
    while (number_at(time) >= first + room) halve();
    const auto place = static_cast<std::size_t>(number_at(time) - first);
    if (place >= points.size()) points.resize(place + 1);
    points[place].add(value);
  }

  /// The least step with which there is room for all points from `origin` on.
  double step_from(double origin) const {
    if (points.empty()) return step;
    double wide = step;
    const double end = static_cast<double>(first + static_cast<std::int64_t>(points.size()) - 1) * step;
    while (std::floor(end / wide) - std::floor(origin / wide) >= static_cast<double>(room)) wide *= 2;
    return wide;
  }
  /// Points of a step that others have, the first of which has the origin in it.
  void align(double wide, double origin) {
    if (step <= 0) return;
    while (step < wide) halve();
    if (points.empty()) return;
    const auto empty = static_cast<std::size_t>(std::max<std::int64_t>(first - number_at(origin), 0));
    points.insert(points.begin(), empty, {});
    first = 0;
  }

  /// Of another rank, both aligned.
  void add(Series other) {
    if (other.step <= 0) return;
    if (step <= 0) return void(*this = std::move(other));
    points.resize(std::max(points.size(), other.points.size()));
    for (std::size_t i = 0; i < other.points.size(); ++i) points[i].add(other.points[i]);
  }
  static void members(auto& archive, auto& series) { archive(series.step, series.points); }

 private:
  static constexpr std::int64_t room = most_points;

  std::int64_t number_at(double time) const { return static_cast<std::int64_t>(time / step); }

  void halve() {
    const std::int64_t half = first / 2;
    std::size_t last = 0;
    for (std::size_t i = 0; i < points.size(); ++i) {
      const auto place = static_cast<std::size_t>((first + static_cast<std::int64_t>(i)) / 2 - half);
      if (place == last && i != 0) points[place].add(points[i]);
      else points[place] = points[i];
      last = place;
    }
    if (!points.empty()) points.resize(last + 1);
    first = half;
    step *= 2;
  }
};

}  // namespace vars
