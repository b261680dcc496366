// SPDX-License-Identifier: BSD-3-Clause
// companions.cc - naps while others write

#include "will/companions.hpp"

#include <time.h>

#include <atomic>

namespace cairn {

namespace {

constexpr int longest_ms = 500;  // the launcher waits a second
constexpr int longest_alone_ms = 100;

std::atomic<const cairn_job_parts*> companions{nullptr};  // null: there are none
std::atomic<cairn_part_state> told{CAIRN_PART_NONE};

bool is_worth_waiting(const cairn_job_parts& parts, int waited_ms) {
  const int begun = parts.count(CAIRN_PART_BEGUN);
  if (begun + parts.count(CAIRN_PART_AHEAD) == 0) return false;
  const bool is_alone = begun + parts.count(CAIRN_PART_LEFT) == 0;
  return waited_ms < (is_alone ? longest_alone_ms : longest_ms);
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
  constexpr timespec nap{.tv_sec = 0, .tv_nsec = 1'000'000};
  for (int waited_ms = 0; is_worth_waiting(*parts, waited_ms); ++waited_ms) nanosleep(&nap, nullptr);
}

}  // namespace cairn
