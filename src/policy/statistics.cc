// SPDX-License-Identifier: BSD-3-Clause
// statistics.cc - medians and quartiles, and Student's t

#include "policy/statistics.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>

namespace cairn::policy {

namespace {

/// Between neighbours where `part` falls between them; `sorted` is not empty.
double quantile(const std::vector<double>& sorted, double part) {
  const double place = part * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(place);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  return std::lerp(sorted[below], sorted[above], place - static_cast<double>(below));
}

/// The probability of |T| < t: for whole degrees of freedom a finite sum over powers of cosines.
double student_within(double t, unsigned degrees_of_freedom) {
  const double angle = std::atan(t / std::sqrt(static_cast<double>(degrees_of_freedom)));
  const double cosine = std::cos(angle);
  const bool odd = degrees_of_freedom % 2 == 1;
  double term = odd ? cosine : 1;
  double sum = degrees_of_freedom == 1 ? 0 : term;
  for (unsigned k = odd ? 3 : 2; k + 1 < degrees_of_freedom; k += 2) {
    term *= cosine * cosine * (k - 1) / k;
    sum += term;
  }
  if (!odd) return std::sin(angle) * sum;
  return 2 / std::numbers::pi * (angle + std::sin(angle) * sum);
}

}  // namespace

double median(std::vector<double> values) {
  std::ranges::sort(values);
  return quantile(values, 0.5);
}

double spread(const std::vector<double>& values) {
  std::vector<double> sorted = values;
  std::ranges::sort(sorted);
  if (sorted.size() < 2 || quantile(sorted, 0.5) == 0) return 0;
  return (quantile(sorted, 0.75) - quantile(sorted, 0.25)) / quantile(sorted, 0.5);
}

double student_quantile(double probability, unsigned degrees_of_freedom) {
  double low = 0;
  double high = 1;
  while (1 - student_within(high, degrees_of_freedom) > probability && high < 1e15) high *= 2;
  for (int i = 0; i < 100; ++i) {
    const double middle = std::midpoint(low, high);
    if (1 - student_within(middle, degrees_of_freedom) > probability) low = middle;
    else high = middle;
  }
  return high;
}

Interval mean_interval(double mean, double squares, std::size_t count, double probability_outside) {
  constexpr double endless = std::numeric_limits<double>::infinity();
  if (count < 2) return {mean, -endless, endless};
  const auto values = static_cast<double>(count);
  const double error = std::sqrt(squares / (values - 1) / values);
  const double reach = student_quantile(probability_outside, static_cast<unsigned>(count - 1)) * error;
  return {mean, mean - reach, mean + reach};
}

Interval mean_interval(const std::vector<double>& values, double probability_outside) {
  if (values.empty()) return mean_interval(0, 0, 0, probability_outside);
  const double mean = std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
  double squares = 0;
  for (const double value : values) squares += (value - mean) * (value - mean);
  return mean_interval(mean, squares, values.size(), probability_outside);
}

}  // namespace cairn::policy
