// SPDX-License-Identifier: BSD-3-Clause
// companions.cc - naps while others write

#include "will/companions.hpp"

#include <time.h>

#include <array>
#include <atomic>

namespace cairn {

namespace {

constexpr timespec nap{.tv_sec = 0, .tv_nsec = 1'000'000};
constexpr long longest_ms = 500;  // Open MPI's launcher waits a second
constexpr long longest_without_news_ms = 100;

std::atomic<const cairn_job_parts*> companions{nullptr};  // null: there are none
std::atomic<cairn_part_state> told{CAIRN_PART_NONE};

using Counts = std::array<int, CAIRN_PART_STATES>;

Counts count(const cairn_job_parts& parts) {
  Counts counts{};
  parts.count(counts.data());
  return counts;
}

long now_ms() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1000 + now.tv_nsec / 1'000'000;
}

}  // namespace

void meet_companions(const cairn_job_parts& parts) {
  companions = &parts;
  parts.tell(told);
}

void tell_companions(cairn_part_state own) {
  told = own;
  if (const cairn_job_parts* const parts = companions; parts != nullptr) parts->tell(own);
}

void wait_for_companions() {
  const cairn_job_parts* const parts = companions;
  if (parts == nullptr) return;
  const long began = now_ms();
  long news = began;
  Counts before{};
  for (long now = began; now - began < longest_ms; now = now_ms()) {
    const Counts counts = count(*parts);
    if (counts != before) news = now;
    before = counts;
    const bool may_begin = counts[CAIRN_PART_AHEAD] != 0 && now - news < longest_without_news_ms;
    if (counts[CAIRN_PART_BEGUN] == 0 && !may_begin) return;
    nanosleep(&nap, nullptr);
  }
}

}  // namespace cairn
