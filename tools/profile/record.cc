// SPDX-License-Identifier: BSD-3-Clause
// record.cc - the run's clock, and the table of call sites as it grows

#include "record.hpp"

#include <ctime>

namespace profile {

namespace {
std::uint64_t start_ticks = 0;
timespec start_time{};

/// The whole run is the calibration: the longer it took, the better the rate is known.
double measured_rate() {
  timespec now{};
  std::uint64_t elapsed_ticks = 0;
  double elapsed = 0;
  do {
    clock_gettime(CLOCK_MONOTONIC, &now);
    elapsed_ticks = ticks_since_start();
    elapsed = static_cast<double>(now.tv_sec - start_time.tv_sec) +
              static_cast<double>(now.tv_nsec - start_time.tv_nsec) * 1e-9;
  } while (elapsed < 1e-3);
  return elapsed / static_cast<double>(elapsed_ticks);
}

}  // namespace

void start_clock() {
  clock_gettime(CLOCK_MONOTONIC, &start_time);
  start_ticks = ticks_now();
}

std::uint64_t ticks_since_start() { return ticks_now() - start_ticks; }

/// The whole run is the calibration: the longer it took, the better the rate is known.
double seconds_per_tick() {
  static const double rate = measured_rate();
  return rate;
}

double seconds_per_tick_so_far() {
  static const double rate = measured_rate();
  return rate;
}

Site& Sites::add(cairn::Function function, Place place) {
  if (count_ >= limit && place != 0) {
    ++merged_calls_;
    return at(function, 0);
  }
  ++count_;
  Site& site = sites_.emplace_back();
  site.function = function;
  site.place = place;
  if (2 * sites_.size() > slots_.size()) grow();
  std::size_t i = hash_of(key_of(function, place)) & mask_;
  while (slots_[i].site != nullptr && slots_[i].site != &site) i = (i + 1) & mask_;
  slots_[i] = {key_of(function, place), &site};
  return site;
}

void Sites::grow() {
  std::vector<Slot> wider(4 * slots_.size());
  mask_ = wider.size() - 1;
  for (const Slot& slot : slots_) {
    if (slot.site == nullptr) continue;
    std::size_t i = hash_of(slot.key) & mask_;
    while (wider[i].site != nullptr) i = (i + 1) & mask_;
    wider[i] = slot;
  }
  slots_ = std::move(wider);
}

}  // namespace profile
