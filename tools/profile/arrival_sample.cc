// SPDX-License-Identifier: BSD-3-Clause
// arrival_sample.cc - choosing the calls whose times are kept, and what they say of all; no MPI in here

#include <algorithm>
#include <cmath>
#include <map>
#include <new>

#include "arrivals.hpp"

namespace profile {

namespace {

/// A number that looks random, the same on all ranks (splitmix64).
std::uint64_t scrambled(std::uint64_t number) {
  number += 0x9E3779B97F4A7C15U;
  number = (number ^ number >> 30U) * 0xBF58476D1CE4E5B9U;
  number = (number ^ number >> 27U) * 0x94D049BB133111EBU;
  return number ^ number >> 31U;
}

/// Of the sum over all calls, where some were drawn: one standard deviation.
double error_of(std::span<const Compared> compared, double mean, double calls) {
  const auto drawn = static_cast<double>(compared.size());
  if (drawn < 2 || drawn >= calls) return 0;
  double squares = 0;
  for (const Compared& call : compared) squares += (call.waited - mean) * (call.waited - mean);
  return calls * std::sqrt(squares / (drawn - 1) / drawn * (1 - drawn / calls));
}

template <class Key, class Number>
std::vector<std::pair<Key, Number>> greatest_first(const std::map<Key, Number>& numbers) {
  std::vector<std::pair<Key, Number>> sorted(numbers.begin(), numbers.end());
  std::ranges::stable_sort(sorted, std::ranges::greater{}, [](const auto& entry) { return entry.second; });
  return sorted;
}

}  // namespace

void ArrivalSample::keep(const Arrival& arrival) try {
  if (kept_.empty()) kept_.reserve(most);
  kept_.push_back(arrival);
  if (kept_.size() == most) {
    stride_ *= 2;
    for (std::size_t i = 0; i < most / 2; ++i) kept_[i] = kept_[2 * i + (scrambled(i ^ stride_ << 32U) & 1U)];
    kept_.resize(most / 2);
  }
  next_ = kept_.size() * stride_ + (scrambled(kept_.size() ^ stride_ << 32U) & (stride_ - 1));
} catch (const std::bad_alloc&) {
  // no sample of this call
}

void estimate(std::span<const Compared> compared, std::uint64_t calls, Waiting& waiting) {
  const auto all = static_cast<double>(calls);
  const double for_each = all / static_cast<double>(compared.size());
  waiting.calls = calls;
  waiting.compared = compared.size();
  std::map<int, std::uint64_t> times_last;
  std::map<int, double> caused;
  std::map<std::string, double> by_function;
  for (const Compared& call : compared) {
    waiting.time += for_each * call.waited;
    by_function[cairn::facts(call.function).name] += for_each * call.waited;
    waiting.mean_spread += call.spread / static_cast<double>(compared.size());
    waiting.max_spread = std::max(waiting.max_spread, call.spread);
    caused[call.last] += for_each * call.waited;
    ++times_last[call.last];
  }
  waiting.error = error_of(compared, waiting.time / all, all);
  waiting.functions.assign(by_function.begin(), by_function.end());
  waiting.causes = greatest_first(caused);
  waiting.last_ranks = greatest_first(times_last);
}

int late_rank(const Waiting& waiting, int ranks) {
  if (waiting.causes.empty() || waiting.time <= 0) return -1;
  const double even = 1.0 / ranks;
  const double notable = std::max(0.1, std::min(3 * even, (1 + even) / 2));
  const auto [rank, seconds] = waiting.causes.front();
  return seconds >= notable * waiting.time ? rank : -1;
}

}  // namespace profile
