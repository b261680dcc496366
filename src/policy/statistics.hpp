// SPDX-License-Identifier: BSD-3-Clause
// statistics.hpp - what repeated measurements say: medians, spread, and how sure a difference of paired runs is
#pragma once

#include <cstddef>
#include <vector>

namespace cairn::policy {

/// Of at least one value.
double median(std::vector<double> values);

/// The distance of the quartiles as a part of the median; 0 for fewer than two values.
double spread(const std::vector<double>& values);

/// The t that Student's distribution exceeds in size, to both sides together, with this probability (0 to 1).
double student_quantile(double probability, unsigned degrees_of_freedom);

/// A mean, and where it lies for certain but for the probability that was allowed. Unbounded with less than two values.
struct Interval {
  double mean;
  double low;
  double high;
};

/// Of independent, roughly normal values; for paired measurements, of their differences.
Interval mean_interval(const std::vector<double>& values, double probability_outside);

/// The same of so many values with this mean; `squares`: the sum of the squares of their distances from it.
Interval mean_interval(double mean, double squares, std::size_t count, double probability_outside);

}  // namespace cairn::policy
