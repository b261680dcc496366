// SPDX-License-Identifier: BSD-3-Clause
// series.hpp - a variable's values over time in bounded memory: twice the time per point whenever there is no room
// left. No MPI in here.
#pragma once

#include <algorithm>
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

/// Point i is of the time from i * step to (i + 1) * step since the start. So series of all ranks whose steps began as
/// one can be put together, and a time without samples is a point without any.
struct Series {
  static constexpr std::size_t most_points = 512;

  double step = 0;  // s; 0: none is kept
  std::vector<Samples> points{};

  explicit Series(double first_step = 0) : step(first_step) {
    if (step > 0) points.reserve(most_points);
  }

  /// Allocates nothing.
  void add(double time, double value) {
    if (step <= 0 || time < 0) return;
    while (time >= step * most_points) halve();
    const auto place = static_cast<std::size_t>(time / step);
    if (place >= points.size()) points.resize(place + 1);
    points[place].add(value);
  }

  void add(Series other) {
    if (other.step <= 0) return;
    if (step <= 0) return void(*this = std::move(other));
    while (other.step < step) other.halve();
    while (step < other.step) halve();
    points.resize(std::max(points.size(), other.points.size()));
    for (std::size_t i = 0; i < other.points.size(); ++i) points[i].add(other.points[i]);
  }
  static void members(auto& archive, auto& series) { archive(series.step, series.points); }

 private:
  void halve() {
    for (std::size_t i = 0; i < points.size(); ++i)
      if (i % 2 == 0) points[i / 2] = points[i];
      else points[i / 2].add(points[i]);
    points.resize((points.size() + 1) / 2);
    step *= 2;
  }
};

}  // namespace vars
