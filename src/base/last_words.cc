// SPDX-License-Identifier: BSD-3-Clause
// last_words.cc - what is seen of the lower ranks on the way to an end

#include "base/last_words.hpp"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <set>
#include <string>
#include <string_view>
#include <thread>

#include "base/job.hpp"
#include "base/processes.hpp"
#include "base/text.hpp"

namespace cairn {

namespace {

/// Hydra (MPICH) lets every process end by itself before MPI has started, and waits for it; other launchers end it as soon
/// as another one has failed.
bool is_below_hydra() {
  const char* const told_by = numeric_variable(rank_variables);
  return std::getenv("HYDI_CONTROL_FD") != nullptr && told_by != nullptr && std::string_view(told_by) == "PMI_RANK";
}

/// A second on an idle node, and the longer the busier it is.
double patience_s() {
  constexpr double most_s = 30;
  const auto processors = static_cast<double>(std::max(1L, sysconf(_SC_NPROCESSORS_ONLN)));
  double load = 0;
  if (getloadavg(&load, 1) != 1) load = 0;
  return std::min(most_s, 1 + 2 * load / processors);
}

enum class LowerRanks { missing, starting, run_other_programs };

/// Missing is also one that is on another node. One that has not come to its program yet may meet the same error.
LowerRanks look_at_lower_ranks(long own_rank) {
  const int launcher = getppid();
  const std::string before_program[] = {program_of(launcher), program_of(getpid())};
  std::set<long> seen;
  bool is_starting = false;
  for (const int child : children_of(launcher)) {
    const std::string program = program_of(child);
    const EnvironmentOf environment(child);
    const long rank = environment.number(rank_variables);
    if (program.empty() || rank >= own_rank) continue;
    if (rank >= 0) seen.insert(rank);
    if (!environment.is_known() || file_of(program) == "cairn" ||
        std::ranges::find(before_program, program) != std::end(before_program))
      is_starting = true;
  }
  if (is_starting) return LowerRanks::starting;
  return static_cast<long>(seen.size()) < own_rank ? LowerRanks::missing : LowerRanks::run_other_programs;
}

}  // namespace

bool has_last_word() {
  if (speaks_for_job()) return true;
  using Clock = std::chrono::steady_clock;
  const auto end = Clock::now() + std::chrono::duration<double>(patience_s());
  const bool nobody_is_cut_short = is_below_hydra();
  std::chrono::milliseconds pause(10);
  do {
    const LowerRanks lower = look_at_lower_ranks(job_rank());
    if (lower == LowerRanks::run_other_programs) return true;
    if (lower == LowerRanks::missing && nobody_is_cut_short) return false;
    std::this_thread::sleep_for(pause);
    pause = std::min(2 * pause, std::chrono::milliseconds(200));  // there may be many ranks that look
  } while (Clock::now() < end);
  return false;
}

}  // namespace cairn
