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

Interval mean_interval(const std::vector<double>& values, double probability_outside) {
  constexpr double endless = std::numeric_limits<double>::infinity();
  if (values.empty()) return {0, -endless, endless};
  const auto count = static_cast<double>(values.size());
  const double mean = std::accumulate(values.begin(), values.end(), 0.0) / count;
  if (values.size() < 2) return {mean, -endless, endless};
  double squares = 0;
  for (const double value : values) squares += (value - mean) * (value - mean);
  const double error = std::sqrt(squares / (count - 1) / count);
  const double reach = student_quantile(probability_outside, static_cast<unsigned>(values.size() - 1)) * error;
  return {mean, mean - reach, mean + reach};
}

}  // namespace cairn::policy
